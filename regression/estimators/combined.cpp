#include "regression/estimators/combined.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace etad::estimators {
namespace {

constexpr int kRounds = 20;        // of adding one: weights are multiples of a twentieth
constexpr double kSame = 1e-6;     // of the mean relative error: rounding decides nothing
constexpr double kPrior = 4;       // answers that the richest is believed before any
constexpr double kNoAnswer = 1;    // counts as an error of 100 %
constexpr double kFarthest = 0.4;  // in the logarithm, from the median: a factor of 1.5

// What the estimators taken so far say of one case.
struct Taken {
  double sum = 0;
  int count = 0;

  Taken with(double error) const { return std::isfinite(error) ? Taken{sum + error, count + 1} : *this; }
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

// What an estimator has earned by few answers goes to the richest, which is the one that knows when it does not know.
void shrink(std::vector<double>& weights, const std::vector<double>& answers) {
  if (!(answers.back() > 0)) return;
  double kept = 0;
  for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
    weights[i] *= answers[i] / (answers[i] + kPrior);
    kept += weights[i];
  }
  weights.back() = 1 - kept;
}

}  // namespace

std::vector<double> weights_of(const std::vector<std::vector<double>>& errors) {
  std::vector<double> out(errors.size(), 0.0), answers;
  if (errors.empty()) return out;
  for (const auto& one : errors)
    answers.push_back(
        static_cast<double>(std::ranges::count_if(one, [](double error) { return std::isfinite(error); })));
  const auto cases = static_cast<double>(errors.front().size());
  std::vector<Taken> taken(errors.front().size());
  const auto error_with = [&](const std::vector<double>& one) {
    double sum = 0;
    for (std::size_t j = 0; j < taken.size(); ++j) sum += taken[j].with(one[j]).relative_error();
    return sum / cases;
  };
  for (int round = 0; round < kRounds; ++round) {
    std::size_t best = errors.size();
    double least = INFINITY;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      if (answers[i] == 0) continue;
      if (const double error = error_with(errors[i]); error < least - kSame) best = i, least = error;
    }
    if (best == errors.size()) return out;
    for (std::size_t j = 0; j < taken.size(); ++j) taken[j] = taken[j].with(errors[best][j]);
    out[best] += 1.0 / kRounds;
  }
  shrink(out, answers);
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

Estimator combined() {
  Estimator out;
  out.name = "combined";
  out.source = "Bates, Granger 1969; Caruana et al. 2004";
  out.needs = [](const History& history) -> std::optional<std::string> {
    if (!history.empty()) return std::nullopt;
    return "there are no runs yet";
  };
  out.fit = [](const History&, Target) -> std::unique_ptr<const Fitted> { return nullptr; };
  return out;
}

}  // namespace etad::estimators
