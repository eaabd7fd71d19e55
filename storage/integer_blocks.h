// A row of whole numbers in few bytes: blocks of up to 64, in each the numbers (or, where that is narrower, their
// differences) as how many times a common divisor each lies above the least, in as many bits as the largest needs.
// What monitors print suits that: times that jitter around a step; bytes in whole MiB, clocks in whole MHz. Exact for
// any numbers. Pure; reading is bounds-checked and takes any bytes.
//
// A row: the first number, signed. Then of each block of what follows: a byte, whose high bit tells differences and
// the rest of it the width w, 0 to 64; the least, signed (of numbers: less the first of the row); unless w is 0 the
// divisor, unsigned; w bits a number, low bits first, filled up to whole bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "storage/bytes.h"

namespace etad {

void write_integers(ByteWriter& out, const std::vector<std::int64_t>& numbers);

// Replaces `numbers` by `count` of them. What is no such row leaves `in` not ok, and `numbers` of no meaning.
void read_integers(ByteReader& in, std::size_t count, std::vector<std::int64_t>& numbers);

}  // namespace etad
