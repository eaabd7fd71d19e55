#include "daemon/alerts.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "daemon/alert_command.h"
#include "daemon/log.h"
#include "daemon/service/json_writer.h"
#include "daemon/service/views.h"
#include "daemon/without_throwing.h"

namespace etad {
namespace {

constexpr std::chrono::hours kHour{1};

// A log may fill its run with settings without end: then the settings stay out.
RunRow without_settings(RunRow row) {
  row.run.settings.clear();
  row.run.message.resize(std::min<std::size_t>(row.run.message.size(), 4096));
  return row;
}

std::string beginning(const RunEvent& event, const RunRow& row, Instant at, const std::string& host) {
  service::JsonWriter json;
  json.begin_object().field("event", name_of(event.kind)).field("message", event.message);
  json.field("at", at).field("host", host).field("source", row.source);
  json.key("run");
  service::write_run(json, row, event.forecast);
  return json.take();
}

std::string ended(std::string json, std::int64_t dropped) {
  return std::move(json) + ",\"dropped\":" + std::to_string(dropped) + "}\n";
}

}  // namespace

std::string alert_json(const RunEvent& event, Instant at, const std::string& host, std::int64_t dropped) {
  std::string out = ended(beginning(event, event.row, at, host), dropped);
  if (out.size() <= AlertCommand::kMostInput) return out;
  return ended(beginning(event, without_settings(event.row), at, host), dropped);
}

Alerts::Alerts(Command command, std::int64_t per_hour, std::string host, std::function<Steady()> steady)
    : command_(std::move(command)),
      per_hour_(per_hour),
      host_(std::move(host)),
      steady_(std::move(steady)),
      thread_([this](const std::stop_token& stop) { loop(stop); }) {}

Alerts::~Alerts() {
  thread_.request_stop();
  news_.notify_all();
}

// Whether one more of this owner's fits into the queue and the hour; then it counts.
bool Alerts::admitted(const Owner& owner, Steady now) {
  if (waiting_.waiting_of(owner) >= kMostWaiting) return false;
  for (auto each = admitted_.begin(); each != admitted_.end();) {
    std::erase_if(each->second, [now](Steady at) { return now - at >= kHour; });
    each = each->second.empty() ? admitted_.erase(each) : std::next(each);
  }
  std::deque<Steady>& theirs = admitted_[owner];
  if (static_cast<std::int64_t>(theirs.size()) >= per_hour_) return false;
  theirs.push_back(now);
  return true;
}

void Alerts::post(const RunEvent& event, Instant at) {
  const Lock lock(mutex_);
  if (!admitted(event.row.owner, steady_())) {
    ++counters_.dropped;
    if (unsaid_++ == 0)
      log::warning("more alerts of one user than [alerts] per_hour allows: the next are dropped",
                   {{"PART", "alerts"}});
    return;
  }
  waiting_.push(event.row.owner,
                {event.row.id, event.row.source, alert_json(event, at, host_, std::exchange(unsaid_, 0))});
  news_.notify_all();
}

Alerts::Counters Alerts::counters() const {
  const Lock lock(mutex_);
  return counters_;
}

void Alerts::drain() {
  Lock lock(mutex_);
  news_.wait(lock, [this]() REQUIRES(mutex_) { return waiting_.empty() && !busy_; });
}

bool Alerts::send(const Waiting& next) const {
  try {
    const auto done = without_throwing([&] { return command_(next.json); });
    if (!done)
      log::error(done.error(),
                 {{"PART", "alerts"}, {"RUN", std::to_string(next.run)}, {"SOURCE", next.source}});
    return done.has_value();
  } catch (const std::exception&) {  // there is no memory to tell it
    return false;
  }
}

void Alerts::loop(const std::stop_token& stop) {
  Lock lock(mutex_);
  while (news_.wait(lock, stop, [this]() REQUIRES(mutex_) { return !waiting_.empty(); }) &&
         !stop.stop_requested()) {
    const Waiting next = waiting_.pop();
    busy_ = true;
    lock.unlock();
    const bool sent = send(next);
    lock.lock();
    busy_ = false;
    ++(sent ? counters_.sent : counters_.failed);
    news_.notify_all();
  }
}

}  // namespace etad
