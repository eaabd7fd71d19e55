#include "regression/estimators/batch_curve.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "regression/estimators/solvers.h"

namespace etad::estimators {
namespace {

// Standard deviations in the logarithm, of a smooth departure from the form and of what a single batch size has on its own.
constexpr double kBend = 0.1, kOwnBend = 0.03;
constexpr double kStrangers = 0.03;     // series that all other networks count for
constexpr double kOtherSettings = 0.4;  // that a series with other settings counts for: as for effects
constexpr double kLeastWeight = 1e-12;  // weight that rounding leaves
constexpr int kPoolings = 3;            // of pooling; the weights hardly move after the third
constexpr double kDegrees = 4;          // of freedom: points that the noise assumed of a series counts for
constexpr double kSharp[] = {1, 2, 4};
// Logarithm of how much likelier the first is beforehand: noise looks like any form.
constexpr double kAdding = 4;
constexpr double kAlikeSeries = 0.15;  // correlation between what a network's series show of its sharpness

using Weights = BatchCurves::Weights;
using Sharpness = BatchCurves::Sharpness;

constexpr unsigned kWithSettings = kNetworkInPhase | kSettings;
const std::string kAnySettings = "any settings ";

std::array<std::string, 2> pools_of(const Case& what) {
  return {kAnySettings + key_of(what, kNetworkInPhase), "settings " + key_of(what, kWithSettings)};
}

Sharpness normalised(const Sharpness& log_weights) {
  const Sharpness out = (log_weights - log_weights.maxCoeff()).exp();
  return out / out.sum();
}

}  // namespace

BatchCurves::BatchCurves(const std::vector<ReplicateGroup>& groups) {
  lay_out(groups);
  std::map<std::string, std::vector<const ReplicateGroup*>> members;
  for (const ReplicateGroup& group : groups) members[key_of(*group.what, kSeries)].push_back(&group);
  for (const auto& [key, points] : members) series_.emplace(key, series_of(points));
  // Beforehand, of an iteration over the middle batch any share is as likely as any other to be what samples cost.
  const Weights share = (middle_ / (grid_ + middle_)).replicate<1, kSharpnesses>();
  const Weights beforehand = share * (1 - share) / (share * (1 - share)).sum();
  all_ = beforehand;
  // Each series is weighed from what the others of its pool have come to, which are weighed from all. One of a single
  // batch size follows them and tells them nothing.
  for (int round = 0; round < kPoolings; ++round) {
    weigh_sharpness();
    weigh_series(beforehand);
  }
}

// The grid, the networks' references, and the curves at all batches that will be asked for again and again.
void BatchCurves::lay_out(const std::vector<ReplicateGroup>& groups) {
  struct Mean {
    double sum = 0, count = 0;
    void add(double value) { sum += value, ++count; }
    double exp() const { return std::exp(sum / std::max(count, 1.0)); }
  };
  std::map<std::string, Mean> batches;  // of each network, in the logarithm
  Mean middle;
  double low = INFINITY, high = 0;
  for (const ReplicateGroup& group : groups) {
    const double b = group.what->samples_per_device();
    low = std::min(low, b);
    high = std::max(high, b);
    middle.add(std::log(b));
    batches[key_of(*group.what, kNetwork)].add(std::log(b));
  }
  if (groups.empty()) low = high = 1;
  middle_ = middle.exp();
  for (const auto& [network, mean] : batches) references_[network] = mean.exp();
  grid_ = Eigen::Array<double, kGrid, 1>::LinSpaced(std::log(low / 64), std::log(high * 8)).exp();
  // Of a long history's points most are at the same few sizes.
  for (const ReplicateGroup& group : groups) keep_curves(group.what->samples_per_device());
  for (const auto& [network, reference] : references_) keep_curves(reference);
}

// How likely each h and s makes these points of one series, and at which level.
BatchCurves::Series BatchCurves::series_of(const std::vector<const ReplicateGroup*>& points) const {
  const auto n = static_cast<Eigen::Index>(points.size());
  const auto samples_of = [](const ReplicateGroup* group) { return group->what->samples_per_device(); };
  Eigen::MatrixXd covariance = symmetric(points, [&](const ReplicateGroup* x, const ReplicateGroup* y) {
    return kBend * kBend * matern(std::log(samples_of(x) / samples_of(y)));
  });
  covariance.diagonal().array() += kOwnBend * kOwnBend;
  Eigen::MatrixXd errors(n, kGrid * kSharpnesses);
  for (Eigen::Index i = 0; i < n; ++i) {
    const ReplicateGroup* const group = points[static_cast<std::size_t>(i)];
    errors.row(i) = group->log_value - curves(samples_of(group)).reshaped().transpose();
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  const Eigen::MatrixXd weighed = factor.solve(errors);
  const Eigen::VectorXd ones = factor.solve(Eigen::VectorXd::Ones(n));
  Series series;
  series.pools = pools_of(*points.front()->what);
  series.level.reshaped() = (ones.transpose() * errors).transpose().array() / ones.sum();
  // Whatever its level, of which nothing is known beforehand (restricted likelihood: Patterson & Thompson 1971).
  Weights squares = -ones.sum() * series.level.square();
  squares.reshaped() += errors.cwiseProduct(weighed).colwise().sum().transpose().array();
  // Nor is it known how loud the series is: so Student's t takes the place of the normal distribution.
  const double power = (kDegrees + static_cast<double>(n) - 1) / 2;
  series.likelihood = ((1 + squares.minCoeff() / kDegrees) / (1 + squares / kDegrees)).pow(power);
  series.shows_curve = n > 1;
  return series;
}

// Of each network in a phase, from what all of its series show.
void BatchCurves::weigh_sharpness() {
  struct Evidence {
    Sharpness sum = Sharpness::Zero();
    double series = 0;
  };
  std::map<std::string, Evidence> evidence;
  for (const auto& [key, series] : series_) {
    Evidence& of_pool = evidence[series.pools.front()];
    const Weights before = prior(series);
    of_pool.sum += ((series.likelihood * before).colwise().sum() / before.colwise().sum()).log();
    if (series.shows_curve) ++of_pool.series;
  }
  // They err alike, so that many of them count for a few: Kish's design effect, as in intervals (performance.h).
  for (const auto& [pool, of_pool] : evidence) {
    Sharpness weighed = of_pool.sum / (1 + kAlikeSeries * std::max(of_pool.series - 1, 0.0));
    weighed[0] += kAdding;
    sharpness_[pool] = normalised(weighed).max(kLeastWeight);
  }
}

// Each series from its likelihood and the others, then the pools and all of them anew from these.
void BatchCurves::weigh_series(const Weights& beforehand) {
  Weights total = beforehand;
  std::map<std::string, Weights> pools;
  for (auto& [key, series] : series_) {
    series.weights = series.likelihood * prior(series);
    series.weights /= series.weights.sum();
    if (!series.shows_curve) continue;
    const auto add = [&pools](const std::string& to, const Weights& part) {
      pools.try_emplace(to, Weights::Zero()).first->second += part;
    };
    add(series.pools[0], kOtherSettings * series.weights);
    add(series.pools[1], (1 - kOtherSettings) * series.weights);
  }
  // A network's series are alike: many of them say no more of another network than one.
  for (const auto& [pool, weights] : pools)
    if (pool.starts_with(kAnySettings)) total += weights / weights.sum();
  all_ = total / total.sum();
  pools_ = std::move(pools);
}

// The sum of the others of its two pools, and of all networks as so much of a series, less what is its own part of that.
// Then each sharpness is as likely as the network's series say.
Weights BatchCurves::prior(const Series& series) const {
  Weights out = kStrangers * all_;
  for (const std::string& pool : series.pools)
    if (const auto found = pools_.find(pool); found != pools_.end()) out += found->second;
  if (series.shows_curve) out -= series.weights;
  out = out.max(kLeastWeight);
  if (const auto found = sharpness_.find(series.pools.front()); found != sharpness_.end())
    out.rowwise() *= found->second / out.colwise().sum();
  return out / out.sum();
}

void BatchCurves::keep_curves(double samples) {
  if (!curves_.contains(samples)) curves_.emplace(samples, curves(samples));
}

Weights BatchCurves::curves(double samples) const {
  if (const auto kept = curves_.find(samples); kept != curves_.end()) return kept->second;
  Weights out;
  for (int i = 0; i < kSharpnesses; ++i)
    out.col(i) = grid_.max(samples).log() +
                 (grid_.min(samples) / grid_.max(samples)).pow(kSharp[i]).log1p() / kSharp[i];
  return out;
}

double BatchCurves::reference(const Case& what) const {
  const auto found = references_.find(key_of(what, kNetwork));
  return found == references_.end() ? middle_ : found->second;
}

BatchCurves::Point BatchCurves::at(const Case& what) const {
  const Weights at_reference = curves(reference(what));
  const Weights form = curves(what.samples_per_device()) - at_reference;
  const auto found = series_.find(key_of(what, kSeries));
  const Weights weights = found == series_.end() ? prior({.pools = pools_of(what)}) : found->second.weights;
  Point out;
  out.mean = (weights * form).sum();
  // Where the series has runs its level is theirs, whatever h: only what they leave open is uncertain.
  Weights curve = form;
  if (found != series_.end()) curve += found->second.level + at_reference;
  const double centre = (weights * curve).sum();
  out.variance = (weights * (curve - centre).square()).sum();
  return out;
}

}  // namespace etad::estimators
