#include "daemon/follow/schedule.h"

#include <algorithm>

namespace etad::follow {

void Schedule::add(StreamId stream, SteadyTime now) {
  const auto [entry, added] = entries_.try_emplace(stream);
  if (!added) return;
  entry->second = {{now, ++turns_}, now - options_.hint_interval, options_.active_interval};
  order_.emplace(entry->second.turn, stream);
}

void Schedule::remove(StreamId stream) {
  const auto found = entries_.find(stream);
  if (found == entries_.end()) return;
  order_.erase(found->second.turn);
  entries_.erase(found);
}

std::optional<StreamId> Schedule::due(SteadyTime now) const {
  if (order_.empty() || order_.begin()->first.first > now) return std::nullopt;
  return order_.begin()->second;
}

std::optional<SteadyTime> Schedule::next() const {
  return order_.empty() ? std::nullopt : std::optional(order_.begin()->first.first);
}

void Schedule::move(StreamId stream, Entry& entry, SteadyTime due) {
  order_.erase(entry.turn);
  entry.turn = {due, ++turns_};
  order_.emplace(entry.turn, stream);
}

void Schedule::after_look(StreamId stream, SteadyTime now, std::chrono::milliseconds interval) {
  Entry& entry = entries_.at(stream);
  entry.looked = now;
  entry.interval = std::clamp(interval, options_.active_interval, options_.idle_interval);
  // Ten thousand streams found at once should not be looked at all at once for ever.
  const auto spread = entry.interval * (stream % 64) / 256;
  move(stream, entry, now + entry.interval - spread);
}

void Schedule::again(StreamId stream, SteadyTime now) {
  Entry& entry = entries_.at(stream);
  entry.looked = now;
  entry.interval = options_.active_interval;
  move(stream, entry, now);
}

void Schedule::moved(StreamId stream, SteadyTime now) {
  after_look(stream, now, options_.active_interval);
}

void Schedule::rested(StreamId stream, SteadyTime now) {
  after_look(stream, now, entries_.at(stream).interval * 2);
}

void Schedule::hint(StreamId stream, SteadyTime now) {
  Entry& entry = entries_.at(stream);
  const SteadyTime at = std::max(now, entry.looked + options_.hint_interval);
  if (at < entry.turn.first) move(stream, entry, at);
}

void Schedule::now(StreamId stream, SteadyTime now) {
  Entry& entry = entries_.at(stream);
  if (now < entry.turn.first) move(stream, entry, now);
}

}  // namespace etad::follow
