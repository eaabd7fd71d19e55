#include "prediction/what_if.h"

#include <algorithm>
#include <cmath>
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

}  // namespace etad::prediction
