#include "parsers/base/suggest.h"

#include <algorithm>
#include <utility>

#include "parsers/base/text.h"

namespace etad {
namespace {

// Longer names are cut before they are compared: the work stays bounded whatever a client sends.
constexpr std::size_t kLongestCompared = 64;

std::string comparable(std::string_view name) {
  return lower_case(name.substr(0, kLongestCompared));
}

}  // namespace

std::size_t edit_distance(std::string_view first, std::string_view second) {
  const std::string a = comparable(first), b = comparable(second);
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::vector<std::string> near_names(std::string_view wanted, std::vector<std::string> names,
                                    std::size_t limit) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::string key = comparable(wanted);
  std::vector<std::pair<std::size_t, std::string>> scored;
  for (std::string& name : names) {
    const std::string other = comparable(name);
    const std::size_t distance = edit_distance(key, other);
    const bool contained = key.size() >= 3 && other.size() >= 3 &&
                           (other.find(key) != std::string::npos || key.find(other) != std::string::npos);
    const std::size_t tolerated = std::max<std::size_t>(1, std::max(key.size(), other.size()) / 3);
    if (distance <= tolerated) {
      scored.emplace_back(distance, std::move(name));
    } else if (contained) {
      scored.emplace_back(tolerated + 1, std::move(name));
    }
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> out;
  for (auto& [distance, name] : scored) {
    if (out.size() == limit) break;
    out.push_back(std::move(name));
  }
  return out;
}

std::string_view nearest_name(std::string_view mistyped, const std::vector<std::string_view>& candidates) {
  std::size_t best = mistyped.size() <= 4 ? 2 : 3;
  std::string_view found;
  if (mistyped.size() > kLongestCompared) return found;  // it is no slip of the finger
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
