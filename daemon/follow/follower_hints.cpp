// What the kernel tells of files and folders, and what comes of it.
#include <algorithm>
#include <cerrno>
#include <system_error>

#include "daemon/follow/follower_impl.h"

namespace etad::follow {
namespace {

constexpr std::chrono::seconds kWatchAnew{60};

}  // namespace

// Whether the kernel would tell of a change of its file.
bool Follower::Impl::gives_hints(const Followed& followed) const {
  const auto watched = [this](const std::string& path) {
    return hinting.contains(split_path(path).directory);
  };
  return watched(followed.path) && (followed.target.empty() || watched(followed.target));
}

void Follower::Impl::watch_directories(SteadyTime now) {
  if (hints == nullptr) return;
  std::set<std::string> directories = discovery.directories();
  for (const auto& [target, id] : by_target) directories.insert(split_path(target).directory);
  const bool anew = now >= next_watch;
  if (anew) next_watch = now + kWatchAnew;
  std::erase_if(hinting, [&](const std::string& directory) {
    if (directories.contains(directory)) return anew;
    hints->unwatch(directory);
    return true;
  });
  for (const std::string& directory : directories) {
    if (hinting.contains(directory)) continue;
    const auto done = hints->watch(directory);
    if (done) hinting.insert(directory);
    if (done || done.error() == ENOENT || done.error() == ENOTDIR || done.error() == ENOTSUP) continue;
    if (noticed.insert(done.error()).second)
      notices.push_back(
          "no hints from the kernel, polling instead: " + std::generic_category().message(done.error()) +
          (done.error() == ENOSPC ? " (raise fs.inotify.max_user_watches)" : ""));
    if (done.error() == ENOSPC) break;  // nor for the others
  }
}

// Where what the stream reads lies there, it has taken that up since the kernel told it.
void Follower::Impl::note_removed(const std::string& path) {
  const auto known = by_path.find(path);
  if (known == by_path.end()) return;
  Followed& followed = streams.at(known->second);
  const auto here = files.status(path);
  if (!here || key_of(*here) != followed.reads()) followed.awake().note_removed();
}

// Something happened at `path`.
void Follower::Impl::wake(const std::string& path, SteadyTime now) {
  if (const auto known = by_path.find(path); known != by_path.end()) return schedule.hint(known->second, now);
  for (auto link = by_target.lower_bound({path, 0}); link != by_target.end() && link->first == path; ++link)
    schedule.hint(link->second, now);
  const SplitPath place = split_path(path);
  if (const auto rotated = rotated_name(place.name)) {
    const std::string base = path.substr(0, path.size() - place.name.size()) + rotated->base;
    if (const auto known = by_path.find(base); known != by_path.end())
      return schedule.hint(known->second, now);
  }
  if (hinting.erase(path) > 0) hints->unwatch(path);  // of a directory: it may have been moved or removed
  if (discovery.may_find(path)) hurry_scan(now);
}

// A hint brings the next scan forward: of many folders and names not at once, as they may change all the time.
void Follower::Impl::hurry_scan(SteadyTime now) {
  constexpr std::chrono::milliseconds kOfEachFolder{1};
  const auto folders = static_cast<std::int64_t>(discovery.directories().size());
  const auto names = static_cast<std::int64_t>(discovery.names());
  const auto rest = std::max<SteadyTime::duration>(options.active_interval / 4,
                                                   folders * kOfEachFolder + names * kOfEachName);
  scan_hinted = true;
  scan_hinted_amid = discovery.is_under_way() || taking_up;
  next_scan = std::min(next_scan, std::max(now, last_scan + rest));
}

int Follower::hint_fd() const {
  return impl_->hints == nullptr ? -1 : impl_->hints->fd();
}

void Follower::on_hint(SteadyTime now) {
  Impl& impl = *impl_;
  if (impl.hints == nullptr) return;
  const HintSource::Hints hints = impl.hints->drain();
  for (const std::string& path : hints.removed) impl.note_removed(path);
  for (const std::string& path : hints.paths) impl.wake(path, now);
  for (const std::string& folder : hints.folders)
    if (impl.discovery.may_look_into(folder)) impl.hurry_scan(now);
  if (!hints.overflow) return;
  for (const auto& [id, followed] : impl.streams) impl.schedule.now(id, now);
  impl.next_scan = std::min(impl.next_scan, now);
}

}  // namespace etad::follow
