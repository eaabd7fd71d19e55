#include "daemon/follow/follower.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <system_error>
#include <unordered_map>

#include "daemon/follow/discovery.h"
#include "daemon/follow/filesystem.h"
#include "daemon/follow/finished.h"
#include "daemon/follow/rotation.h"
#include "daemon/follow/schedule.h"
#include "daemon/follow/stream.h"

namespace etad::follow {

struct Follower::Impl {
  Impl(FileSystem& filesystem, HintSource* hint_source, std::vector<Watch> watches, Options opts)
      : files(filesystem),
        hints(hint_source),
        options(opts),
        schedule(options),
        around{files, options, finished,
               [this](const FileKey& key, StreamId self) { return is_taken(key, self); }} {
    discovery.set_watches(std::move(watches));
  }

  bool is_taken(const FileKey& key, StreamId self) const;
  Stream& add(const std::string& path, std::size_t watch, bool literal, SteadyTime now);
  void drop(StreamId id);
  void scan(SteadyTime now);
  bool admit(const Discovery::Found& found, const std::set<std::string_view>& all, SteadyTime now);
  void adopt_if_finished(Stream& stream, const FileStatus& status);
  void forget_gone(SteadyTime now);
  void watch_directories();
  void look(StreamId id, SteadyTime now, std::size_t& budget, std::vector<Batch>& out);
  void close_idle(SteadyTime now);
  void wake(const std::string& path, SteadyTime now);
  void notice(const std::string& text);

  FileSystem& files;
  HintSource* hints;
  Options options;
  Discovery discovery;
  FinishedFiles finished;
  Schedule schedule;
  Stream::Surroundings around;

  struct Followed {
    std::unique_ptr<Stream> stream;
    bool literal = false;
    std::optional<FileKey> key;  // as in `by_key`
  };
  std::map<StreamId, Followed> streams;
  std::unordered_map<std::string, StreamId> by_path;
  std::unordered_map<std::string, StreamId> by_target;  // where a link leads
  std::map<FileKey, StreamId> by_key;
  std::map<StreamId, SteadyTime> open;  // when each open file last moved
  StreamId next_id = 1;

