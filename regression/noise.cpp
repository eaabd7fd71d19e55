#include "regression/noise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "regression/interval.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr std::size_t kLeastStepTimes = 4;
constexpr double kPriorWeight = 1.25;  // noise of 1 to 15 % is usual: a standard deviation of 0.9 in the log
constexpr double kLeastNoise = 0.002;

}  // namespace

WithinRun within_run(const std::vector<Window>& windows) {
  WithinRun out;
  out.windows = static_cast<int>(windows.size());
  std::vector<double> step_times, sizes;
  for (const Window& w : windows) {
    const double step_time = w.seconds / w.iterations;
    if (!(w.iterations > 0) || !(step_time > 0) || !std::isfinite(step_time)) continue;
    step_times.push_back(std::log(step_time));
    sizes.push_back(w.iterations);
  }
  if (step_times.size() < kLeastStepTimes) return out;
  const double middle = median(step_times);
  for (double& p : step_times) p -= middle;
  out.iteration_noise = robust_scale(step_times) * std::sqrt(median(std::move(sizes)));
  return out;
}

double within_run_noise(const Dataset& data) {
  std::vector<double> found;
  for (const RunObservation& run : data)
    if (run.within.iteration_noise) found.push_back(*run.within.iteration_noise);
  return median(std::move(found));
}

Noise between_run_noise(const Dataset& rows, const std::vector<double>& residuals, int parameters,
                        double iteration) {
  std::vector<double> lengths;
  for (const RunObservation& row : rows) lengths.push_back(1 / row.iterations);
  const auto runs = static_cast<double>(rows.size());
  Noise noise;
  noise.degrees = std::max(0.0, runs - parameters);
  // Residuals about a fit are smaller than the errors by what the fit has taken up.
  const double lost = noise.degrees > 0 ? runs / noise.degrees : 1;
  const double scale = tau_scale(residuals) * std::sqrt(lost);
  // An iteration noise that claims more than the runs show is autocorrelated or a stall: it gives way.
  const double share = median(lengths);
  noise.iteration =
      share > 0 ? std::min(iteration, 0.7 * std::max(scale, kPriorNoise / 5) / std::sqrt(share)) : 0;
  const double left = scale * scale - noise.iteration * noise.iteration * share;
  const double measured = std::max(std::sqrt(std::max(0.0, left)), kPriorNoise / 10);
  const double d = noise.degrees;
  const double weight = d > 0 ? 2 * d * d / (d + 2) : 0;
  const double logarithm =
      (kPriorWeight * std::log(kPriorNoise) + weight * std::log(measured)) / (kPriorWeight + weight);
  noise.run = std::max(kLeastNoise, std::exp(logarithm));
  return noise;
}

}  // namespace etad::regression
