#include "regression/mood.h"

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
constexpr double kNone = 0.5;  // probability beforehand that there is no mood
constexpr double kLoudest = 2;
constexpr double kNegligible = 0.01;   // weight of a setting that is not asked
constexpr double kRejected = 4.685;    // as the fit does: standard deviations from which a run is no evidence
constexpr double kBelieved = 2.5;      // of its distance from the model, what counts
constexpr double kMostLeverage = 0.8;  // of a run on its own fit: beyond, what is left says nothing
constexpr double kForgotten = 8;       // lifetimes after which a mood is gone

struct Interval {
  double from = 0, until = 0;
};

Interval interval_of(const MoodPoint& p) {
  return {p.from, p.until};
}

// The mean of e^(-x) over 0..length.
double mean_decay(double length) {
  return length > 1e-9 ? -std::expm1(-length) / length : 1;
}

// The correlation of the mood's means over two stretches of time: e^(-|u - v|/tau), averaged over both.
double correlation(const Interval& x, const Interval& y, double lasting) {
  const double gap = std::max(x.from - y.until, y.from - x.until) / lasting;
  if (gap >= 0) {
    return std::exp(-gap) * mean_decay((x.until - x.from) / lasting) *
           mean_decay((y.until - y.from) / lasting);
  }
  // Where they overlap, by the integral's four corners; they cancel in stretches much shorter than a mood,
  // over which it does not change.
  const double product = (x.until - x.from) * (y.until - y.from) / (lasting * lasting);
  if (product < 1e-8) return 1;
  const auto corner = [&](double d) { return std::exp(-std::abs(d) / lasting) + std::abs(d) / lasting; };
  return (corner(x.until - y.from) + corner(x.from - y.until) - corner(x.until - y.until) -
          corner(x.from - y.from)) /
         product;
}

using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, static_cast<int>(kMostMoodPoints),
                             static_cast<int>(kMostMoodPoints)>;
using Line = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, static_cast<int>(kMostMoodPoints), 1>;

// Between the points, for a mood of variance 1.
Square correlations(std::span<const MoodPoint> points, double lasting) {
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

// What the points vary by and with each other, where the mood makes `share` of a long run's variance.
Square covariance(std::span<const MoodPoint> points, const Square& between, double share) {
  Square out(between.rows(), between.cols());
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    const MoodPoint& x = points[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < i; ++j)
      out(i, j) = out(j, i) = share * x.scale * points[static_cast<std::size_t>(j)].scale * between(i, j);
    out(i, i) = x.variance + share * x.scale * x.scale * (between(i, i) - 1);
  }
  return out;
}

Line log_ratios(std::span<const MoodPoint> points) {
  Line out(static_cast<Eigen::Index>(points.size()));
  for (Eigen::Index i = 0; i < out.size(); ++i) out(i) = points[static_cast<std::size_t>(i)].log_ratio;
  return out;
}

double log_likelihood(const Eigen::LLT<Square>& cholesky, const Line& y) {
  return -0.5 * y.dot(cholesky.solve(y)) - cholesky.matrixLLT().diagonal().array().log().sum();
}

}  // namespace

Mood::Mood(std::vector<MoodPoint> points) : points_(std::move(points)) {
  std::erase_if(points_, [](const MoodPoint& p) {
    return !(p.until > p.from) || !(p.variance > 0) || !(p.scale > 0) || !std::isfinite(p.log_ratio);
  });
  std::ranges::stable_sort(points_, {}, &MoodPoint::until);
  if (points_.size() >= 3) weigh_settings();
}

// The noise of a model is known from few runs, and whatever moods there are move all runs of the machine:
// half of what sets it apart from the middle model's, in the logarithm, is believed. A noisy one has noise of
// its own.
double Mood::felt(double noise) const {
  return std::min(std::sqrt(noise * scale_), kLoudest * scale_);
}

void Mood::weigh_settings() {
  const std::size_t count = std::min(points_.size(), kMostMoodPoints);
  const auto newest = std::span<const MoodPoint>(points_).last(count);
  std::vector<double> noises;
  for (const MoodPoint& p : newest) noises.push_back(p.scale);
  scale_ = median(std::move(noises));
  for (MoodPoint& p : points_) {
    p.variance *= scale_ / p.scale;
    p.scale = felt(p.scale);
  }
  const Line y = log_ratios(newest);
  double none = 0;
  for (const MoodPoint& p : newest)
    none -= 0.5 * (p.log_ratio * p.log_ratio / p.variance + std::log(p.variance));
  double best = none;
  for (const double lasting : kLasting) {
    const Square between = correlations(newest, lasting);
    for (const double share : kShares) {
      const Eigen::LLT<Square> cholesky(covariance(newest, between, share));
      const double evidence = log_likelihood(cholesky, y);
      if (cholesky.info() != Eigen::Success || !std::isfinite(evidence)) continue;
      settings_.push_back({lasting, share, evidence});
      best = std::max(best, evidence);
    }
  }
  constexpr double kEach = (1 - kNone) / static_cast<double>(kLasting.size() * kShares.size());
  double total = kNone * std::exp(none - best);
  for (Setting& s : settings_) total += s.weight = kEach * std::exp(s.weight - best);
  for (Setting& s : settings_) s.weight /= total;
  std::erase_if(settings_, [](const Setting& s) { return s.weight < kNegligible; });
}

Mood::State Mood::at(double at, double seconds, double scale) const {
  State out;
  const auto over = std::ranges::upper_bound(points_, at, {}, &MoodPoint::until) - points_.begin();
  const auto past = std::span<const MoodPoint>(points_).first(static_cast<std::size_t>(over));
  const auto recent = past.last(std::min(past.size(), kMostRecent));
  if (settings_.empty() || recent.empty() || !(seconds > 0) || !(scale > 0) || !std::isfinite(at + seconds))
    return out;
  const Line y = log_ratios(recent);
  const Interval asked{at, at + seconds};
  for (const Setting& s : settings_) {
    if (at - recent.back().until > kForgotten * s.lasting) continue;
    const Eigen::LLT<Square> cholesky(covariance(recent, correlations(recent, s.lasting), s.share));
    Line with(y.size());
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      with(i) = s.share * recent[static_cast<std::size_t>(i)].scale * felt(scale) *
                correlation(asked, interval_of(recent[static_cast<std::size_t>(i)]), s.lasting);
    }
    const Line weights = cholesky.solve(with);
    const double moved = weights.dot(y), known = weights.dot(with);
    if (!std::isfinite(moved + known)) continue;
    out.log_ratio += s.weight * moved;
    out.explained += s.weight * known * scale * scale / (felt(scale) * felt(scale));
  }
  return out;
}

std::vector<MoodPoint> mood_points(const Dataset& data, const Model& model, std::size_t most) {
  std::vector<const RunObservation*> runs;
  for (const RunObservation& run : data) {
    if (run.started_at > 0 && run.seconds > 0 && run.started_at >= model.changed_at.value_or(0))
      runs.push_back(&run);
  }
  std::ranges::stable_sort(runs, std::ranges::greater{}, &RunObservation::started_at);
  if (runs.size() > most) runs.resize(most);
  std::vector<MoodPoint> out;
  for (const RunObservation* run : runs) {
    const auto expected = model.expect(run->iterations, run->samples, run->traits);
    if (!expected) continue;
    // The estimate has seen the run and leans towards it.
    const double leverage = expected->fitted / expected->run;
    if (!(leverage < kMostLeverage)) continue;
    MoodPoint point;
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
