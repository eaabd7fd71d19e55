#include "daemon/follow/schedule.h"

#include <algorithm>

namespace etad::follow {
namespace {

using std::chrono::milliseconds;

// What rests is looked at in company: each round of looks wakes a thread, and hundreds of streams that are
// due in the same second should wake it once. Of the pause it is a thirtieth at most.
SteadyTime in_company(SteadyTime due, milliseconds interval) {
  const milliseconds beat = interval >= milliseconds(30'000)  ? milliseconds(1000)
                            : interval >= milliseconds(6'000) ? milliseconds(200)
                                                              : milliseconds(1);
  return SteadyTime(std::chrono::ceil<milliseconds>(due.time_since_epoch() + beat - milliseconds(1)) / beat *
                    beat);
}

}  // namespace

void Schedule::add(StreamId stream, SteadyTime now) {
  const auto [entry, added] = entries_.try_emplace(stream);
  if (!added) return;
  entry->second = {{now, ++turns_}, std::nullopt, now - options_.hint_interval, options_.active_interval};
  owners_[std::nullopt].order.emplace(entry->second.turn, stream);
}

void Schedule::remove(StreamId stream) {
  const auto found = entries_.find(stream);
  if (found == entries_.end()) return;
  leave(found->second);
  entries_.erase(found);
}

void Schedule::set_owner(StreamId stream, std::optional<std::int64_t> owner) {
  const auto found = entries_.find(stream);
  if (found == entries_.end() || found->second.owner == owner) return;
  Entry& entry = found->second;
  leave(entry);
  entry.owner = owner;
  owners_[owner].order.emplace(entry.turn, stream);
}

void Schedule::leave(const Entry& entry) {
  const auto owner = owners_.find(entry.owner);
  owner->second.order.erase(entry.turn);
  if (owner->second.order.empty()) owners_.erase(owner);
}

std::optional<StreamId> Schedule::due(SteadyTime now) const {
  std::optional<std::pair<std::uint64_t, Turn>> first;
  std::optional<StreamId> out;
  for (const auto& [uid, owner] : owners_) {
    const auto& [turn, stream] = *owner.order.begin();
    const std::pair waited(owner.looked, turn);
    if (turn.first > now || (first && *first < waited)) continue;
    first = waited;
    out = stream;
  }
  return out;
}

std::optional<SteadyTime> Schedule::next() const {
  std::optional<SteadyTime> out;
  for (const auto& [uid, owner] : owners_) {
    const SteadyTime due = owner.order.begin()->first.first;
    out = out ? std::min(*out, due) : due;
  }
  return out;
}

void Schedule::move(StreamId stream, Entry& entry, SteadyTime due) {
  auto& order = owners_.at(entry.owner).order;
  order.erase(entry.turn);
  entry.turn = {due, ++turns_};
  order.emplace(entry.turn, stream);
}

void Schedule::after_look(StreamId stream, SteadyTime now, milliseconds interval) {
  Entry& entry = entries_.at(stream);
  entry.looked = now;
  entry.interval = interval;
  entry.hinted = false;
  // Ten thousand streams found at once should not be looked at all at once for ever.
  const auto spread = entry.interval * (stream % 64) / 256;
  move(stream, entry, in_company(now + entry.interval - spread, interval));
  owners_.at(entry.owner).looked = turns_;
}

void Schedule::again(StreamId stream, SteadyTime now) {
  Entry& entry = entries_.at(stream);
  entry.looked = now;
  entry.interval = options_.active_interval;
  move(stream, entry, now);
  owners_.at(entry.owner).looked = turns_;
}

void Schedule::moved(StreamId stream, SteadyTime now) {
  Entry& entry = entries_.at(stream);
  entry.hint_missed = entry.hint_missed || (!entry.hinted && entry.interval > options_.active_interval);
  after_look(stream, now, options_.active_interval);
}

void Schedule::rested(StreamId stream, SteadyTime now, bool hints_expected) {
  const Entry& entry = entries_.at(stream);
  const auto longest = options_.longest_rest(hints_expected && !entry.hint_missed);
  after_look(stream, now, std::clamp(entry.interval * 2, options_.active_interval, longest));
}

void Schedule::hint(StreamId stream, SteadyTime now) {
  Entry& entry = entries_.at(stream);
  entry.hinted = true;
  entry.hint_missed = false;
  const SteadyTime at = std::max(now, entry.looked + options_.hint_interval);
  if (at < entry.turn.first) move(stream, entry, at);
}

void Schedule::now(StreamId stream, SteadyTime now) {
  Entry& entry = entries_.at(stream);
  if (now < entry.turn.first) move(stream, entry, now);
}

}  // namespace etad::follow
