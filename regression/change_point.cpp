#include "regression/change_point.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr std::size_t kLeastBefore = 4, kLeastAfter = 4;
constexpr double kOwnSide = 0.8;  // the share of either side that lies beyond the middle between the two
constexpr double kChangeStatistic = 5;  // of medians; the best of 200 places reaches 4 by chance
constexpr double kLeastChange = 0.03;   // smaller ones are not worth losing data for

// The residuals of one side of a place, and how far they lie from their median, all together.
struct Side {
  explicit Side(std::span<const double> values)
      : residuals(values), middle(median({values.begin(), values.end()})) {
    for (const double r : residuals) deviation += std::abs(r - middle);
  }

  double share_above(double level) const {
    const auto above = std::ranges::count_if(residuals, [&](double r) { return r > level; });
    return static_cast<double>(above) / static_cast<double>(residuals.size());
  }

  std::span<const double> residuals;
  double middle = 0, deviation = 0;
};

// Where two medians describe the residuals best, by least absolute deviations: the first index after it. Every place
// is looked at, so that a change too young to be believed is not found too early either.
std::size_t best_place(std::span<const double> residuals) {
  std::size_t at = kLeastBefore;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = kLeastBefore; i < residuals.size(); ++i) {
    const double deviation = Side(residuals.first(i)).deviation + Side(residuals.subspan(i)).deviation;
    if (!(deviation < least)) continue;
    least = deviation;
    at = i;
  }
  return at;
}

// The middle between the two, which most of each side keeps to its side of. nullopt: there is no change.
std::optional<double> level_between(const Side& before, const Side& after) {
  const double size = std::abs(after.middle - before.middle);
  std::vector<double> inside;
  for (const Side* side : {&before, &after})
    for (const double r : side->residuals) inside.push_back(r - side->middle);
  const auto a = static_cast<double>(before.residuals.size()),
             b = static_cast<double>(after.residuals.size());
  // A median's variance is pi/2 times a mean's.
  const double error = std::max(1e-3, robust_scale(inside)) * std::sqrt(1.5708 * (1 / a + 1 / b));
  if (size < kLeastChange || size < kChangeStatistic * error) return std::nullopt;
  const double level = 0.5 * (before.middle + after.middle);
  const auto& [low, high] =
      std::minmax(before, after, [](const Side& x, const Side& y) { return x.middle < y.middle; });
  const bool apart = low.share_above(level) <= 1 - kOwnSide && high.share_above(level) >= kOwnSide;
  return apart ? std::optional(level) : std::nullopt;
}

// Whether as many owners as there are, two at most, show it: the middle one of each one's rows since then is on the side
// of the level that it came to.
bool confirmed(const Dataset& rows, const std::vector<double>& residuals, double from, double level,
               bool rises) {
  std::map<std::int64_t, std::vector<double>> since;  // of each owner
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<double>& its = since[rows[i].owner];
    if (rows[i].started_at >= from) its.push_back(residuals[i]);
  }
  const auto showing = std::ranges::count_if(since, [&](const auto& owner) {
    return !owner.second.empty() && (median(owner.second) > level) == rises;
  });
  return static_cast<std::size_t>(showing) >= std::min<std::size_t>(2, since.size());
}

}  // namespace

std::optional<double> drop_before_change(Dataset& rows, const std::vector<double>& residuals) {
  std::vector<std::size_t> dated;
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].started_at <= 0) continue;
    dated.push_back(i);
    values.push_back(residuals[i]);
  }
  if (values.size() < kLeastBefore + kLeastAfter) return std::nullopt;
  const std::span<const double> all(values);
  const std::size_t at = best_place(all);
  if (at + kLeastAfter > values.size()) return std::nullopt;
  const Side before(all.first(at)), after(all.subspan(at));
  const auto level = level_between(before, after);
  const double changed_at = rows[dated[at]].started_at;
  if (!level || !confirmed(rows, residuals, changed_at, *level, after.middle > before.middle))
    return std::nullopt;
  std::erase_if(rows,
                [&](const RunObservation& row) { return row.started_at > 0 && row.started_at < changed_at; });
  return changed_at;
}

}  // namespace etad::regression
