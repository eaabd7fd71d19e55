#include "prediction/contradiction.h"

#include <algorithm>
#include <map>
#include <utility>

namespace etad::prediction {
namespace {

using regression::RunObservation;

struct Timed {
  double seconds = 0;  // an iteration
  std::int64_t run = 0;
};

using Group = std::vector<Timed>;  // runs alike in samples and settings, the fastest first

Contradiction::Side side_of(double samples, Group::const_iterator begin, Group::const_iterator end) {
  Contradiction::Side out;
  out.samples = samples;
  out.seconds = (begin + (end - begin) / 2)->seconds;
  for (auto each = begin; each != end && out.runs.size() < Contradiction::kMostRuns; ++each)
    out.runs.push_back(each->run);
  std::sort(out.runs.begin(), out.runs.end());
  return out;
}

// Where the group falls into two, if it does: at its widest gap.
std::optional<Group::const_iterator> split(const Group& group, double least) {
  auto widest = group.end();
  double ratio = least;
  for (auto each = group.begin(); each + 1 < group.end(); ++each) {
    if ((each + 1)->seconds < ratio * each->seconds) continue;
    ratio = (each + 1)->seconds / each->seconds;
    widest = each + 1;
  }
  if (widest == group.end()) return std::nullopt;
  const auto fewer = std::min(widest - group.begin(), group.end() - widest);
  if (4 * fewer < static_cast<std::ptrdiff_t>(group.size())) return std::nullopt;
  return widest;
}

}  // namespace

std::optional<Contradiction> contradiction_of(const ModelKey& key, const regression::Dataset& runs) {
  if (!key.device.empty()) return std::nullopt;
  const double least = key.host.empty() ? 2 : 4;
  std::map<regression::Covariates, std::map<double, Group>> groups;
  const auto first = std::ranges::min_element(runs, {}, &RunObservation::place);
  for (const RunObservation& run : runs)
    if (run.owner == first->owner)
      groups[run.covariates][run.samples].push_back({run.seconds / run.iterations, run.run});
  for (auto& [covariates, by_samples] : groups) {
    std::optional<Contradiction::Side> before;  // the next smaller batch
    for (auto& [samples, group] : by_samples) {
      std::sort(group.begin(), group.end(),
                [](const Timed& a, const Timed& b) { return a.seconds < b.seconds; });
      if (const auto at = split(group, least))
        return Contradiction{key, side_of(samples, group.begin(), *at), side_of(samples, *at, group.end()),
                             first->owner};
      auto side = side_of(samples, group.begin(), group.end());
      // A larger batch takes no less time, and hardly more for a sample.
      if (before && before->samples > 0) {
        if (before->seconds >= least * side.seconds) return Contradiction{key, side, *before, first->owner};
        if (side.seconds >= least * before->seconds * (samples / before->samples))
          return Contradiction{key, *before, side, first->owner};
      }
      before = std::move(side);
    }
  }
  return std::nullopt;
}

}  // namespace etad::prediction
