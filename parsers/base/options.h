// The options that a program says it was started with, in whatever way it prints them:
//
//   Namespace(arch='resnet18', batch_size=64)    {'model': 'resnet18', 'batch_size': 64}
//   python train.py --arch resnet18 -b 8 --batch-size=64 --fp16
//   batch_size: 64          | Batch size | 64 |          model ........ resnet18
//
// Pure; one pass over the bytes.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "parsers/base/text.h"

namespace etad {

// Name and value as they are written, views into the message; the value is empty for an option that has none. True: it
// is one that is looked for.
using OptionVisitor = std::function<bool(std::string_view name, std::string_view value)>;

// Visits those of a list, wherever they stand in the message, and where none of them is looked for the one that is all of
// the message. Whether one was looked for.
bool visit_options(std::string_view message, const OptionVisitor& visit);

// A byte of an option's name, or of a network's.
inline bool is_in_option(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
}

// "cfg.TRAIN.Batch-Size" is "batch_size"; empty: of another phase ("val.batch_size").
std::string plain_option_name(std::string_view written);

// Whether a word of the name, as "test_dataloader" is made of two, is another phase's than training.
bool names_other_phase(std::string_view name);

// Whether the words, which are in the order of the alphabet, hold this one.
template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::binary_search(words.begin(), words.end(), word);
}

}  // namespace etad
