// From a block of complete lines to a batch's lines: taken out of container envelopes, partial lines joined, cleaned.
#pragma once

#include <span>

#include "daemon/follow/follower.h"

namespace etad::follow {

struct Block {
  std::span<char> bytes;   // cleaned in place; complete lines
  std::span<char> rest;    // the beginning of a line: taken too where `take_rest`
  bool take_rest = false;  // nothing more will come
  bool is_full = false;    // no room for more: partial lines still open are given out as they are
  // With `take_rest`: partial lines that are still open at the end are kept for the next file, unless they are longer than
  // the line limit.
  bool carry = false;
};

// Appends the block's lines and returns how many of its bytes they stand for. Fewer than all where the block
// ends within a line of several parts: the next block begins with that line's first part. A line without an
// envelope ends what is open.
std::size_t take_lines(const Block& block, std::size_t line_limit, Batch& batch);

}  // namespace etad::follow
