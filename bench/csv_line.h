// One line of a CSV table as its cells, for the benchmarks that read measurements. Cells may stand in quotes,
// and then hold commas.
#pragma once

#include <string>
#include <vector>

namespace etad::bench {

inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else if (c != '\r') {
      out.back() += c;
    }
  }
  return out;
}

}  // namespace etad::bench
