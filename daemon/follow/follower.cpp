#include "daemon/follow/follower.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "daemon/follow/follower_impl.h"

namespace etad::follow {
namespace {

constexpr int kGrowths = 3;  // in as many looks: what is being copied grows too, but not for so long
// Names cost nothing to make: a hundred thousand empty ones hold nobody's lines up for longer than these take.
constexpr std::size_t kLook = 4096;  // bytes of the budget: what a look is counted as at least
constexpr std::size_t kGiven = 4;    // what was read of many files is given away at this part of a batch
constexpr std::int64_t kMicrosecond = 100;  // bytes of the budget that calls of the file system count as

}  // namespace

Followed& Follower::Impl::add(const std::string& path, std::size_t watch, bool literal, SteadyTime now) {
  const StreamId id = next_id++;
  const Watch& rule = discovery.watch(watch);
  Followed& followed = streams[id];
  followed.id = id;
  followed.tag = rule.tag;
  followed.path = path;
  followed.read_rotated = rule.read_rotated;
  followed.literal = literal;
  by_path[followed.path] = id;
  schedule.add(id, now);
  return followed;
}

void Follower::Impl::drop(StreamId id) {
  const auto found = streams.find(id);
  if (found == streams.end()) return;
  by_path.erase(found->second.path);
  by_target.erase({found->second.target, id});
  claim(found->second, std::nullopt);
  note_owner(found->second, std::nullopt);
  if (found->second.head) by_head.erase({*found->second.head, id});
  open.erase(id);
  schedule.remove(id);
  streams.erase(found);
}

void Follower::Impl::set_watches(std::vector<Watch> watches) {
  const auto first_journal = std::stable_partition(
      watches.begin(), watches.end(), [](const Watch& watch) { return !is_journal(watch.pattern); });
  journal_watches.assign(std::make_move_iterator(first_journal), std::make_move_iterator(watches.end()));
  watches.erase(first_journal, watches.end());
  discovery.set_watches(std::move(watches));
  std::vector<StreamId> unwatched;
  for (auto& [id, followed] : streams) {
    const auto watch = discovery.watch_of(followed.path);
    if (!watch) {
      unwatched.push_back(id);
      continue;
    }
    followed.set_tag(discovery.watch(*watch).tag);
  }
  for (const StreamId id : unwatched) drop(id);
  std::erase_if(journals, [this](const auto& entry) {
    const bool watched = std::any_of(journal_watches.begin(), journal_watches.end(), [&](const Watch& watch) {
      return watch.pattern == entry.second.path();
    });
    if (!watched) schedule.remove(entry.first);
    return !watched;
  });
  taking_up.reset();  // by the numbers that the watches had
  next_scan = SteadyTime{};
}

void Follower::Impl::add_journals(SteadyTime now) {
  for (const Watch& watch : journal_watches) {
    const auto known = std::find_if(journals.begin(), journals.end(),
                                    [&](const auto& entry) { return entry.second.path() == watch.pattern; });
    if (known != journals.end()) {
      known->second.set_tag(watch.tag);
      continue;
    }
    const StreamId id = next_id++;
    journals.try_emplace(id, id, watch.tag, watch.pattern, open_journal_by);
    schedule.add(id, now);
  }
}

void Follower::Impl::restore_all(std::vector<Position> positions, SteadyTime now) {
  add_journals(now);
  const std::vector<Dated> all = by_last_write(std::move(positions));
  for (const auto& [written, position] : all)
    if (!discovery.watch_of(position.path)) note_read(position);
  for (const auto& [written, position] : all) {
    for (auto& [id, journal] : journals)
      if (journal.path() == position.path && !journal.is_restored()) journal.restore(position);
    const auto watch = discovery.watch_of(position.path);
    if (!watch) continue;
    const bool literal = discovery.watch(*watch).pattern == position.path;
    Followed& followed = add(position.path, *watch, literal, now);
    const auto here = position.owner ? tl::unexpected(ENOENT) : files.status(position.path);
    note_owner(followed, here && here->type == FileType::regular ? here->owner : position.owner);
    take_up(followed, position);
  }
}

// Looks for new files. What lies under a known path is that stream's own affair. A slice of it: then lines are read again.
void Follower::Impl::scan(SteadyTime now) {
  if (!taking_up) {
    if (!discovery.is_under_way()) scan_hinted_amid = false;
    if (!list_names()) {
      next_scan = now;
      return;
    }
    begin_taking_up(now);
  }
  if (take_up_some(now))
    end_scan(now);
  else
    next_scan = now;
}

// As Schedule does for the streams: where the kernel tells of new names, the directories are listed more seldom, until
// one has come without being told of.
void Follower::Impl::set_next_scan(SteadyTime now, bool found_any) {
  scan_hinted = false;
  const auto& directories = discovery.directories();
  scan_hints_expected = std::all_of(directories.begin(), directories.end(),
                                    [this](const std::string& each) { return hinting.contains(each); });
  const auto longest = options.longest_rest(scan_hints_expected && !scan_hint_missed);
  last_scan = now;
  scan_interval = found_any ? options.active_interval : std::min(scan_interval * 2, longest);
  scan_interval = std::max(scan_interval, options.active_interval);
  next_scan = now + scan_interval;
  for (const auto& [owner, rest] : names_rest) next_scan = std::min(next_scan, std::max(now, rest.until));
  if (scan_hinted_amid) hurry_scan(now);
}

void Follower::Impl::forget_gone(SteadyTime now) {
  std::vector<StreamId> forgotten;
  for (const auto& [id, followed] : streams) {
    const auto since = followed.gone_since();
    if (since && !followed.literal && now - *since >= options.forget_after) forgotten.push_back(id);
  }
  for (const StreamId id : forgotten) drop(id);
}

void Follower::Impl::look(StreamId id, SteadyTime now, std::size_t& budget, std::vector<Batch>& out) {
  if (const auto journal = journals.find(id); journal != journals.end()) {
    const bool more = journal->second.look(options, budget, out);
    return more ? schedule.again(id, now) : schedule.moved(id, now);  // asking it costs next to nothing
  }
  Followed& followed = streams.at(id);
  if (followed.rests_still(files)) {
    budget -= std::min(budget, kLook);
    return schedule.rested(id, now, gives_hints(followed));
  }
  std::size_t slice = std::min(budget, options.batch_bytes);
  const std::size_t before = slice;
  contents.begin_turn(options.batch_bytes, around.wall);
  const auto spent = files.spent();
  around.most_lines = followed.lines_at_once(options);
  Stream& stream = followed.awake();
  const Stream::Outcome outcome = stream.look(around, now, slice, out);
  // What has to be asked again is not free, or it would be asked for ever.
  const std::size_t least = outcome == Stream::Outcome::backlog ? options.batch_bytes / 16 : kLook;
  const auto calls = std::chrono::floor<std::chrono::microseconds>(files.spent() - spent) * kMicrosecond;
  const auto cost = std::max(before - slice + contents.spent(), static_cast<std::size_t>(calls.count()));
  budget -= std::min(budget, std::max(cost, least));
  listed += contents.listed();
  if (contents.listed() >= kManyListed)
    schedule.rest_owner(id, now + static_cast<std::int64_t>(contents.listed()) * kOfEachName);
  switch (outcome) {
    case Stream::Outcome::backlog:
      schedule.again(id, now);
      break;
    case Stream::Outcome::moved:
      schedule.moved(id, now);
      break;
    case Stream::Outcome::idle:
      schedule.rested(id, now, gives_hints(followed));
      break;
  }
  if (const auto key = stream.key(); key != followed.key) {
    claim(followed, key);
    note_target(followed);
    next_scan = std::min(next_scan, now + options.active_interval);  // what it let go may be another's
  }
  note_head(followed);
  if (const auto owner = stream.owner()) note_owner(followed, owner);
  if (!stream.is_open()) {
    open.erase(id);
  } else if (const auto [entry, added] = open.try_emplace(id, now);
             !added && outcome != Stream::Outcome::idle) {
    entry->second = now;
  }
  const bool lacks = Stream::lacks_descriptors(stream.failure());
  if (lacks && open.size() > (stream.is_open() ? 1U : 0U)) {
    most_open = std::max<std::size_t>(open.size() / 2, 1);
    close_oldest(most_open - 1);
    schedule.now(id, now);
  }
  close_oldest(most_open);
}

void Follower::Impl::close(Followed& followed) {
  if (followed.is_open()) followed.awake().close_file();
  followed.rest();
}

// Those that have not moved for longest.
void Follower::Impl::close_oldest(std::size_t most_left) {
  while (open.size() > most_left) {
    const auto oldest = std::min_element(open.begin(), open.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
    close(streams.at(oldest->first));
    open.erase(oldest);
  }
}

void Follower::Impl::close_idle(SteadyTime now) {
  std::erase_if(open, [&](const auto& entry) {
    if (now - entry.second < options.close_after) return false;
    close(streams.at(entry.first));
    return true;
  });
}

Follower::Follower(FileSystem& files, HintSource* hints, std::vector<Watch> watches, Options options,
                   OpenJournal open_journal)
    : impl_(std::make_unique<Impl>(files, hints, options, std::move(open_journal))) {
  impl_->discovery.set_most_of_owner(options.most_of_owner);
  impl_->discovery.set_known(
      [impl = impl_.get()](const std::string& path) { return impl->by_path.contains(path); });
  impl_->set_watches(std::move(watches));
}

Follower::~Follower() = default;

void Follower::restore(std::vector<Position> positions, std::vector<std::string> finished, Recall recall,
                       Imports imports) {
  impl_->restored = std::move(positions);
  impl_->recall = std::move(recall);
  impl_->imports = std::move(imports);
  for (std::string& identity : finished) impl_->finished.add(std::move(identity));
}

void Follower::add_finished(std::vector<std::string> identities) {
  for (std::string& identity : identities) impl_->finished.add(std::move(identity));
}

void Follower::set_watches(std::vector<Watch> watches) {
  impl_->set_watches(std::move(watches));
}

std::vector<Batch> Follower::poll(SteadyTime now, Instant wall, std::size_t budget) {
  std::vector<Batch> out;
  poll(now, wall, budget, [&](std::vector<Batch> batches) {
    std::ranges::move(batches, std::back_inserter(out));
    return true;
  });
  return out;
}

void Follower::pace(StreamId stream, std::chrono::nanoseconds took, std::chrono::nanoseconds most) {
  const auto followed = impl_->streams.find(stream);
  if (followed != impl_->streams.end()) followed->second.pace(took, most, impl_->options);
}

void Follower::poll(SteadyTime now, Instant wall, std::size_t budget, const Take& take) {
  Impl& impl = *impl_;
  impl.around.wall = wall;
  impl.polled = now;
  impl.listed = 0;
  impl.restore_all(std::exchange(impl.restored, {}), now);
  if (now >= impl.next_scan) impl.scan(now);
  std::vector<Batch> out;
  budget = std::max<std::size_t>(budget, 1);
  for (std::size_t given = budget; budget > 0;) {
    const auto due = impl.schedule.due(now);
    if (!due) break;
    impl.look(*due, now, budget, out);
    const auto looked = impl.streams.find(*due);
    const bool may_be_dear =
        looked != impl.streams.end() && looked->second.lines_at_once(impl.options) < impl.options.most_lines;
    if (!may_be_dear && given - budget < impl.options.batch_bytes / kGiven) continue;
    given = budget;
    if (!out.empty() && !take(std::exchange(out, {}))) break;
  }
  impl.close_idle(now);
  if (!out.empty()) take(std::move(out));
}

std::size_t Follower::listed() const {
  return impl_->listed;
}

SteadyTime Follower::next_due(SteadyTime) const {
  const auto next = impl_->schedule.next();
  return next ? std::min(*next, impl_->next_scan) : impl_->next_scan;
}

void Follower::committed(const Batch& batch) {
  if (const auto journal = impl_->journals.find(batch.stream); journal != impl_->journals.end())
    return journal->second.committed(batch);
  const auto found = impl_->streams.find(batch.stream);
  if (found == impl_->streams.end()) return;
  found->second.awake().committed(batch);
  found->second.rest();
}

void Follower::rewind(StreamId stream) {
  if (const auto journal = impl_->journals.find(stream); journal != impl_->journals.end()) {
    journal->second.rewind();
    return impl_->schedule.now(stream, SteadyTime{});
  }
  const auto found = impl_->streams.find(stream);
  if (found == impl_->streams.end()) return;
  Stream& again = found->second.awake();
  const std::int64_t size = again.status().size;
  again.rewind(impl_->finished);
  if (!again.is_known()) {
    impl_->note_unkept(found->second, size);
    impl_->next_scan = SteadyTime{};
    return impl_->drop(stream);  // whose file it is is asked anew
  }
  impl_->claim(found->second, again.key());  // the file that it reads again
  impl_->note_head(found->second);
  impl_->open.erase(stream);
  impl_->schedule.now(stream, SteadyTime{});
}

std::vector<Status> Follower::statuses(bool of_those_at_rest) const {
  std::vector<Status> out;
  for (const auto& [id, followed] : impl_->streams)
    if (of_those_at_rest || !followed.is_at_rest()) out.push_back(followed.status());
  for (const auto& [id, journal] : impl_->journals) out.push_back(journal.status());
  return out;
}

bool Follower::is_watched(const std::string& path) const {
  const auto& journals = impl_->journal_watches;
  return impl_->discovery.watch_of(path) ||
         std::any_of(journals.begin(), journals.end(),
                     [&](const Watch& each) { return each.pattern == path; });
}

std::size_t Follower::size() const {
  return impl_->streams.size() + impl_->journals.size();
}

Lookup Follower::lookup() const {
  Lookup out = impl_->discovery.lookup();
  const bool is_amid = impl_->taking_up && impl_->passed_look;
  for (const auto& [path, passed] : is_amid ? impl_->passed_before : impl_->passed_over)
    if (passed.growths >= kGrowths)
      out.passed_over.push_back(
          {path, "grows and is not read: by its name it is a rotated file of " + passed.base, passed.owner});
  out.unasked = impl_->told_unasked;
  const auto tell = [&](const std::map<std::int64_t, std::size_t>& refused, const std::string& what) {
    for (const auto& [owner, many] : refused)
      out.refused.push_back("user " + std::to_string(owner) + ": " + std::to_string(many) + what +
                            (many == 1 ? "" : "s"));
  };
  tell(impl_->told_refused, " file");
  tell(impl_->discovery.refused(), " folder");
  return out;
}

std::vector<std::string> Follower::take_notices() {
  return std::exchange(impl_->notices, {});
}

}  // namespace etad::follow
