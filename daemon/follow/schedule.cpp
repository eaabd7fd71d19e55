#include "daemon/follow/schedule.h"

#include <algorithm>

namespace etad::follow {
namespace {

using std::chrono::milliseconds;

// The next whole beat of a second, a fifth of one or a millisecond. Each round of looks wakes a thread, and hundreds of
// streams that are due in the same second should wake it once. A beat is a thirtieth of the pause at most.
SteadyTime at_next_beat(SteadyTime due, milliseconds interval) {
  const milliseconds beat = interval >= milliseconds(30'000)  ? milliseconds(1000)
                            : interval >= milliseconds(6'000) ? milliseconds(200)
                                                              : milliseconds(1);
  return SteadyTime(std::chrono::ceil<milliseconds>(due.time_since_epoch() + beat - milliseconds(1)) / beat *
                    beat);
}

}  // namespace

void Schedule::add(StreamId stream, SteadyTime now) {
  const auto added = entries_.try_emplace(stream);
  if (!added.second) return;
  Entry& entry = added.first->second;
  entry = {{now, ++turns_}, std::nullopt, now - options_.hint_interval, options_.active_interval};
  change(std::nullopt, [&](Owner& owner) { owner.order.emplace(entry.turn, stream); });
}

void Schedule::remove(StreamId stream) {
  const auto found = entries_.find(stream);
  if (found == entries_.end()) return;
  change(found->second.owner, [&](Owner& owner) { owner.order.erase(found->second.turn); });
  entries_.erase(found);
}

void Schedule::set_owner(StreamId stream, std::optional<std::int64_t> owner) {
  const auto found = entries_.find(stream);
  if (found == entries_.end() || found->second.owner == owner) return;
  Entry& entry = found->second;
  decltype(Owner::order)::node_type place;
  change(entry.owner, [&](Owner& before) { place = before.order.extract(entry.turn); });
  entry.owner = owner;
  change(owner, [&](Owner& after) { after.order.insert(std::move(place)); });
}

Schedule::Turn Schedule::place_of(const Owner& owner) {
  const Turn& first = owner.order.begin()->first;
  return {std::max(first.first, owner.rests_until), first.second};
}

// An owner's files or looks change, and with them the owner's place among all.
template <class Change>
void Schedule::change(const Uid& uid, const Change& change) {
  Owner& owner = owners_[uid];
  if (!owner.order.empty()) {
    if (later_.erase({place_of(owner), uid}) == 0)
      waiting_.erase({owner.looked, owner.order.begin()->first, uid});
  }
  change(owner);
  if (owner.order.empty()) {
    owners_.erase(uid);
  } else {
    later_.emplace(place_of(owner), uid);
  }
}

std::optional<StreamId> Schedule::due(SteadyTime now) {
  while (!later_.empty() && later_.begin()->first.first <= now) {
    const Uid uid = later_.begin()->second;
    later_.erase(later_.begin());
    const Owner& owner = owners_.at(uid);
    waiting_.insert({owner.looked, owner.order.begin()->first, uid});
  }
  if (waiting_.empty()) return std::nullopt;
  return owners_.at(waiting_.begin()->owner).order.begin()->second;
}

// Of owners whose files are due, one will do.
std::optional<SteadyTime> Schedule::next() const {
  if (!waiting_.empty()) return waiting_.begin()->first.first;
  return later_.empty() ? std::nullopt : std::optional(later_.begin()->first.first);
}

void Schedule::move(Entry& entry, SteadyTime due, bool looked) {
  change(entry.owner, [&](Owner& owner) {
    auto place = owner.order.extract(entry.turn);
    place.key() = entry.turn = {due, ++turns_};
    owner.order.insert(std::move(place));
    if (looked) owner.looked = turns_;
  });
}

void Schedule::after_look(StreamId stream, SteadyTime now, milliseconds interval) {
  Entry& entry = entries_.at(stream);
  entry.looked = now;
  entry.interval = interval;
  entry.hinted = false;
  // Ten thousand streams found at once should not be looked at all at once for ever.
  const auto spread = entry.interval * (stream % 64) / 256;
  move(entry, at_next_beat(now + entry.interval - spread, interval), true);
}

void Schedule::again(StreamId stream, SteadyTime now) {
  Entry& entry = entries_.at(stream);
  entry.looked = now;
  entry.interval = options_.active_interval;
  move(entry, now, true);
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
  if (at < entry.turn.first) move(entry, at);
}

void Schedule::now(StreamId stream, SteadyTime now) {
  Entry& entry = entries_.at(stream);
  if (now < entry.turn.first) move(entry, now);
}

void Schedule::rest_owner(StreamId stream, SteadyTime until) {
  const Uid owner = entries_.at(stream).owner;
  if (owner) change(owner, [&](Owner& each) { each.rests_until = std::max(each.rests_until, until); });
}

}  // namespace etad::follow
