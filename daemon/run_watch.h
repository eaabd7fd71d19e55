// What becomes of followed runs, as it is told in the journal, counted for /metrics and given to the
// operator's command: begun, over, failed, lost, silent for too long, slower than their model allows.
//
// A hang or a slowdown is told once it has lasted for a moment: while an old log is caught up with, its runs
// look silent and slow in passing. What is long past when it is first seen is history, not news.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "prediction/live_runs.h"
#include "storage/history.h"

namespace etad {

enum class RunEventKind : std::uint8_t {
  begun,
  finished,
  stopped,
  failed,
  lost,
  stalled,    // silent for far longer than it ever was
  slow,       // slower than its model allows
  recovered,  // no longer stalled, or no longer slow
};

std::string_view name_of(RunEventKind kind);
// What somebody may have to do something about, or the end of that: this goes to the operator's command.
bool is_trouble(RunEventKind kind);

struct RunEvent {
  RunEventKind kind = RunEventKind::begun;
  const RunRow& row;
  const prediction::RunForecast& forecast;
  std::string message;  // a whole sentence, of the run with its id and network
};

// Belongs to one thread. Told of the runs by whoever looks at the history every few seconds.
class RunWatch {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  using Observer = std::function<void(const RunEvent&)>;

  static constexpr std::chrono::seconds kConfirm{10};    // a hang or slowdown must last so long to be told
  static constexpr std::chrono::minutes kTellAgain{30};  // and is told of one run at most so often
  static constexpr std::chrono::hours kNews{
      1};  // what ended longer than this before it was first seen is not told

  // `steady`: the monotonic clock. `modified`: when a file was last written to, nullopt where it is not
  // there.
  RunWatch(Observer observer, std::function<Steady()> steady,
           std::function<std::optional<Instant>(const std::string&)> modified);

  // A run that is under way, at each look; `first`: it was not seen before.
  void running(const RunRow& row, const prediction::RunForecast& forecast, bool first);
  // A run that no longer runs, once. `seen`: it was seen running.
  void over(const RunRow& row, bool seen, Instant now);
  // A run of which nothing more is told for now: so many others run. It may be `first` again.
  void let_go(std::int64_t id) { known_.erase(id); }
  // One that the history no longer has: another may bear its id.
  void forget(std::int64_t id);

 private:
  // One kind of trouble of one run.
  struct Trouble {
    std::optional<Steady> since;  // seen so long, with the same last line
    std::optional<Steady> told;   // when last told
    bool open = false;            // told, and not over
  };
  struct Known {
    Trouble stalled, slow;
    std::optional<Instant> last_line;
  };

  // A run's end, whatever its id.
  struct Ended {
    std::string source;
    std::int64_t ordinal = 0;
    std::optional<Instant> started_at;
    RunState state{};
    auto operator<=>(const Ended&) const = default;
  };
  static constexpr std::size_t kMostEnded = 4096, kMostBegun = 4096;

  void look(Trouble& trouble, bool is_there, RunEventKind kind, const RunRow& row,
            const prediction::RunForecast& forecast);
  void tell(RunEventKind kind, const RunRow& row, const prediction::RunForecast& forecast) const;

  Observer observer_;
  std::function<Steady()> steady_;
  std::function<std::optional<Instant>(const std::string&)> modified_;
  std::map<std::int64_t, Known> known_;  // of the running runs, by id
  std::set<std::int64_t> begun_;         // told, by id
  std::set<Ended> ended_;                // told; a source that is read again has the same runs by other ids
};

}  // namespace etad
