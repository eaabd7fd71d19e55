#include "prediction/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace etad::prediction {
namespace {

// What a device takes for its share: fixed + each * samples, in seconds.
struct DeviceLine {
  double fixed = 0;  // >= 0
  double each = 0;   // > 0
};

// Samples of each device, 0 of one that is too slow to begin with, so that all are ready at once: Luk, Hong, Kim, "Qilin:
// exploiting parallelism on heterogeneous multiprocessors with adaptive mapping", MICRO 2009, in closed form. It fills T as
// water fills vessels: device i takes (T - fixed_i)+ / each_i, and together they take the batch.
std::vector<double> shares_of(const std::vector<DeviceLine>& devices, double batch) {
  std::vector<std::size_t> order(devices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return devices[i].fixed; });
  // With the first devices alone the time is (batch + sum fixed/each) / sum 1/each; the next one takes part only where
  // it would be ready to begin by then.
  double rate = 0, owed = batch;
  for (const std::size_t i : order) {
    const DeviceLine& device = devices[i];
    if (rate > 0 && device.fixed >= owed / rate) break;
    rate += 1 / device.each;
    owed += device.fixed / device.each;
  }
  std::vector<double> out;
  for (const DeviceLine& device : devices)
    out.push_back(std::max(0.0, owed / rate - device.fixed) / device.each);
  return out;
}

double per_iteration(const Estimate& estimate) {
  return estimate.sum.seconds / static_cast<double>(estimate.question.iterations);
}

Question on(const Question& question, const std::string& device, std::int64_t samples) {
  Question out = question;
  out.device = device;
  out.batch_size = samples;
  return out;
}

// Whole samples that sum up to `batch`: what rounding down leaves goes to those that lost most by it.
std::vector<std::int64_t> whole(const std::vector<double>& samples, std::int64_t batch) {
  std::vector<std::int64_t> out;
  for (const double each : samples) out.push_back(static_cast<std::int64_t>(std::floor(each + 1e-9)));
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return samples[i] - static_cast<double>(out[i]); });
  std::int64_t left = batch - std::accumulate(out.begin(), out.end(), std::int64_t{0});
  for (std::size_t i = 0; i < order.size() && left > 0; ++i, --left) ++out[order[i]];
  return out;
}

}  // namespace

Answer<Split> split(const Question& question, const std::vector<std::string>& devices, const Ask& ask) {
  if (!question.batch_size || *question.batch_size < 2)
    return refuse({.kind = Refusal::Kind::batch_size_missing, .parameter = "batch_size"});
  const std::int64_t batch = *question.batch_size, half = batch / 2;
  std::vector<DeviceLine> lines;
  for (const std::string& device : devices) {
    const auto all = ask(on(question, device, batch));
    if (!all) return refuse(all.error());
    const auto some = ask(on(question, device, half));
    if (!some) return refuse(some.error());
    const double most = per_iteration(*all), least = per_iteration(*some);
    // A device that takes no longer for more samples has a slope all the same, if a small one.
    const double each = std::max((most - least) / static_cast<double>(batch - half),
                                 1e-3 * most / static_cast<double>(batch));
    lines.push_back({std::max(0.0, most - each * static_cast<double>(batch)), each});
  }
  const auto samples = whole(shares_of(lines, static_cast<double>(batch)), batch);
  Split out;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Split::Share& share = out.shares.emplace_back();
    share.device = devices[i];
    share.samples = samples[i];
    if (samples[i] == 0) continue;
    auto answer = ask(on(question, devices[i], samples[i]));
    if (!answer) return refuse(std::move(answer.error()));
    out.seconds = std::max(out.seconds, per_iteration(*answer));
    share.estimate = std::move(*answer);
  }
  return out;
}

}  // namespace etad::prediction
