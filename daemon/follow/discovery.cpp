#include "daemon/follow/discovery.h"

#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "daemon/follow/rotation.h"

namespace etad::follow {
namespace {

bool has_wildcard(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

std::string joined(const std::string& directory, std::string_view name) {
  if (directory.empty()) return std::string(name);
  return directory.back() == '/' ? directory + std::string(name) : directory + "/" + std::string(name);
}

bool is_hidden(std::string_view name) {
  return name.starts_with('.');
}

// "**" as a whole part of a pattern: this folder and all below it, but for hidden ones.
constexpr std::string_view kAnyFolders = "**";
constexpr std::string_view kWithin = "/**/";

bool fits(const std::string& pattern, const std::string& path);

// Whether the path lies in a folder that `root` fits, or below one, and is called there as `rest` says ("/*.log"). No
// wildcard stands for a '/' but "**", so that the number of slashes says which folders may fit: to ask of each of the
// thousands that a path may consist of would cost as many copies of it.
bool fits_below(const std::string& root, const std::string& rest, const std::string& path) {
  std::size_t above = path.find('/');
  for (auto left = std::ranges::count(root, '/'); left > 0 && above != path.npos; --left)
    above = path.find('/', above + 1);
  if (above == path.npos || !fits(root, path.substr(0, above))) return false;
  const bool any = rest.find(kWithin) != rest.npos;
  const auto parts = std::ranges::count(rest, '/');
  auto left = std::ranges::count(std::string_view(path).substr(above), '/');
  for (std::size_t folder = above; folder != path.npos; folder = path.find('/', folder + 1), --left) {
    if ((any || left == parts) && fits(rest, path.substr(folder))) return true;
    if (is_hidden(std::string_view(path).substr(folder + 1))) break;
  }
  return false;
}

bool fits(const std::string& pattern, const std::string& path) {
  if (pattern == path) return true;
  if (const std::size_t within = pattern.find(kWithin); within != pattern.npos)
    return fits_below(pattern.substr(0, within), pattern.substr(within + kWithin.size() - 1), path);
  return ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
}

}  // namespace

void Discovery::set_watches(std::vector<Watch> watches) {
  watches_ = std::move(watches);
  under_way_ = false;
}

std::vector<Discovery::Found> Discovery::scan(FileSystem& files) {
  begin();
  while (!go_on(files, std::numeric_limits<std::size_t>::max(), [] { return false; })) {
  }
  return take();
}

void Discovery::begin() {
  directories_.clear();
  names_of_.clear();
  listed_ = 0;
  unreadable_.clear();
  owners_.clear();
  plain_.clear();
  links_.clear();
  crowded_.clear();
  of_owner_.clear();
  refused_.clear();
  new_files_ = 0;
  new_files_of_.clear();
  refused_files_.clear();
  tasks_.clear();
  matched_.assign(watches_.size(), false);
  watch_ = 0;
  under_way_ = true;
}

bool Discovery::go_on(FileSystem& files, std::size_t names, const std::function<bool()>& is_enough) {
  constexpr std::size_t kFolder = 16;  // names are listed in the time that opening a folder takes
  if (!under_way_) begin();
  while (!tasks_.empty() || begin_next_watch(files)) {
    if (tasks_.empty()) continue;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    const std::size_t cost = kFolder + expand(files, std::move(task));
    if (tasks_.empty()) ++watch_;
    if (cost >= names || is_enough()) return tasks_.empty() && watch_ == watches_.size();
    names -= cost;
  }
  return true;
}

// False: there is none.
bool Discovery::begin_next_watch(FileSystem& files) {
  if (watch_ == watches_.size()) return false;
  roots_.clear();
  const std::string& pattern = watches_[watch_].pattern;
  if (has_wildcard(pattern)) {
    const bool absolute = pattern.starts_with('/');
    tasks_.push_back({absolute ? "/" : "", std::string_view(pattern).substr(absolute ? 1 : 0)});
  } else {
    note_folder(files, split_path(pattern).directory);
    plain_.push_back({pattern, watch_++, true});
  }
  return true;
}

std::vector<Discovery::Found> Discovery::take() {
  under_way_ = false;
  note_aliases();
  told_ = lookup_now();
  told_listed_ = listed_;
  told_refused_ = std::move(refused_);
  told_refused_files_ = std::move(refused_files_);
  std::vector<Found> out = std::move(plain_);
  out.insert(out.end(), std::make_move_iterator(links_.begin()), std::make_move_iterator(links_.end()));
  return out;
}

Discovery::Parts Discovery::parts_of(std::string_view pattern) {
  const std::size_t slash = pattern.find('/');
  const bool is_last = slash == std::string_view::npos;
  return {std::string(pattern.substr(0, slash)), is_last ? std::string_view() : pattern.substr(slash + 1),
          is_last};
}

// Lists the folder, and notes what is to be looked into next. How many names it has.
std::size_t Discovery::expand(FileSystem& files, Task task) {
  Parts parts = parts_of(task.rest);
  while (!parts.is_last && !task.root && (parts.first == kAnyFolders || !has_wildcard(parts.first))) {
    if (parts.first == kAnyFolders) {
      task.root = roots_.size();
      roots_.push_back({task.directory});
    } else {
      task.directory = joined(task.directory, parts.first);
    }
    task.rest = parts.rest;
    parts = parts_of(task.rest);
  }
  const bool is_named = task.root && !parts.is_last && !has_wildcard(parts.first);
  if (is_named)
    tasks_.push_back({joined(task.directory, parts.first), parts.rest});  // it need not be looked for
  const std::size_t before = listed_;
  list(files, task.directory, [&](const DirectoryEntry& entry) {
    ++listed_;
    if (!is_named) match(files, task.directory, entry, parts);
    if (task.root) expand_below(files, task, entry);
    return true;
  });
  return listed_ - before;
}

// All folders below, the nearest first: where there are too many, it is the deepest that are left out.
void Discovery::expand_below(FileSystem& files, const Task& task, const DirectoryEntry& entry) {
  if (!entry.maybe_folder || is_hidden(entry.name)) return;
  Root& root = roots_[*task.root];
  if (root.folders == most_folders_) {
    if (std::exchange(root.all_fit, false)) crowded_.push_back(root.directory);
    return;
  }
  if (!may_look(files, task.directory, entry)) return;
  ++root.folders;
  tasks_.push_back({joined(task.directory, entry.name), task.rest, task.root});
}

void Discovery::match(FileSystem& files, const std::string& directory, const DirectoryEntry& entry,
                      const Parts& parts) {
  if (!parts.is_last && !entry.maybe_folder && !entry.maybe_link) return;
  if (::fnmatch(parts.first.c_str(), std::string(entry.name).c_str(), FNM_PERIOD) != 0) return;
  std::string path = joined(directory, entry.name);
  if (parts.is_last) {
    matched_[watch_] = true;
    if (may_keep(files, path))
      (entry.maybe_link ? links_ : plain_).push_back({std::move(path), watch_, false, entry.inode});
  } else if (may_look(files, directory, entry)) {
    tasks_.push_back({std::move(path), parts.rest});
  }
}

// Names cost a user nothing and the daemon their memory. Many are rotated files, which are kept beside their logs.
bool Discovery::may_keep(FileSystem& files, const std::string& path) {
  if (most_of_owner_ == 0 || (is_known_ && is_known_(path))) return true;
  const std::size_t most = 2 * most_of_owner_;
  if (new_files_ < most) {
    ++new_files_;
    return true;
  }
  auto status = files.status(path);
  if (!status) status = files.status(split_path(path).directory);  // a link that leads nowhere
  if (!status || !status->owner) return false;
  std::size_t& its = new_files_of_[*status->owner];
  const bool may = its < most;
  ++(may ? its : refused_files_[*status->owner]);
  return may;
}

// Folders cost a user nothing: nobody's are more than his share. A link may lead to another's, and counts as his in whose
// folder it lies.
bool Discovery::may_look(FileSystem& files, const std::string& directory, const DirectoryEntry& entry) {
  if (most_of_owner_ == 0) return true;
  const auto status = files.status(entry.maybe_link ? directory : joined(directory, entry.name));
  if (!status || !status->owner) return true;
  std::size_t& folders = of_owner_[{*status->owner, entry.maybe_link}];
  if (folders < most_of_owner_) {
    ++folders;
    return true;
  }
  ++refused_[*status->owner];
  return false;
}

// One alone has no other name.
void Discovery::note_folder(FileSystem& files, const std::string& folder) {
  if (!directories_.insert(folder).second || directories_.size() == 1) return;
  const auto note = [&](const std::string& name) {
    if (const auto status = files.status(name)) names_of_[key_of(*status)].push_back(name);
  };
  if (directories_.size() == 2)
    note(*directories_.begin() == folder ? *directories_.rbegin() : *directories_.begin());
  note(folder);
}

void Discovery::list(FileSystem& files, const std::string& directory, const FileSystem::TakeEntry& take) {
  const std::string place = directory.empty() ? "." : directory;
  note_folder(files, place);
  const auto done = files.list(place, take);
  if (done || is_absent(done.error())) return;
  unreadable_.emplace_back(place, done.error());
  if (const auto status = files.status(place); status && status->owner) owners_[place] = *status->owner;
}

// A bind mount shows a folder under a second name, and no path tells it.
void Discovery::note_aliases() {
  aliases_.clear();
  for (const auto& [key, names] : std::exchange(names_of_, {}))
    if (names.size() > 1)
      for (const std::string& name : names) aliases_[name] = names;
}

std::vector<std::string> Discovery::aliases_of(const std::string& directory) const {
  const auto found = aliases_.find(directory);
  return found == aliases_.end() ? std::vector<std::string>() : found->second;
}

Lookup Discovery::lookup_now() const {
  Lookup out;
  for (const auto& [folder, error] : unreadable_) {
    const auto owner = owners_.find(folder);
    out.unreadable.push_back({folder, std::generic_category().message(error),
                              owner == owners_.end() ? std::nullopt : std::optional(owner->second)});
  }
  out.crowded = crowded_;
  for (std::size_t i = 0; i < matched_.size(); ++i)
    if (!matched_[i] && has_wildcard(watches_[i].pattern)) out.unmatched.push_back(watches_[i].pattern);
  return out;
}

std::optional<std::size_t> Discovery::watch_of(const std::string& path) const {
  for (std::size_t i = 0; i < watches_.size(); ++i)
    if (fits(watches_[i].pattern, path)) return i;
  return std::nullopt;
}

std::vector<std::string> Discovery::folders_of(const std::string& path) const {
  std::vector<std::string> out;
  const auto watch = watch_of(path);
  if (!watch) return out;
  for (const std::string& folder : watches_[*watch].rotated_in)
    out.push_back(folder.starts_with('/') ? folder : joined(split_path(path).directory, folder));
  return out;
}

bool Discovery::is_rotated_into(const std::string& folder, const std::string& base) const {
  return std::any_of(watches_.begin(), watches_.end(), [&](const Watch& watch) {
    return std::any_of(watch.rotated_in.begin(), watch.rotated_in.end(), [&](const std::string& each) {
      if (each == folder) return fits(split_path(watch.pattern).name, base);
      if (each.starts_with('/') || !folder.ends_with("/" + each)) return false;
      return fits(watch.pattern, joined(folder.substr(0, folder.size() - each.size() - 1), base));
    });
  });
}

bool Discovery::may_find(const std::string& path) const {
  const auto depth = std::count(path.begin(), path.end(), '/');
  return std::any_of(watches_.begin(), watches_.end(), [&](const Watch& watch) {
    if (fits(watch.pattern, path)) return true;
    const std::string_view way = std::string_view(watch.pattern).substr(0, watch.pattern.find(kWithin));
    std::size_t end = 0;
    for (auto slashes = depth; end < way.size() && (way[end] != '/' || slashes-- > 0);) ++end;
    return ::fnmatch(std::string(way.substr(0, end)).c_str(), path.c_str(), FNM_PATHNAME) == 0;
  });
}

bool Discovery::may_look_into(const std::string& folder) const {
  return std::any_of(watches_.begin(), watches_.end(), [&](const Watch& watch) {
    const std::size_t within = watch.pattern.find(kWithin);
    return within != watch.pattern.npos && fits_below(watch.pattern.substr(0, within), "/*", folder);
  });
}

}  // namespace etad::follow
