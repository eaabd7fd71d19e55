#include "regression/shared_effect.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr std::array kLasting{30.0, 120.0, 600.0, 3600.0, 21600.0, 86400.0};  // seconds
constexpr std::array kShares{0.5, 0.8, 0.95};
constexpr double kNone = 0.5;  // probability beforehand that there is no shared effect
constexpr double kLoudest = 2;
constexpr double kNegligible = 0.01;   // weight of a grid point that is left out
constexpr double kRejected = 4.685;    // as the fit does: standard deviations from which a run is no evidence
constexpr double kBelieved = 2.5;      // of its distance from the model, what counts
constexpr double kMostLeverage = 0.8;  // of a run on its own fit: beyond, what is left says nothing
constexpr double kForgotten = 8;       // lifetimes after which nothing of it is left

Interval interval_of(const SharedEffectPoint& p) {
  return {p.from, p.until};
}

// The mean of e^(-x) over 0..length.
double mean_decay(double length) {
  return length > 1e-9 ? -std::expm1(-length) / length : 1;
}

}  // namespace

double correlation(const Interval& x, const Interval& y, double lasting) {
  const double gap = std::max(x.from - y.until, y.from - x.until) / lasting;
  if (gap >= 0) {
    return std::exp(-gap) * mean_decay((x.until - x.from) / lasting) *
           mean_decay((y.until - y.from) / lasting);
  }
  // Where they overlap, by the integral's four corners; they cancel in intervals much shorter than tau, over
  // which the process does not change.
  const double product = (x.until - x.from) * (y.until - y.from) / (lasting * lasting);
  if (product < 1e-8) return 1;
  const auto corner = [&](double d) { return std::exp(-std::abs(d) / lasting) + std::abs(d) / lasting; };
  return (corner(x.until - y.from) + corner(x.from - y.until) - corner(x.until - y.until) -
          corner(x.from - y.from)) /
         product;
}

namespace {

using Square =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, static_cast<int>(kMostSharedEffectPoints),
                  static_cast<int>(kMostSharedEffectPoints)>;
using Line = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, static_cast<int>(kMostSharedEffectPoints), 1>;

// Between the points, for a process of variance 1.
Square correlations(std::span<const SharedEffectPoint> points, double lasting) {
  const auto n = static_cast<Eigen::Index>(points.size());
  Square out(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      out(i, j) = out(j, i) = correlation(interval_of(points[static_cast<std::size_t>(i)]),
                                          interval_of(points[static_cast<std::size_t>(j)]), lasting);
    }
  }
  return out;
}

// The points' covariance, where the process makes `share` of a long run's variance.
Square covariance(std::span<const SharedEffectPoint> points, const Square& between, double share) {
  Square out(between.rows(), between.cols());
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    const SharedEffectPoint& x = points[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < i; ++j)
      out(i, j) = out(j, i) = share * x.scale * points[static_cast<std::size_t>(j)].scale * between(i, j);
    out(i, i) = x.variance + share * x.scale * x.scale * (between(i, i) - 1);
  }
  return out;
}

Line log_ratios(std::span<const SharedEffectPoint> points) {
  Line out(static_cast<Eigen::Index>(points.size()));
  for (Eigen::Index i = 0; i < out.size(); ++i) out(i) = points[static_cast<std::size_t>(i)].log_ratio;
  return out;
}

double log_likelihood(const Eigen::LLT<Square>& cholesky, const Line& y) {
  return -0.5 * y.dot(cholesky.solve(y)) - cholesky.matrixLLT().diagonal().array().log().sum();
}

}  // namespace

SharedEffect::SharedEffect(std::vector<SharedEffectPoint> points) : points_(std::move(points)) {
  std::erase_if(points_, [](const SharedEffectPoint& p) {
    return !(p.until > p.from) || !(p.variance > 0) || !(p.scale > 0) || !std::isfinite(p.log_ratio);
  });
  std::ranges::stable_sort(points_, {}, &SharedEffectPoint::until);
  if (points_.size() >= 3) weigh_grid();
}

// How far the effect moves the runs of a model, as a standard deviation: the geometric mean of the model's
// own noise and that of the middle model. The effect moves all runs of the machine alike, so the middle
// model's would do; but a model's own noise, though known from few runs, says something of its own. Not more
// than kLoudest times the middle one: what is louder has noise that it does not share.
double SharedEffect::deviation_of(double noise) const {
  return std::min(std::sqrt(noise * scale_), kLoudest * scale_);
}

