// Gupta et al., "An online learning methodology for performance modeling of graphics processors", IEEE
// Transactions on Computers 67(12), 2018, in its smallest form: recursive least squares with forgetting, here on
// t = a + b B of one series. Runs come in the order of time; each one corrects the line by what it was off, and
// what lies long back weighs less, so that a machine that changes is followed.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "regression/estimators/grouped.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {
namespace {

constexpr double kForgetting = 0.97;  // weight of a run beside the one after it
constexpr double kUnsure = 1e6;       // variance of both coefficients before any run, relative to noise

// Relative errors count: a row and its value are divided by the value. Coefficients are in units of the first run's
// value, so that the same is known of seconds and of bytes before any run.
class LogLine final : public Fitted {
 public:
  explicit LogLine(Runs& runs) {
    std::ranges::stable_sort(runs, {}, &Datum::started_at);
    unit_ = runs.front()->value;
    for (const Datum* run : runs) take(run->what.samples, run->value);
  }

  Reply predict(const Case& what) const override {
    const double value = unit_ * coefficients_.dot(Eigen::Vector2d(1, what.samples));
    if (!(value > 0) || !std::isfinite(value)) return abstain("the line says nothing positive here");
    return {Estimate{std::log(value)}, {}};
  }

 private:
  void take(double samples, double value) {
    const Eigen::Vector2d x = Eigen::Vector2d(1, samples) * (unit_ / value);
    const Eigen::Vector2d spread = covariance_ * x;
    const Eigen::Vector2d gain = spread / (kForgetting + x.dot(spread));
    coefficients_ += gain * (1 - x.dot(coefficients_));
    covariance_ = (covariance_ - gain * spread.transpose()) / kForgetting;
  }

  Eigen::Vector2d coefficients_ = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance_ = kUnsure * Eigen::Matrix2d::Identity();
  double unit_ = 1;
};

}  // namespace

Estimator gupta() {
  return grouped({.name = "gupta",
                  .source = "Gupta et al., IEEE Trans. Computers 2018",
                  .group = [](const Case& what) { return key_of(what, kSeries); },
                  .enough = [](const Runs& runs) { return different(runs, kSamples) >= 2; },
                  .missing = "no network has runs at 2 different batch sizes",
                  .fit = [](Runs& runs) { return std::make_unique<LogLine>(runs); }});
}

}  // namespace etad::estimators