  SteadyTime next_scan{};
  SteadyTime last_scan{};
  std::chrono::milliseconds scan_interval{0};
  std::vector<Position> restored;  // until the first poll
  std::vector<std::string> notices;
  std::set<std::string> noticed;
};

bool Follower::Impl::is_taken(const FileKey& key, StreamId self) const {
  const auto owner = by_key.find(key);
  return owner != by_key.end() && owner->second != self;
}

void Follower::Impl::notice(const std::string& text) {
  if (noticed.insert(text).second) notices.push_back(text);
}

Stream& Follower::Impl::add(const std::string& path, std::size_t watch, bool literal, SteadyTime now) {
  const StreamId id = next_id++;
  const Watch& rule = discovery.watch(watch);
  Followed& followed = streams[id];
  followed.stream = std::make_unique<Stream>(id, rule.tag, path, rule.read_rotated);
  followed.literal = literal;
  by_path[path] = id;
  schedule.add(id, now);
  return *followed.stream;
}

void Follower::Impl::drop(StreamId id) {
  const auto found = streams.find(id);
  if (found == streams.end()) return;
  by_path.erase(found->second.stream->path());
  std::erase_if(by_target, [id](const auto& entry) { return entry.second == id; });
  if (found->second.key) by_key.erase(*found->second.key);
  open.erase(id);
  schedule.remove(id);
  streams.erase(found);
}

// Looks for new files. What lies under a known path is that stream's own affair.
void Follower::Impl::scan(SteadyTime now) {
  const std::vector<Discovery::Found> found = discovery.scan(files);
  for (const auto& [directory, error] : discovery.unreadable())
    notice(directory + ": " + std::generic_category().message(error));
  std::vector<const Discovery::Found*> unknown;
  for (const Discovery::Found& file : found)
    if (!by_path.contains(file.path)) unknown.push_back(&file);
  bool any_new = false;
  if (!unknown.empty()) {
    std::set<std::string_view> all;
    for (const Discovery::Found& file : found) all.insert(file.path);
    for (const Discovery::Found* file : unknown) any_new |= admit(*file, all, now);
  }
  forget_gone(now);
  watch_directories();
  last_scan = now;
  scan_interval = any_new ? options.active_interval : std::min(scan_interval * 2, options.idle_interval);
  scan_interval = std::max(scan_interval, options.active_interval);
  next_scan = now + scan_interval;
}

// False: nothing new. A rotated file belongs to the stream it was rotated away from, and a file that another
// stream is reading, or that lies there under two names, to that one.
bool Follower::Impl::admit(const Discovery::Found& found, const std::set<std::string_view>& all,
                           SteadyTime now) {
  if (by_path.contains(found.path)) return false;
  const SplitPath place = split_path(found.path);
  if (const auto rotated = rotated_name(place.name); rotated && !found.literal) {
    const std::string base = found.path.substr(0, found.path.size() - place.name.size()) + rotated->base;
    if (by_path.contains(base) || all.contains(base)) return false;
  }
  const auto status = files.status(found.path);
  if (!status && !found.literal && (status.error() == ENOENT || status.error() == ENOTDIR)) return false;
  if (status && status->type == FileType::regular) {
    if (const auto owner = by_key.find(key_of(*status)); owner != by_key.end()) {
      schedule.hint(owner->second, now);  // perhaps it has lost the file, and only does not know it yet
      return false;
    }
  }
  Stream& stream = add(found.path, found.watch, found.literal, now);
  if (!status || status->type != FileType::regular) return true;
  by_key[key_of(*status)] = stream.id();
  streams[stream.id()].key = key_of(*status);
  if (const auto target = files.resolve(found.path); target && *target != found.path)
    by_target[*target] = stream.id();
  adopt_if_finished(stream, *status);
  return true;
}

void Follower::Impl::adopt_if_finished(Stream& stream, const FileStatus& status) {
  if (finished.empty() || status.size == 0) return;
  const auto content = open_content(files, stream.path());
  if (!content) return;
  const auto identity = finished_identity(**content);
  if (!finished.contains(identity)) return;
  if (const auto trace = trace_of_finished(identity)) stream.adopt(status, *trace);
}

void Follower::Impl::forget_gone(SteadyTime now) {
  std::vector<StreamId> forgotten;
  for (const auto& [id, followed] : streams) {
    const auto since = followed.stream->gone_since();
    if (since && !followed.literal && now - *since >= options.forget_after) forgotten.push_back(id);
  }
  for (const StreamId id : forgotten) drop(id);
}

void Follower::Impl::watch_directories() {
  if (hints == nullptr) return;
  std::set<std::string> directories = discovery.directories();
  for (const auto& [target, id] : by_target) directories.insert(split_path(target).directory);
  for (const std::string& directory : directories) {
    const auto done = hints->watch(directory);
    if (done || done.error() == ENOENT || done.error() == ENOTDIR || done.error() == ENOTSUP) continue;
    notice("no hints from the kernel, polling instead: " + std::generic_category().message(done.error()) +
           (done.error() == ENOSPC ? " (raise fs.inotify.max_user_watches)" : ""));
    if (done.error() == ENOSPC) break;  // nor for the others
  }
}

void Follower::Impl::look(StreamId id, SteadyTime now, std::size_t& budget, std::vector<Batch>& out) {
  Followed& followed = streams.at(id);
  std::size_t slice = std::min(budget, options.batch_bytes);
  const std::size_t before = slice;
  const Stream::Outcome outcome = followed.stream->look(around, now, slice, out);
  budget -= before - slice;
  switch (outcome) {
    case Stream::Outcome::backlog:
      schedule.again(id, now);
      break;
    case Stream::Outcome::moved:
      schedule.moved(id, now);
      break;
    case Stream::Outcome::idle:
      schedule.rested(id, now);
      break;
  }
  if (const auto key = followed.stream->key(); key != followed.key) {
    if (followed.key) by_key.erase(*followed.key);
    if (key) by_key[*key] = id;
    followed.key = key;
    next_scan = std::min(next_scan, now + options.active_interval);  // what it let go may be another's
  }
  if (!followed.stream->is_open()) {
    open.erase(id);
  } else if (const auto [entry, added] = open.try_emplace(id, now);
             !added && outcome != Stream::Outcome::idle) {
    entry->second = now;
  }
  if (open.size() > options.max_open) {
    const auto oldest = std::min_element(open.begin(), open.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
    streams.at(oldest->first).stream->close_file();
    open.erase(oldest);
  }
}

void Follower::Impl::close_idle(SteadyTime now) {
  std::erase_if(open, [&](const auto& entry) {
    if (now - entry.second < options.close_after) return false;
    streams.at(entry.first).stream->close_file();
    return true;
  });
}

// Something happened at `path`.
void Follower::Impl::wake(const std::string& path, SteadyTime now) {
  if (const auto known = by_path.find(path); known != by_path.end()) return schedule.hint(known->second, now);
  if (const auto target = by_target.find(path); target != by_target.end()) schedule.hint(target->second, now);
  const SplitPath place = split_path(path);
  if (const auto rotated = rotated_name(place.name)) {
    const std::string base = path.substr(0, path.size() - place.name.size()) + rotated->base;
    if (const auto known = by_path.find(base); known != by_path.end())
      return schedule.hint(known->second, now);
  }
  next_scan = std::min(next_scan, std::max(now, last_scan + options.active_interval / 4));
}

Follower::Follower(FileSystem& files, HintSource* hints, std::vector<Watch> watches, Options options)
    : impl_(std::make_unique<Impl>(files, hints, std::move(watches), options)) {}

Follower::~Follower() = default;

void Follower::restore(std::vector<Position> positions, std::vector<std::string> finished) {
  impl_->restored = std::move(positions);
  for (std::string& identity : finished) impl_->finished.add(std::move(identity));
}

void Follower::set_watches(std::vector<Watch> watches) {
  Impl& impl = *impl_;
  impl.discovery.set_watches(std::move(watches));
  std::vector<StreamId> unwatched;
  for (const auto& [id, followed] : impl.streams) {
    if (const auto watch = impl.discovery.watch_of(followed.stream->path()))
      followed.stream->set_tag(impl.discovery.watch(*watch).tag);
    else
      unwatched.push_back(id);
  }
  for (const StreamId id : unwatched) impl.drop(id);
  impl.next_scan = SteadyTime{};
}

std::vector<Batch> Follower::poll(SteadyTime now, Instant, std::size_t budget) {
  Impl& impl = *impl_;
  for (const Position& position : std::exchange(impl.restored, {})) {
    const auto watch = impl.discovery.watch_of(position.path);
    if (!watch || impl.by_path.contains(position.path)) continue;
    const bool literal = impl.discovery.watch(*watch).pattern == position.path;
    Stream& stream = impl.add(position.path, *watch, literal, now);
    stream.restore(position);
    if (const auto key = stream.key()) {
      impl.by_key[*key] = stream.id();
      impl.streams[stream.id()].key = key;
    }
  }
  if (now >= impl.next_scan) impl.scan(now);
  std::vector<Batch> out;
  budget = std::max<std::size_t>(budget, 1);
  while (budget > 0) {
    const auto due = impl.schedule.due(now);
    if (!due) break;
    impl.look(*due, now, budget, out);
  }
  impl.close_idle(now);
  return out;
}

SteadyTime Follower::next_due(SteadyTime) const {
  const auto next = impl_->schedule.next();
  return next ? std::min(*next, impl_->next_scan) : impl_->next_scan;
}

int Follower::hint_fd() const {
  return impl_->hints == nullptr ? -1 : impl_->hints->fd();
}

void Follower::on_hint(SteadyTime now) {
  Impl& impl = *impl_;
  if (impl.hints == nullptr) return;
  const HintSource::Hints hints = impl.hints->drain();
  for (const std::string& path : hints.paths) impl.wake(path, now);
  if (!hints.overflow) return;
  for (const auto& [id, followed] : impl.streams) impl.schedule.now(id, now);
  impl.next_scan = std::min(impl.next_scan, now);
}

void Follower::committed(const Batch& batch) {
  const auto found = impl_->streams.find(batch.stream);
  if (found != impl_->streams.end()) found->second.stream->committed(batch);
}

void Follower::rewind(StreamId stream) {
  const auto found = impl_->streams.find(stream);
  if (found == impl_->streams.end()) return;
  found->second.stream->rewind(impl_->finished);
  impl_->open.erase(stream);
  impl_->schedule.now(stream, SteadyTime{});
}

std::vector<Status> Follower::statuses() const {
  std::vector<Status> out;
  out.reserve(impl_->streams.size());
  for (const auto& [id, followed] : impl_->streams) out.push_back(followed.stream->status());
  return out;
}

std::vector<std::string> Follower::take_notices() {
  return std::exchange(impl_->notices, {});
}

}  // namespace etad::follow
