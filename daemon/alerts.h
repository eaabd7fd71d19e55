// The queue of alerts about runs in trouble. A thread of its own gives them to the operator's command, one at a time and
// of one user's runs at most so many an hour, so that nobody's trouble hides another's; those beyond are dropped and
// counted, and the next alert says how many.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/run_watch.h"
#include "daemon/service/turn_queue.h"
#include "parsers/base/error.h"
#include "threads/mutex.h"

namespace etad {

class Alerts {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  // Runs the command with that input; may take its time.
  using Command = std::function<Result<void>(const std::string& input)>;

  struct Counters {
    std::int64_t sent = 0, failed = 0, dropped = 0;
  };

  static constexpr std::size_t kMostWaiting = 64;  // of one user

  Alerts(Command command, std::int64_t per_hour, std::string host, std::function<Steady()> steady);
  ~Alerts();  // those that wait are dropped

  // Never blocks.
  void post(const RunEvent& event, Instant at) EXCLUDES(mutex_);

  Counters counters() const EXCLUDES(mutex_);
  // Returns when all that was posted has been dealt with. For tests.
  void drain() EXCLUDES(mutex_);

 private:
  struct Waiting {
    std::int64_t run = 0;
    std::string source;
    std::string json;
  };
  using Owner = std::optional<std::int64_t>;  // of the run; none: not known

  bool admitted(const Owner& owner, Steady now) REQUIRES(mutex_);
  bool send(const Waiting& next) const;
  void loop(const std::stop_token& stop) EXCLUDES(mutex_);

  const Command command_;
  const std::int64_t per_hour_;
  const std::string host_;
  const std::function<Steady()> steady_;

  mutable Mutex mutex_;
  Condition news_;
  // Each may take as long as the command's timeout: nobody's wait behind sixty of another's.
  service::TurnQueue<Owner, Waiting> waiting_ GUARDED_BY(mutex_);
  std::map<Owner, std::deque<Steady>> admitted_ GUARDED_BY(mutex_);  // of the last hour
  std::int64_t unsaid_ GUARDED_BY(mutex_) = 0;  // dropped since the last alert that said so
  bool busy_ GUARDED_BY(mutex_) = false;
  Counters counters_ GUARDED_BY(mutex_);
  std::jthread thread_;  // the last: it begins with all the others there
};

// The JSON that the command reads, one object: event, message, at, host, dropped, run (as GET /v1/runs/{id}
// has it).
std::string alert_json(const RunEvent& event, Instant at, const std::string& host, std::int64_t dropped);

}  // namespace etad
