#include "daemon/run_watch.h"

#include <cmath>
#include <cstdio>
#include <utility>

namespace etad {
namespace {

// "2.1", "1.03"
std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", value < 1.95 ? 2 : 1, value);
  return text;
}

// "45 s", "12 min", "3.5 h"
std::string length_of(double seconds) {
  if (seconds < 120) return std::to_string(std::llround(seconds)) + " s";
  if (seconds < 7200) return std::to_string(std::llround(seconds / 60)) + " min";
  return decimal(std::min(seconds / 3600, 1e9)) + " h";
}

std::string where(const Run& run) {
  if (!run.iteration) return "";
  std::string out = " at iteration " + std::to_string(*run.iteration);
  if (run.max_iterations) out += " of " + std::to_string(*run.max_iterations);
  return out;
}

std::string what(RunEventKind kind, const Run& run, const prediction::RunForecast& forecast) {
  switch (kind) {
    case RunEventKind::begun:
      return " is running" + where(run);
    case RunEventKind::stalled:
      return " may hang: silent for " + length_of(forecast.silence) + where(run);
    case RunEventKind::slow: {
      const auto& slow = forecast.anomaly;
      if (!slow) return " is slower than usual" + where(run);
      return " is " + decimal(slow->slowdown) + " times as slow as usual since iteration " +
             std::to_string(std::llround(slow->since_iteration)) + ":" + where(run) + ", " +
             length_of(slow->lost_seconds) + " lost so far";
    }
    case RunEventKind::recovered:
      return " goes on as usual" + where(run);
    case RunEventKind::finished:
    case RunEventKind::stopped:
    case RunEventKind::failed:
    case RunEventKind::lost:
      break;
  }
  return " " + std::string(name_of(run.state)) + where(run) + (run.message.empty() ? "" : ": " + run.message);
}

RunEventKind end_of(RunState state) {
  switch (state) {
    case RunState::failed:
      return RunEventKind::failed;
    case RunState::lost:
      return RunEventKind::lost;
    case RunState::stopped:
      return RunEventKind::stopped;
    case RunState::finished:
    case RunState::running:
      break;
  }
  return RunEventKind::finished;
}

}  // namespace

std::string_view name_of(RunEventKind kind) {
  switch (kind) {
    case RunEventKind::begun:
      return "begun";
    case RunEventKind::finished:
      return "finished";
    case RunEventKind::stopped:
      return "stopped";
    case RunEventKind::failed:
      return "failed";
    case RunEventKind::lost:
      return "lost";
    case RunEventKind::stalled:
      return "stalled";
    case RunEventKind::slow:
      return "slow";
    case RunEventKind::recovered:
      return "recovered";
  }
  return "";
}

bool is_trouble(RunEventKind kind) {
  return kind == RunEventKind::failed || kind == RunEventKind::lost || kind == RunEventKind::stalled ||
         kind == RunEventKind::slow || kind == RunEventKind::recovered;
}

RunWatch::RunWatch(Observer observer, std::function<Steady()> steady,
                   std::function<std::optional<Instant>(const std::string&)> modified)
    : observer_(std::move(observer)), steady_(std::move(steady)), modified_(std::move(modified)) {}

void RunWatch::tell(RunEventKind kind, const RunRow& row, const prediction::RunForecast& forecast) const {
  const std::string name = "run " + std::to_string(row.id) + (row.run.network.empty() ? "" : " of ");
  observer_({kind, row, forecast, name + row.run.network + what(kind, row.run, forecast)});
}

void RunWatch::running(const RunRow& row, const prediction::RunForecast& forecast, bool first) {
  if (row.source_kind == "import") return;
  if (begun_.size() >= kMostBegun) begun_.clear();
  if (first && begun_.insert(row.id).second) tell(RunEventKind::begun, row, forecast);
  Known& known = known_[row.id];
  // Lines that come in are the end of any silence, also where they bear old times.
  if (std::exchange(known.last_line, row.run.ended_at) != row.run.ended_at) known.stalled.since.reset();
  look(known.stalled, forecast.stalled, RunEventKind::stalled, row, forecast);
  look(known.slow, forecast.anomaly.has_value(), RunEventKind::slow, row, forecast);
}

void RunWatch::look(Trouble& trouble, bool is_there, RunEventKind kind, const RunRow& row,
                    const prediction::RunForecast& forecast) {
  const Steady now = steady_();
  if (!is_there) {
    trouble.since.reset();
    if (std::exchange(trouble.open, false)) tell(RunEventKind::recovered, row, forecast);
    return;
  }
  if (!trouble.since) trouble.since = now;
  if (trouble.open || now - *trouble.since < kConfirm) return;
  if (trouble.told && now - *trouble.told < kTellAgain) return;
  trouble.told = now;
  trouble.open = true;
  tell(kind, row, forecast);
}

void RunWatch::forget(std::int64_t id) {
  let_go(id);
  begun_.erase(id);
}

void RunWatch::over(const RunRow& row, bool seen, Instant now) {
  known_.erase(row.id);
  if (row.source_kind == "import") return;
  if (!seen) {
    const auto recent = [&](const std::optional<Instant>& at) { return at && now - *at < kNews; };
    if (!recent(row.run.ended_at) && !recent(modified_(row.source))) return;
  }
  if (ended_.size() >= kMostEnded) ended_.clear();
  const bool is_new = ended_.insert({row.source, row.run.ordinal, row.run.started_at, row.run.state}).second;
  if (is_new || seen) tell(end_of(row.run.state), row, {});
}

}  // namespace etad