void SharedEffect::weigh_grid() {
  const std::size_t count = std::min(points_.size(), kMostSharedEffectPoints);
  const auto newest = std::span<const SharedEffectPoint>(points_).last(count);
  std::vector<double> noises;
  for (const SharedEffectPoint& p : newest) noises.push_back(p.scale);
  scale_ = median(std::move(noises));
  for (SharedEffectPoint& p : points_) {
    p.variance *= scale_ / p.scale;
    p.scale = deviation_of(p.scale);
  }
  const Line y = log_ratios(newest);
  double none = 0;
  for (const SharedEffectPoint& p : newest)
    none -= 0.5 * (p.log_ratio * p.log_ratio / p.variance + std::log(p.variance));
  double best = none;
  for (const double lasting : kLasting) {
    const Square between = correlations(newest, lasting);
    for (const double share : kShares) {
      const Eigen::LLT<Square> cholesky(covariance(newest, between, share));
      const double evidence = log_likelihood(cholesky, y);
      if (cholesky.info() != Eigen::Success || !std::isfinite(evidence)) continue;
      grid_.push_back({lasting, share, evidence});
      best = std::max(best, evidence);
    }
  }
  constexpr double kEach = (1 - kNone) / static_cast<double>(kLasting.size() * kShares.size());
  double total = kNone * std::exp(none - best);
  for (GridPoint& s : grid_) total += s.weight = kEach * std::exp(s.weight - best);
  for (GridPoint& s : grid_) s.weight /= total;
  std::erase_if(grid_, [](const GridPoint& s) { return s.weight < kNegligible; });
}

SharedEffect::State SharedEffect::at(double at, double seconds, double scale) const {
  State out;
  const auto over = std::ranges::upper_bound(points_, at, {}, &SharedEffectPoint::until) - points_.begin();
  const auto past = std::span<const SharedEffectPoint>(points_).first(static_cast<std::size_t>(over));
  const auto recent = past.last(std::min(past.size(), kMostRecent));
  if (grid_.empty() || recent.empty() || !(seconds > 0) || !(scale > 0) || !std::isfinite(at + seconds))
    return out;
  const Line y = log_ratios(recent);
  const Interval asked{at, at + seconds};
  for (const GridPoint& s : grid_) {
    if (at - recent.back().until > kForgotten * s.lasting) continue;
    const Eigen::LLT<Square> cholesky(covariance(recent, correlations(recent, s.lasting), s.share));
    Line with(y.size());
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      with(i) = s.share * recent[static_cast<std::size_t>(i)].scale * deviation_of(scale) *
                correlation(asked, interval_of(recent[static_cast<std::size_t>(i)]), s.lasting);
    }
    const Line weights = cholesky.solve(with);
    const double moved = weights.dot(y), known = weights.dot(with);
    if (!std::isfinite(moved + known)) continue;
    out.log_ratio += s.weight * moved;
    out.explained += s.weight * known * scale * scale / (deviation_of(scale) * deviation_of(scale));
  }
  return out;
}

std::vector<SharedEffectPoint> shared_effect_points(const Dataset& data, const Model& model,
                                                    std::size_t most) {
  std::vector<const RunObservation*> runs;
  for (const RunObservation& run : data) {
    if (run.started_at > 0 && run.seconds > 0 && run.started_at >= model.changed_at.value_or(0))
      runs.push_back(&run);
  }
  std::ranges::stable_sort(runs, std::ranges::greater{}, &RunObservation::started_at);
  if (runs.size() > most) runs.resize(most);
  std::vector<SharedEffectPoint> out;
  for (const RunObservation* run : runs) {
    const auto expected = model.expect(run->iterations, run->samples, run->covariates);
    if (!expected) continue;
    // The estimate has seen the run and leans towards it.
    const double leverage = expected->fitted / expected->run;
    if (!(leverage < kMostLeverage)) continue;
    SharedEffectPoint point;
    point.from = run->started_at;
    point.until = std::max(run->ended_at, run->started_at + run->seconds);
    point.variance = expected->run / (1 - leverage);
    point.log_ratio = std::log(run->seconds / expected->seconds) / (1 - leverage);
    point.scale = model.noise;
    const double deviation = std::sqrt(point.variance);
    if (!(std::abs(point.log_ratio) < kRejected * deviation)) continue;
    point.log_ratio = std::clamp(point.log_ratio, -kBelieved * deviation, kBelieved * deviation);
    out.push_back(point);
  }
  return out;
}

}  // namespace etad::regression
