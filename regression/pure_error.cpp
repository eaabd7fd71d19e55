#include "regression/pure_error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr std::size_t kMostPartners = 4;
constexpr double kShamos = 1.0483;  // 1 / (sqrt(2) x the normal's 75 % point)

using Groups = std::map<double, std::vector<std::size_t>>;  // batch size to rows

Groups by_batch_size(const Observations& rows) {
  Groups groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].weight > 0) groups[rows[i].b].push_back(i);
  }
  return groups;
}

}  // namespace

PureError pure_error(const Observations& rows, const std::vector<double>& residuals) {
  PureError out;
  std::vector<double> distances;
  for (const auto& [b, members] : by_batch_size(rows)) {
    out.degrees += static_cast<double>(members.size()) - 1;
    for (std::size_t i = 1; i < members.size(); ++i) {
      for (std::size_t j = i - std::min(i, kMostPartners); j < i; ++j) {
        distances.push_back(std::abs(residuals[members[i]] - residuals[members[j]]));
      }
    }
  }
  out.scale = kShamos * median(std::move(distances));
  return out;
}

}  // namespace etad::regression
