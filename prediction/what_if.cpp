#include "prediction/what_if.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "parsers/base/number.h"

namespace etad::prediction {
namespace {

using Values = std::vector<std::string>;

constexpr std::int64_t kMostSamples = 1'000'000'000;
constexpr std::int64_t kMostDevices = 1'000'000;

// The batch sizes that runs have had, as far as an answer shows them.
regression::Range sizes_seen(const Question& question, const Ask& ask) {
  Question open = question;
  open.batch_size = open.tokens = std::nullopt;
  const auto answer = ask(open);
  if (!answer) return answer.error().batch_sizes;
  const EstimatePart& main = answer->parts.front();
  if (main.model != nullptr) return main.model->model.samples;
  return {};
}

Values usual_sizes(const Question& question, const Ask& ask) {
  regression::Range seen = sizes_seen(question, ask);
  if (!(seen.min >= 1)) seen = {1, 64};  // nothing is known of any: a range that most networks are used in
  std::set<std::int64_t> sizes = {std::llround(seen.min), std::llround(seen.max)};
  for (std::int64_t size = 1; static_cast<double>(size) <= 2 * seen.max && size <= kMostSamples; size *= 2)
    if (2 * static_cast<double>(size) >= seen.min) sizes.insert(size);
  Values out;
  for (const std::int64_t size : sizes) out.push_back(std::to_string(size));
  return out;
}

// Where several devices fit the question it is refused, with their names.
Values usual_devices(const Question& question, const Ask& ask) {
  Question open = question;
  open.device = std::nullopt;
  const auto answer = ask(open);
  if (answer) {
    const EstimatePart& main = answer->parts.front();
    return main.model != nullptr ? Values{main.model->key.device} : Values{};
  }
  for (const Refusal::Difference& each : answer.error().differences)
    if (each.parameter == "device") return each.values;
  return {};
}

Values usual(const Question& question, Vary vary, const Ask& ask) {
  if (vary == Vary::devices) return {"1", "2", "4", "8"};
  return vary == Vary::device ? usual_devices(question, ask) : usual_sizes(question, ask);
}

double throughput(const Estimate& estimate) {
  const EstimatePart& main = estimate.parts.front();
  if (!main.batch_size || !(estimate.sum.seconds > 0)) return 0;
  return *main.batch_size * static_cast<double>(estimate.question.iterations) / estimate.sum.seconds;
}

// The farthest that one of the rows had to reach.
estimators::Distance farthest_of(const std::vector<WhatIf::Row>& rows) {
  estimators::Distance out;
  for (const WhatIf::Row& row : rows)
    if (const auto& said = row.estimate.parts.front().said) out = std::max(out, {said->kind, said->beyond});
  return out;
}

// Of a network whose runs' logs told no batch size: the model takes any for what ran.
const ModelKey* without_sizes(const std::vector<WhatIf::Row>& rows) {
  for (const WhatIf::Row& row : rows) {
    const auto& model = row.estimate.parts.front().model;
    if (model != nullptr && !(model->model.samples.max > 0)) return &model->key;
  }
  return nullptr;
}

void judge(WhatIf& out, Vary vary) {
  const auto possible = [](const WhatIf::Row& row) { return row.fits.value_or(true); };
  if (std::ranges::none_of(out.rows, possible)) return;
  const bool rates =
      std::ranges::all_of(out.rows, [](const WhatIf::Row& row) { return row.samples_per_second > 0; });
  const auto goodness = [&](const WhatIf::Row& row) {
    return std::pair(possible(row), rates ? row.samples_per_second : -row.estimate.sum.seconds);
  };
  const auto best = std::ranges::max_element(out.rows, {}, goodness);
  out.best = static_cast<std::size_t>(best - out.rows.begin());
  if (vary != Vary::batch_size || !rates || out.rows.size() < 2) return;
  out.knee_within = farthest_of(out.rows).kind == estimators::Kind::seen ? kNear : kNear / 2;
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    if (!possible(out.rows[i]) ||
        out.rows[i].samples_per_second < (1 - out.knee_within) * best->samples_per_second)
      continue;
    if (!out.knee || *out.rows[i].question.batch_size < *out.rows[*out.knee].question.batch_size)
      out.knee = i;
  }
}

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

std::optional<Question> with(const Question& question, Vary vary, const std::string& value) {
  Question out = question;
  if (vary == Vary::device) {
    out.device = value;
    return out;
  }
  const bool is_size = vary == Vary::batch_size;
  const auto number = parse_number<std::int64_t>(value, 1, is_size ? kMostSamples : kMostDevices);
  (is_size ? out.batch_size : out.devices) = number;
  return number ? std::optional(out) : std::nullopt;
}

Answer<WhatIf> what_if(const Question& question, Vary vary, const std::vector<std::string>& values,
                       const Ask& ask, const Fits& fits) {
  WhatIf out;
  const auto add = [&](const Question& asked) -> Answer<void> {
    auto answer = ask(asked);
    if (!answer) return refuse(std::move(answer.error()));
    const double rate = throughput(*answer);
    out.rows.push_back({asked, std::move(*answer), rate, std::nullopt});
    return {};
  };
  for (const std::string& value : values.empty() ? usual(question, vary, ask) : values) {
    const auto asked = with(question, vary, value);
    if (!asked) continue;
    if (auto added = add(*asked); !added) {
      // The others would be answered for a size each of its own, which compares nothing.
      if (added.error().kind == Refusal::Kind::batch_size_missing) return refuse(std::move(added.error()));
      out.unanswered.push_back({value, std::move(added.error())});
    }
  }
  if (out.rows.empty()) {
    if (!out.unanswered.empty()) return refuse(std::move(out.unanswered.front().why));
    // No value to try: what the question itself lacks says why.
    if (auto added = add(question); !added) return refuse(std::move(added.error()));
  }
  if (vary == Vary::batch_size)
    if (const ModelKey* const key = without_sizes(out.rows))
      return refuse({.kind = Refusal::Kind::batch_sizes_unknown, .network = key->network});
  if (fits)
    for (WhatIf::Row& row : out.rows) row.fits = fits(row.estimate);
  judge(out, vary);
  return out;
}

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
