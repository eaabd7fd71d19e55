// Gupta et al., "An online learning methodology for performance modeling of graphics processors", IEEE
// Transactions on Computers 67(12), 2018, in its smallest form: recursive least squares with forgetting, here on
// t = a + b B of one series. Runs come in the order of time; each one corrects the line by what it was off, and
// what lies long back weighs less, so that a machine that changes is followed.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "regression/estimators/methods.h"

namespace etad::estimators {
namespace {

constexpr unsigned kSeries = kAllFacts & ~kSamples;
constexpr double kForgetting = 0.97;  // weight of a run beside the one after it
constexpr double kUnsure = 1e6;       // variance of both coefficients before any run, relative to noise

// Relative errors count: a row and its value are divided by the value. Coefficients are in units of the first run's
// value, so that the same is known of seconds and of bytes before any run.
class Line {
 public:
  void take(double samples, double value) {
    if (runs_ == 0) unit_ = value;
    const Eigen::Vector2d x = Eigen::Vector2d(1, samples) * (unit_ / value);
    const Eigen::Vector2d spread = covariance_ * x;
    const Eigen::Vector2d gain = spread / (kForgetting + x.dot(spread));
    const double off = 1 - x.dot(coefficients_);
    // The first two runs only find the line.
    if (runs_ >= 2) squares_ = kForgetting * squares_ + off * off, weight_ = kForgetting * weight_ + 1;
    coefficients_ += gain * off;
    covariance_ = (covariance_ - gain * spread.transpose()) / kForgetting;
    ++runs_;
  }

  double at(double samples) const { return unit_ * coefficients_.dot(Eigen::Vector2d(1, samples)); }
  // Of the logarithm: what the last runs were off.
  double deviation() const {
    constexpr double kPrior = 0.1, kWorth = 2;
    return std::sqrt((squares_ + kWorth * kPrior * kPrior) / (weight_ + kWorth));
  }

 private:
  Eigen::Vector2d coefficients_ = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance_ = kUnsure * Eigen::Matrix2d::Identity();
  double unit_ = 1, squares_ = 0, weight_ = 0;
  int runs_ = 0;
};

using Runs = std::vector<const Datum*>;

std::map<std::string, Runs> series_of(const History& history) {
  std::map<std::string, Runs> out;
  for (const Datum& run : history)
    if (run.value > 0 && std::isfinite(run.value) && run.what.samples > 0)
      out[key_of(run.what, kSeries)].push_back(&run);
  std::erase_if(out, [](auto& each) {
    const double first = each.second.front()->what.samples;
    return std::ranges::all_of(each.second, [&](const Datum* run) { return run->what.samples == first; });
  });
  for (auto& [key, runs] : out) std::ranges::stable_sort(runs, {}, &Datum::started_at);
  return out;
}

class FittedGupta final : public Fitted {
 public:
  explicit FittedGupta(const History& history) {
    for (const auto& [key, runs] : series_of(history)) {
      Series& series = series_[key];
      for (const Datum* run : runs) series.line.take(run->what.samples, run->value);
      series.rests_on = estimators::rests_on(runs);
    }
  }

  Reply predict(const Case& what) const override {
    const auto found = series_.find(key_of(what, kSeries));
    if (found == series_.end()) return abstain("too few runs of " + what.network + " like this one");
    const double value = found->second.line.at(what.samples);
    if (!(value > 0) || !std::isfinite(value)) return abstain("the line says nothing positive here");
    return {Estimate{std::log(value), found->second.line.deviation(), found->second.rests_on}, {}};
  }

 private:
  struct Series {
    Line line;
    RestsOn rests_on;
  };
  std::map<std::string, Series> series_;
};

}  // namespace

Estimator gupta() {
  return {"gupta", "Gupta et al., IEEE Trans. Computers 2018",
          [](const History& history) -> std::optional<std::string> {
            if (!series_of(history).empty()) return std::nullopt;
            return "no network has runs at 2 different batch sizes";
          },
          [](const History& history, Target) -> std::unique_ptr<const Fitted> {
            return std::make_unique<FittedGupta>(history);
          }};
}

}  // namespace etad::estimators
