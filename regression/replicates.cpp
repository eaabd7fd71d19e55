#include "regression/replicates.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "regression/model.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr double kPooledDegrees = 3;  // what the pooled noise weighs against a group's own spread
constexpr double kDoubt = 0.02;       // weight of a run that the basis rejects and no other confirms

struct Group {
  std::vector<double> residuals, weights, variances;
};

// Where runs repeat, Tukey's biweight about their median, which the noise foreseen scales: nearly their mean
// where they differ as it says, and without those that it does not explain.
double biweight_centre(const Group& group) {
  constexpr double kTukey = 4.685;
  constexpr int kSteps = 4;
  double middle = median(group.residuals);
  for (int step = 0; step < kSteps; ++step) {
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < group.residuals.size(); ++i) {
      const double u = (group.residuals[i] - middle) / kTukey;
      const double inside = std::max(0.0, 1 - u * u / group.variances[i]);
      const double w = inside * inside / group.variances[i];
      sum += w * group.residuals[i];
      total += w;
    }
    if (!(total > 0)) break;
    middle = sum / total;
  }
  return middle;
}

double centre(const Group& group) {
  if (group.residuals.size() >= 3) return biweight_centre(group);
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < group.residuals.size(); ++i) {
    const double w = group.weights[i] + kDoubt;
    sum += w * group.residuals[i];
    total += w;
  }
  return total > 0 ? sum / total : 0;
}

double variance_of_centre(const Group& group, double middle) {
  const auto count = static_cast<double>(group.residuals.size());
  double pooled = 0, own = 0;
  for (std::size_t i = 0; i < group.residuals.size(); ++i) {
    pooled += group.variances[i] / count;
    own += (group.residuals[i] - middle) * (group.residuals[i] - middle);
  }
  if (count < 2) return pooled / std::max(kDoubt, group.weights.front());
  return (kPooledDegrees * pooled + own) / (kPooledDegrees + count - 1) / count;
}

}  // namespace

ReplicateGroups replicate_groups(const Observations& rows, const std::vector<double>& residuals,
                                 const std::vector<double>& weights, const Noise& noise) {
  ReplicateGroups groups;
  const std::vector<double> sizes = batch_sizes(rows);
  const std::size_t count = std::min(sizes.size(), kMaxCurve);
  std::vector<Group> gathered(count);
  std::vector<double> logarithms(count, 0), members(count, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto rank = static_cast<std::size_t>(std::ranges::lower_bound(sizes, rows[i].b) - sizes.begin());
    const std::size_t c = rank * count / sizes.size();
    groups.of.push_back(static_cast<int>(c));
    logarithms[c] += std::log(rows[i].b);
    members[c] += 1;
    if (rows[i].weight <= 0) continue;
    gathered[c].residuals.push_back(residuals[i]);
    gathered[c].weights.push_back(weights[i]);
    gathered[c].variances.push_back(noise.variance(rows[i].n));
  }
  groups.residuals.resize(static_cast<Eigen::Index>(count));
  groups.noise.resize(static_cast<Eigen::Index>(count));
  for (std::size_t c = 0; c < count; ++c) {
    const auto index = static_cast<Eigen::Index>(c);
    const bool one_size = sizes.size() == count;
    groups.samples.push_back(one_size ? sizes[c] : std::exp(logarithms[c] / members[c]));
    const bool empty = gathered[c].residuals.empty();
    groups.residuals(index) = empty ? 0 : centre(gathered[c]);
    groups.noise(index) = empty ? 1 : variance_of_centre(gathered[c], groups.residuals(index));
  }
  return groups;
}

}  // namespace etad::regression
