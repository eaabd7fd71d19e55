// The cells of a table's line: apart by a delimiter or by blanks.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace etad {

// The cells of a line, trimmed and without their quotes: at most `most` of them, the last with all the rest.
void split_cells(std::string_view line, char delimiter, std::size_t most, std::vector<std::string_view>& out);

// The words of a line, apart by blanks, tabs and commas.
void split_words(std::string_view line, std::size_t most, std::vector<std::string_view>& out);

}  // namespace etad
