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

bool fits(const std::string& pattern, const std::string& path) {
  return pattern == path || ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
}

}  // namespace

std::vector<Discovery::Found> Discovery::scan(FileSystem& files) {
  directories_.clear();
  unreadable_.clear();
  plain_.clear();
  links_.clear();
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
  std::vector<Found> out = std::move(plain_);
  out.insert(out.end(), std::make_move_iterator(links_.begin()), std::make_move_iterator(links_.end()));
  return out;
}

// `rest` is what is left of the pattern below `directory`.
void Discovery::expand(FileSystem& files, const std::string& directory, std::string_view rest,
                       std::size_t watch) {
  const std::size_t slash = rest.find('/');
  const std::string component(rest.substr(0, slash));
  const bool is_last = slash == std::string_view::npos;
  if (!is_last && !has_wildcard(component)) {
    expand(files, joined(directory, component), rest.substr(slash + 1), watch);
    return;
  }
  const std::string place = directory.empty() ? "." : directory;
  directories_.insert(place);
  const auto entries = files.list(place);
  if (!entries) {
    if (entries.error() != ENOENT && entries.error() != ENOTDIR)
      unreadable_.emplace_back(place, entries.error());
    return;
  }
  for (const DirectoryEntry& entry : *entries) {
    if (::fnmatch(component.c_str(), entry.name.c_str(), FNM_PERIOD) != 0) continue;
    std::string path = joined(directory, entry.name);
    if (is_last) matched_[watch] = true;
    if (is_last)
      (entry.maybe_link ? links_ : plain_).push_back({std::move(path), watch, false});
    else
      expand(files, path, rest.substr(slash + 1), watch);
  }
}

Lookup Discovery::lookup() const {
  Lookup out;
  for (const auto& [folder, error] : unreadable_)
    out.unreadable.push_back(folder + ": " + std::generic_category().message(error));
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
    const std::string& pattern = watch.pattern;
    std::size_t end = 0;
    for (auto slashes = depth; end < pattern.size() && (pattern[end] != '/' || slashes-- > 0);) ++end;
    return ::fnmatch(pattern.substr(0, end).c_str(), path.c_str(), FNM_PATHNAME) == 0;
  });
}

}  // namespace etad::follow
