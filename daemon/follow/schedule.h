// When each stream is looked at next. Polling alone is relied on: a stream that moves is looked at often, one that rests
// ever more seldom, and a hint only brings the next look forward. Where hints are expected the looks may be farther apart,
// but not for a stream that has moved without one, until a hint for it comes. The files' owners take turns, however many
// files each has: without it, one user's twenty thousand files that keep changing would be looked at before each of
// another's. Whose look has taken long rests for it, and keeps nobody else waiting.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "daemon/follow/follower.h"

namespace etad::follow {

class Schedule {
 public:
  explicit Schedule(const Options& options) : options_(options) {}

  void add(StreamId stream, SteadyTime now);
  void remove(StreamId stream);
  void set_owner(StreamId stream, std::optional<std::int64_t> owner);

  // The stream that has been due for longest of the owner who has waited for longest, if any is due.
  std::optional<StreamId> due(SteadyTime now);
  std::optional<SteadyTime> next() const;

  // After a look.
  void again(StreamId stream, SteadyTime now);  // there is more to read: behind all that are due now
  void moved(StreamId stream, SteadyTime now);  // soon
  void rested(StreamId stream, SteadyTime now, bool hints_expected);  // twice as long as the last time

  void hint(StreamId stream, SteadyTime now);  // as soon as the least interval allows
  void now(StreamId stream, SteadyTime now);

  // Until then no file of this one's owner is looked at. Of one whose owner is not known: nothing.
  void rest_owner(StreamId stream, SteadyTime until);

 private:
  // Due times, and among equal ones who came first: nobody waits for ever behind a neighbour with much to
  // read.
  using Turn = std::pair<SteadyTime, std::uint64_t>;
  struct Entry {
    Turn turn;
    std::optional<std::int64_t> owner;
    SteadyTime looked;
    std::chrono::milliseconds interval{0};
    bool hinted = false;       // since the last look
    bool hint_missed = false;  // it has moved without one
  };
  using Uid = std::optional<std::int64_t>;
  struct Owner {
    std::map<Turn, StreamId> order;
    SteadyTime rests_until{};
    std::uint64_t looked = 0;  // when a file of theirs was last looked at, in `turns_`
  };
  struct Waiting {
    std::uint64_t looked;  // when a file of the owner's was last looked at
    Turn first;            // of the owner's files
    Uid owner;
    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  static Turn place_of(const Owner& owner);  // among those who come later
  template <class Change>
  void change(const Uid& uid, const Change& change);
  void move(Entry& entry, SteadyTime due, bool looked = false);
  void after_look(StreamId stream, SteadyTime now, std::chrono::milliseconds interval);

  const Options& options_;
  std::unordered_map<StreamId, Entry> entries_;
  std::map<Uid, Owner> owners_;
  // Each owner is in one of these: however many there are, finding whose turn it is costs little.
  std::set<std::pair<Turn, Uid>> later_;  // whose first file was not due when it was last asked
  std::set<Waiting> waiting_;
  std::uint64_t turns_ = 0;
};

}  // namespace etad::follow
