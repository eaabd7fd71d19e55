// Whether a pattern treats all ten digits alike: "\d+", "[\w.]+" and "loss" do, "[1-9]\d*" and "epoch 0" do not. Such a
// pattern matches a text if and only if it matches the same text with other digits in it, and its groups stand at the
// same places: no step of a match can tell one digit from another.
#pragma once

#include <string>
#include <string_view>

#include "parsers/rules/pattern.h"

namespace etad {

// Both of a pattern that RE2 has taken.

// In doubt: false.
bool treats_digits_alike(std::string_view pattern);

// A pattern that treats all digits alike, and matches whatever this one would match had the text other digits in it:
// "epoch \d" for "epoch 0", "[\d1-9]" for "[1-9]". In doubt it is the empty one, which matches every text.
std::string with_any_digits(std::string_view pattern);

// The same, compiled.
Pattern with_any_digits(const Pattern& pattern, Pattern::Anchor anchor);

}  // namespace etad
