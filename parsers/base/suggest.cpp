#include "parsers/base/suggest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace etad {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_name(std::string_view mistyped, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongest = 64;  // beyond that it is no slip of the finger
  std::size_t best = mistyped.size() <= 4 ? 2 : 3;
  std::string_view found;
  if (mistyped.size() > kLongest) return found;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(mistyped, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

}  // namespace etad
