#include "fleet/export/place.h"

#include <algorithm>
#include <cmath>

namespace etad::fleet {
namespace {

// The last start with less than `value` before it; of what was there before all of them the first.
template <class Before>
const HistoryStart& start_of(const std::vector<HistoryStart>& starts, std::int64_t value, Before before) {
  const HistoryStart* found = &starts.front();
  for (const HistoryStart& start : starts)
    if (before(start) < value) found = &start;
  return *found;
}

}  // namespace

std::string host_of(const std::vector<HistoryStart>& starts) {
  if (starts.empty()) return {};
  return starts.back().machine.empty() ? "history-" + starts.front().token : starts.back().machine;
}

const std::string& token_at(const std::vector<HistoryStart>& starts, std::int64_t seq) {
  return start_of(starts, seq, [](const HistoryStart& start) { return start.after_seq; }).token;
}

bool goes_on_from(const Place& place, const std::vector<HistoryStart>& starts, std::int64_t newest) {
  const auto found = std::ranges::find(starts, place.start_token, &HistoryStart::token);
  if (found == starts.end()) return false;
  const auto next = std::next(found);
  return place.up_to <= (next == starts.end() ? newest : next->after_seq);
}

bool may_be_alive(double silent_seconds) {
  return std::abs(silent_seconds) < kTakeOverAfter;
}

bool run_is_own(const std::vector<HistoryStart>& starts, std::int64_t run_id) {
  return start_of(starts, run_id, [](const HistoryStart& start) { return start.after_run; }).machine ==
         starts.back().machine;
}

bool change_is_own(const std::vector<HistoryStart>& starts, std::int64_t seq) {
  return start_of(starts, seq, [](const HistoryStart& start) { return start.after_seq; }).machine ==
         starts.back().machine;
}

}  // namespace etad::fleet
