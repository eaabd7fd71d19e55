#include "regression/estimators/answer.h"

#include <algorithm>
#include <numeric>

#include "regression/estimators/combined.h"

namespace etad::estimators {

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

}  // namespace etad::estimators
