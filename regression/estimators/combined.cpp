#include "regression/estimators/combined.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace etad::estimators {
namespace {

constexpr int kBeforehand = 2;      // times that the reference is taken at first
constexpr int kMostAdditions = 20;  // of adding one, at most
constexpr double kSame = 1e-6;      // of the mean relative error: rounding decides nothing
constexpr double kPrior = 4;        // answers that the reference is believed before any
constexpr double kNoAnswer = 1;     // counts as an error of 100 %
constexpr double kFarthest = 0.4;   // in the logarithm, from the median: a factor of 1.5

// What the estimators taken so far say of one case.
struct Taken {
  double sum = 0;
  int count = 0;

  Taken with(double error, int times = 1) const {
    return std::isfinite(error) ? Taken{sum + times * error, count + times} : *this;
  }
  double relative_error() const { return count > 0 ? std::abs(std::exp(sum / count) - 1) : kNoAnswer; }
};

struct Said {
  Estimate estimate;
  double weight = 0;
};

double weighted_median(const std::vector<Said>& ascending, double all) {
  double below = 0;
  for (const Said& said : ascending) {
    below += said.weight;
    if (below >= all / 2) return said.estimate.log_mean;
  }
  return ascending.back().estimate.log_mean;
}

int answers_in(const std::vector<double>& errors) {
  return static_cast<int>(std::ranges::count_if(errors, [](double error) { return std::isfinite(error); }));
}

}  // namespace

std::size_t most_answers(const std::vector<std::vector<double>>& errors) {
  const auto most = std::ranges::max_element(errors.rbegin(), errors.rend(), {}, answers_in);
  return static_cast<std::size_t>(errors.rend() - most) - 1;
}

std::vector<double> weights_of(const std::vector<std::vector<double>>& errors) {
  std::vector<double> out(errors.size(), 0.0);
  if (errors.empty()) return out;
  const std::size_t reference = most_answers(errors);
  if (answers_in(errors[reference]) == 0) return out;
  std::vector<Taken> taken(errors.front().size());
  const auto take = [&](std::size_t i, int times) {
    for (std::size_t j = 0; j < taken.size(); ++j) taken[j] = taken[j].with(errors[i][j], times);
    out[i] += times;
  };
  const auto error_with = [&](const std::vector<double>& one) {
    double sum = 0;
    for (std::size_t j = 0; j < taken.size(); ++j) sum += taken[j].with(one[j]).relative_error();
    return sum / static_cast<double>(taken.size());
  };
  take(reference, kBeforehand);
  double least = error_with(errors[reference]);
  for (int round = 0; round < kMostAdditions; ++round) {
    std::size_t best = errors.size();
    for (std::size_t i = 0; i < errors.size(); ++i)
      if (const double error = error_with(errors[i]); error < least - kSame) best = i, least = error;
    if (best == errors.size()) break;  // nobody makes it better
    take(best, 1);
  }
  const double all = std::accumulate(out.begin(), out.end(), 0.0);
  double kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double answers = answers_in(errors[i]);
    out[i] *= i == reference ? 0 : answers / (answers + kPrior) / all;
    kept += out[i];
  }
  out[reference] = 1 - kept;
  return out;
}

Reply combine(std::span<const double> weights, const std::function<Reply(std::size_t)>& ask) {
  std::vector<Said> all;
  Reply out = abstain("no estimator has a record in such questions");
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    Reply reply = ask(i);
    if (reply.estimate) {
      all.push_back({*reply.estimate, weights[i]});
      sum += weights[i];
    } else {
      out.why = std::move(reply.why);
    }
  }
  if (all.empty()) return out;
  std::ranges::sort(all, {}, [](const Said& said) { return said.estimate.log_mean; });
  const double median = weighted_median(all, sum);
  Estimate& mean = out.estimate.emplace();
  mean.rests_on = std::ranges::max_element(all, {}, &Said::weight)->estimate.rests_on;
  for (const auto& [estimate, weight] : all)
    mean.log_mean += weight / sum * std::clamp(estimate.log_mean, median - kFarthest, median + kFarthest);
  double variance = 0;
  for (const auto& [estimate, weight] : all)
    variance +=
        weight / sum * (std::pow(estimate.deviation, 2) + std::pow(estimate.log_mean - mean.log_mean, 2));
  mean.deviation = std::sqrt(variance);
  return out;
}

std::vector<std::size_t> ranking(const Performances& of_kind) {
  constexpr double kAll = 0.999;  // of the weight
  const std::size_t together = of_kind.size() - 1, richest = together - 1;
  // Without a record the richest is asked first: it is the one that knows when it does not know.
  const auto error = [&](std::size_t i) {
    if (of_kind[i].answered >= kFewestAnswers && of_kind[i].error_ratio) return *of_kind[i].error_ratio;
    return i == richest ? 1.0 : 1e3 - static_cast<double>(i);
  };
  std::vector<std::size_t> out(of_kind.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::ranges::stable_sort(out, {}, error);
  if (of_kind[together].answered < kFewestAnswers) return out;
  auto first = std::ranges::find_if(out, [&](std::size_t i) { return of_kind[i].weight > kAll; });
  if (first == out.end()) first = std::ranges::find(out, together);
  std::rotate(out.begin(), first, first + 1);
  return out;
}

Reply reply_of(std::size_t i, const Performances& of_kind, const std::function<Reply(std::size_t)>& ask) {
  if (i + 1 != of_kind.size()) return ask(i);
  std::vector<double> weights;
  for (const Performance& each : of_kind) weights.push_back(each.weight);
  return combine(weights, ask);
}

std::optional<Answered> answer_of(std::size_t i, const Performances& of_kind, double beyond,
                                  double confidence, const std::function<Reply(std::size_t)>& ask) {
  const auto said = reply_of(i, of_kind, ask).estimate;
  if (!said) return std::nullopt;
  return Answered{*said, of_kind[i].half_width(said->deviation, confidence, beyond)};
}

Estimator combined() {
  return {"combined", "Bates, Granger 1969; Caruana et al. 2004",
          [](const History& history, Target, const Fitted*) {
            return FitOutcome{nullptr, history.empty() ? "there are no runs yet" : ""};
          }};
}

}  // namespace etad::estimators
