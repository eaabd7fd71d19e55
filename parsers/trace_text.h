// Small text helpers of the trace readers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace etad::trace_text {

std::string_view trim(std::string_view text);
std::string lower(std::string_view text);

// The whole of `text` is a decimal number.
std::optional<double> number(std::string_view text);

// The cells of a line, trimmed and without their quotes: at most `most` of them, the last with all the rest.
void split_cells(std::string_view line, char delimiter, std::size_t most, std::vector<std::string_view>& out);

// The words of a line, apart by blanks, tabs and commas.
void split_words(std::string_view line, std::size_t most, std::vector<std::string_view>& out);

}  // namespace etad::trace_text
