// Pictures made of characters: eighths of a cell stand for a value. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace etad::client {

// "▁▃▇▂": a character a value, the lowest for `least` and below, the highest for `most` and above. What is no
// number leaves a blank.
std::string spark_text(const std::vector<double>& values, double least, double most);

// The values as at most so many: each the mean of equally many neighbours.
std::vector<double> condensed(const std::vector<double>& values, std::size_t most);
// Likewise, and few of them drawn broad: each stands as often as there is room.
std::vector<double> stretched(const std::vector<double>& values, std::size_t most);

struct Chart {
  std::string name;            // of what is shown, with its unit
  std::vector<double> values;  // a column each; what is no number leaves it empty
  std::vector<bool> hatched;   // columns that are only a guess; shorter than the values: the rest are not
  bool from_zero = false;      // else from the least of them
  std::string (*show)(double) = nullptr;  // a value, for the axis
  std::string first, last;                // what stands under the two ends
};

// So many lines of columns, with the least and the largest value at their side, below a line with the name;
// empty where there are fewer than two numbers.
std::string chart_text(const Chart& chart, std::size_t rows);

}  // namespace etad::client
