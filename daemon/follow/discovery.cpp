#include "daemon/follow/discovery.h"

#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

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

// Whether the path lies in a folder that `root` fits, or below one, and is called there as `rest` says ("/*.log").
bool fits_below(const std::string& root, const std::string& rest, const std::string& path) {
  for (std::size_t above = path.find('/'); above != path.npos; above = path.find('/', above + 1)) {
    if (!fits(root, path.substr(0, above))) continue;
    for (std::size_t folder = above; folder != path.npos; folder = path.find('/', folder + 1)) {
      if (fits(rest, path.substr(folder))) return true;
      if (is_hidden(std::string_view(path).substr(folder + 1))) break;
    }
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

std::vector<Discovery::Found> Discovery::scan(FileSystem& files) {
  directories_.clear();
  unreadable_.clear();
  plain_.clear();
  links_.clear();
  crowded_.clear();
  matched_.assign(watches_.size(), false);
  for (std::size_t i = 0; i < watches_.size(); ++i) {
    const std::string& pattern = watches_[i].pattern;
    if (has_wildcard(pattern)) {
      const bool absolute = pattern.starts_with('/');
      expand(files, absolute ? "/" : "", std::string_view(pattern).substr(absolute ? 1 : 0), i);
    } else {
      directories_.insert(split_path(pattern).directory);
      plain_.push_back({pattern, i, true});
    }
  }
  note_names(files);
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

// `rest` is what is left of the pattern below `directory`.
void Discovery::expand(FileSystem& files, const std::string& directory, std::string_view rest,
                       std::size_t watch) {
  const Parts parts = parts_of(rest);
  if (!parts.is_last && !has_wildcard(parts.first))
    return expand(files, joined(directory, parts.first), parts.rest, watch);
  if (!parts.is_last && parts.first == kAnyFolders) return expand_below(files, directory, parts.rest, watch);
  match(files, directory, list(files, directory), parts, watch);
}

void Discovery::match(FileSystem& files, const std::string& directory,
                      const std::vector<DirectoryEntry>& entries, const Parts& parts, std::size_t watch) {
  for (const DirectoryEntry& entry : entries) {
    if (::fnmatch(parts.first.c_str(), entry.name.c_str(), FNM_PERIOD) != 0) continue;
    std::string path = joined(directory, entry.name);
    if (parts.is_last) matched_[watch] = true;
    if (parts.is_last)
      (entry.maybe_link ? links_ : plain_).push_back({std::move(path), watch, false});
    else
      expand(files, path, parts.rest, watch);
  }
}

// In `root` and all folders below it, the nearest first: where there are too many, it is the deepest that are left out.
void Discovery::expand_below(FileSystem& files, const std::string& root, std::string_view rest,
                             std::size_t watch) {
  const Parts parts = parts_of(rest);
  const bool named = !parts.is_last && !has_wildcard(parts.first);  // it need not be looked for
  bool all_fit = true;
  std::vector<std::string> folders = {root};
  for (std::size_t next = 0; next < folders.size(); ++next) {
    const std::string folder = folders[next];
    const std::vector<DirectoryEntry> entries = list(files, folder);
    if (named)
      expand(files, folder, rest, watch);
    else
      match(files, folder, entries, parts, watch);
    for (const DirectoryEntry& entry : entries) {
      if (!entry.maybe_folder || is_hidden(entry.name)) continue;
      all_fit = folders.size() < most_folders_;
      if (!all_fit) break;
      folders.push_back(joined(folder, entry.name));
    }
  }
  if (!all_fit) crowded_.push_back(root);
}

std::vector<DirectoryEntry> Discovery::list(FileSystem& files, const std::string& directory) {
  const std::string place = directory.empty() ? "." : directory;
  directories_.insert(place);
  auto entries = files.list(place);
  if (entries) return std::move(*entries);
  if (entries.error() != ENOENT && entries.error() != ENOTDIR)
    unreadable_.emplace_back(place, entries.error());
  return {};
}

// A bind mount shows a folder under a second name, and no path tells it.
void Discovery::note_names(FileSystem& files) {
  names_.clear();
  if (directories_.size() == 1) return;
  std::map<FileKey, std::vector<std::string>> by_key;
  for (const std::string& directory : directories_)
    if (const auto status = files.status(directory)) by_key[key_of(*status)].push_back(directory);
  for (const auto& [key, names] : by_key)
    if (names.size() > 1)
      for (const std::string& name : names) names_[name] = names;
}

std::vector<std::string> Discovery::names_of(const std::string& directory) const {
  const auto found = names_.find(directory);
  return found == names_.end() ? std::vector<std::string>() : found->second;
}

Lookup Discovery::lookup() const {
  Lookup out;
  for (const auto& [folder, error] : unreadable_)
    out.unreadable.push_back(folder + ": " + std::generic_category().message(error));
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
