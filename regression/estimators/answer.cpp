#include "regression/estimators/answer.h"

#include <algorithm>
#include <numeric>

#include "regression/estimators/combined.h"

namespace etad::estimators {

std::vector<std::size_t> ranking(const std::vector<Record>& records, Kind kind) {
  constexpr double kAll = 0.999;  // of the weight
  const auto performance = [&](std::size_t i) -> const Performance& { return records[i].in(kind); };
  const std::size_t together = records.size() - 1, richest = together - 1;
  // Without a record the richest is asked first: it is the one that knows when it does not know.
  const auto error = [&](std::size_t i) {
    const auto ratio = performance(i).error_ratio;
    if (performance(i).answered >= kFewestAnswers && ratio) return *ratio;
    return i == richest ? 1.0 : 1e3 - static_cast<double>(i);
  };
  std::vector<std::size_t> out(records.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::ranges::stable_sort(out, {}, error);
  if (performance(together).answered < kFewestAnswers) return out;
  auto first = std::ranges::find_if(out, [&](std::size_t i) { return performance(i).weight > kAll; });
  if (first == out.end()) first = std::ranges::find(out, together);
  std::rotate(out.begin(), first, first + 1);
  return out;
}

Reply reply_of(std::size_t i, const std::vector<Record>& records, Kind kind,
               const std::function<Reply(std::size_t)>& ask) {
  if (i + 1 != records.size()) return ask(i);
  std::vector<double> weights;
  for (const Record& record : records) weights.push_back(record.in(kind).weight);
  return combine(weights, ask);
}

std::optional<Answered> answer_of(std::size_t i, const std::vector<Record>& records, Gap gap,
                                  double confidence, const std::function<Reply(std::size_t)>& ask) {
  const auto said = reply_of(i, records, gap.kind, ask).estimate;
  if (!said) return std::nullopt;
  return Answered{*said, records[i].in(gap.kind).reach(said->deviation, confidence, gap.beyond)};
}

}  // namespace etad::estimators
