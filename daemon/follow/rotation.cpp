#include "daemon/follow/rotation.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>
#include <tuple>

#include "parsers/base/number.h"
#include "parsers/base/text.h"

namespace etad::follow {
namespace {

// Digits whose order as text is that of what they say: behind a day may be a counter (logback's "2026-07-11.10").
std::string in_order(std::string_view date) {
  constexpr std::size_t kDay = 8, kWidest = 12;
  std::string out;
  while (!date.empty()) {
    const std::size_t length = std::min(date.find_first_not_of("0123456789"), date.size());
    if (length > 0 && length < kWidest && out.size() >= kDay) out.append(kWidest - length, '0');
    out += date.substr(0, length);
    date.remove_prefix(std::min(length + 1, date.size()));
  }
  return out;
}

// The date at the end of `text` ("-20260711", ".2026-07-11", "_20260711-0200", ".1783735200"), as digits in order, and
// how many characters it takes with its separator. Nothing shorter than a day is a date.
std::optional<std::pair<std::string, std::size_t>> date_at_end(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 &&
         (is_digit(text[begin - 1]) || std::string_view("-_.:T").find(text[begin - 1]) != text.npos))
    --begin;
  std::string_view tail = text.substr(begin);
  // The longest tail that is a separator followed by a year or by seconds since 1970.
  for (; !tail.empty(); tail.remove_prefix(1)) {
    if (is_digit(tail.front())) continue;
    const std::string_view body = tail.substr(1);
    if (body.size() < 8 || !is_digit(body.front()) || !is_digit(body.back())) continue;
    std::string digits;
    std::copy_if(body.begin(), body.end(), std::back_inserter(digits), is_digit);
    const bool year = digits.starts_with("19") || digits.starts_with("20");
    const bool plain = body.size() == digits.size();
    if ((year && digits.size() >= 8 && digits.size() <= 20) || (plain && digits.size() == 10))
      return std::pair(in_order(body), tail.size());
  }
  return std::nullopt;
}

std::optional<RotatedName> numbered(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view digits = name.substr(dot + 1);
  if (digits.empty() || digits.size() > 4 || !std::all_of(digits.begin(), digits.end(), is_digit))
    return std::nullopt;
  return RotatedName{std::string(name.substr(0, dot)), parse_number<std::int64_t>(digits), {}};
}

// "train.log~", "train.log.~2~": of the latter the higher number is the newer one, unlike a rotated file's.
std::optional<RotatedName> backup(std::string_view name) {
  if (!name.ends_with('~')) return std::nullopt;
  name.remove_suffix(1);
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits != std::string_view::npos && digits > 1 && digits + 1 < name.size() &&
      name.substr(digits - 1, 2) == ".~")
    name = name.substr(0, digits - 1);
  if (name.empty()) return std::nullopt;
  return RotatedName{std::string(name), {}, {}, true};
}

// "@4000000065f0c2a11dcd6500.s", as multilog, svlogd and s6-log call what was "current": a TAI64N label, the end of the
// file ("s": whole, "u": cut short).
std::optional<RotatedName> labelled(std::string_view name) {
  constexpr std::size_t kDigits = 24;
  if (!name.starts_with('@') || name.size() != kDigits + 3 || name[kDigits + 1] != '.') return std::nullopt;
  const std::string_view label = name.substr(1, kDigits);
  if (label.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  return RotatedName{"current", {}, std::string(label)};
}

}  // namespace

std::string_view compressed_ending(std::string_view name) {
  for (const std::string_view ending : {".gz", ".gzip", ".z", ".Z"})
    if (name.ends_with(ending) && name.size() > ending.size()) return ending;
  return {};
}

std::optional<RotatedName> rotated_name(std::string_view name) {
  const std::string_view ending = compressed_ending(name);
  name.remove_suffix(ending.size());
  if (auto out = numbered(name)) return out;
  if (auto out = backup(name)) return out;
  if (auto out = labelled(name)) return out;
  for (const std::string_view suffix : {".old", ".bak"})
    if (name.ends_with(suffix) && name.size() > suffix.size())
      return RotatedName{std::string(name.substr(0, name.size() - suffix.size())), {}, {}};
  if (const auto date = date_at_end(name); date && date->second < name.size())
    return RotatedName{std::string(name.substr(0, name.size() - date->second)), {}, date->first};
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos)
    if (const auto date = date_at_end(name.substr(0, dot)); date && date->second < dot)
      return RotatedName{
          std::string(name.substr(0, dot - date->second)) + std::string(name.substr(dot)), {}, date->first};
  if (!ending.empty()) return RotatedName{std::string(name), {}, {}};
  return std::nullopt;
}

std::optional<RotatedName> numbered_within(std::string_view name) {
  name.remove_suffix(compressed_ending(name).size());
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  auto out = numbered(name.substr(0, dot));
  if (!out) return std::nullopt;
  out->base += name.substr(dot);
  out->within = true;
  return out;
}

std::string with_number_within(const std::string& path, std::int64_t number) {
  const std::size_t dot = path.rfind('.');
  return path.substr(0, dot) + "." + std::to_string(number) + path.substr(dot);
}

bool older(const RotatedFile& a, const RotatedFile& b) {
  if (a.name.number && b.name.number && *a.name.number != *b.name.number)
    return *a.name.number > *b.name.number;
  if (!a.name.date.empty() && !b.name.date.empty() && a.name.date != b.name.date)
    return a.name.date < b.name.date;
  if (a.status.modified != b.status.modified) return a.status.modified < b.status.modified;
  return a.path < b.path;
}

namespace {

constexpr int kTries = 5;
constexpr std::size_t kMostRotated = 65'536;  // of one log: seven years of hours
constexpr std::size_t kMostBelow = 32;        // of a log's folder: where each run has one, none is asked

std::optional<RotatedName> rotated_from(const std::string& base, std::string_view name) {
  if (name == base) return std::nullopt;
  if (auto out = rotated_name(name); out && out->base == base) return out;
  auto within = numbered_within(name);
  return within && within->base == base ? std::move(within) : std::nullopt;
}

std::string path_in(const std::string& directory, std::string_view name) {
  std::string out = directory + "/";
  return out += name;
}

// The entries of the directory that bear the name, or a rotated form of it, in a fixed order. EFBIG: too many.
using Names = std::vector<std::tuple<std::string, std::uint64_t>>;
OsResult<Names> names_of(FileSystem& files, const SplitPath& place, std::size_t& listed) {
  Names out;
  Errno error = 0;
  const auto done = files.list(place.directory, [&](const DirectoryEntry& entry) {
    ++listed;
    if (entry.name != place.name && !rotated_from(place.name, entry.name)) return true;
    std::uint64_t inode = entry.inode;
    if (inode == 0) {
      const auto status = files.status(path_in(place.directory, entry.name));
      if (!status && is_passing(status.error())) error = status.error();
      if (status) inode = status->inode;
    }
    out.emplace_back(entry.name, inode);
    if (out.size() > kMostRotated) error = EFBIG;
    return error == 0;
  });
  if (error != 0) return tl::unexpected(error);
  if (!done && is_absent(done.error())) return Names();
  if (!done) return tl::unexpected(done.error());
  std::sort(out.begin(), out.end());
  return out;
}

OsResult<std::vector<Names>> names_of(FileSystem& files, const std::vector<SplitPath>& places,
                                      std::size_t& listed) {
  std::vector<Names> out;
  for (const SplitPath& place : places) {
    auto names = names_of(files, place, listed);
    if (!names) return tl::unexpected(names.error());
    out.push_back(std::move(*names));
  }
  return out;
}

// Where names of several kinds meet, `older` is no strict order; when they were written to is one. Those of one kind
// share the places that this gives them by what their names say: a copy may be finished after the next log has begun.
void sort_by_age(std::vector<RotatedFile>& rotated) {
  std::sort(rotated.begin(), rotated.end(), [](const RotatedFile& a, const RotatedFile& b) {
    return std::tie(a.status.modified, a.path) < std::tie(b.status.modified, b.path);
  });
  const auto sort_those = [&rotated](auto is_of_kind) {
    std::vector<RotatedFile> those;
    std::copy_if(rotated.begin(), rotated.end(), std::back_inserter(those), is_of_kind);
    std::sort(those.begin(), those.end(), older);
    auto next = those.begin();
    for (RotatedFile& file : rotated)
      if (is_of_kind(file)) file = std::move(*next++);
  };
  sort_those([](const RotatedFile& file) { return file.name.number.has_value(); });
  sort_those([](const RotatedFile& file) { return !file.name.number && !file.name.date.empty(); });
}

}  // namespace

Surrounding look_around(FileSystem& files, const std::string& path, const std::vector<SplitPath>& places) {
  Surrounding out;
  for (int tries = 0; tries < kTries && out.listed < kManyListed; ++tries) {
    const std::size_t listed = out.listed;
    out = Surrounding{};
    out.listed = listed;
    const auto before = names_of(files, places, out.listed);
    if (!before) {
      out.error = before.error();
      return out;
    }
    out.under_path = files.status(path);
    if (!out.under_path && is_passing(out.under_path.error())) out.error = out.under_path.error();
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (const auto& [name, inode] : (*before)[i]) {
        auto rotated = rotated_from(places[i].name, name);
        if (!rotated) continue;
        std::string rotated_path = places[i].directory + "/" + name;
        const auto status = files.status(rotated_path);
        if (!status && is_passing(status.error())) out.error = status.error();
        if (status && status->type == FileType::regular)
          out.rotated.push_back({std::move(rotated_path), std::move(*rotated), *status});
      }
    }
    const auto after = names_of(files, places, out.listed);
    if (!after) out.error = after.error();
    if (out.error != 0) return out;
    sort_by_age(out.rotated);
    if (*before == *after) return out;
  }
  out.error = EAGAIN;
  return out;
}

bool RotatedBeside::has_none(FileSystem& files, const std::string& path,
                             const std::vector<std::string>& folders, Instant wall) {
  const SplitPath place = split_path(path);
  if (!has_none_in(files, place, wall)) return false;
  const auto resolved = files.resolve(path);
  return resolved && *resolved == path &&
         std::all_of(folders.begin(), folders.end(), [&](const std::string& folder) {
           return has_none_in(files, {folder, place.name}, wall);
         });
}

bool RotatedBeside::has_none_in(FileSystem& files, const SplitPath& place, Instant wall) {
  const auto bases = bases_.of(files, place.directory, wall, [&](std::unordered_set<std::string>& out) {
    const auto done = files.list(place.directory, [&](const DirectoryEntry& entry) {
      ++listed_;
      for (auto& name : {rotated_name(entry.name), numbered_within(entry.name)})
        if (name) out.insert(name->base);
      return out.size() <= kMostBases;
    });
    return done && out.size() <= kMostBases;
  });
  if (!bases) return is_absent(bases.error());
  return *bases != nullptr && !(*bases)->contains(place.name);
}

namespace {

// What lies in the folder under that name is a file of its own. A file system that does not list what its names are is
// asked where they lead.
bool is_no_link(FileSystem& files, const std::string& directory, const DirectoryEntry& entry) {
  if (!entry.maybe_link) return true;
  const auto folder = files.resolve(directory);
  const auto resolved = files.resolve(path_in(directory, entry.name));
  return folder && resolved && split_path(*resolved).directory == *folder &&
         split_path(*resolved).name == entry.name;
}

}  // namespace

bool ListedInodes::lack(FileSystem& files, const std::string& directory, std::uint64_t inode, Instant wall) {
  const auto inodes = inodes_.of(files, directory, wall, [&](std::vector<std::uint64_t>& out) {
    bool all_known = true;
    const auto done = files.list(directory, [&](const DirectoryEntry& entry) {
      ++listed_;
      out.push_back(entry.inode);
      return all_known = entry.inode != 0;
    });
    std::sort(out.begin(), out.end());
    return done && all_known;
  });
  return inodes && *inodes != nullptr && !std::binary_search((*inodes)->begin(), (*inodes)->end(), inode);
}

OsResult<std::string> find_key(FileSystem& files, const std::string& directory, const FileKey& key,
                               std::size_t& listed) {
  int absent = 0;
  std::set<std::string, std::less<>> dangling;  // what is listed again and leads nowhere is a link
  for (int tries = 0; tries < kTries && (tries < 2 || listed < kManyListed); ++tries) {
    OsResult<std::string> found = tl::unexpected(ENOENT);
    bool moved = false;
    const auto done = files.list(directory, [&](const DirectoryEntry& entry) {
      ++listed;
      if (entry.inode != 0 && entry.inode != key.inode) return true;
      std::string path = path_in(directory, entry.name);
      const auto status = files.status(path);
      const bool is_it = status && key_of(*status) == key && status->type == FileType::regular;
      if (is_it && is_no_link(files, directory, entry))
        found = std::move(path);
      else if (!status && is_passing(status.error()))
        found = tl::unexpected(status.error());
      else
        moved = moved || (!status && (!entry.maybe_link || dangling.emplace(entry.name).second));
      return !found && found.error() == ENOENT;
    });
    if (found || found.error() != ENOENT) return found;
    if (!done) return tl::unexpected(is_absent(done.error()) ? ENOENT : done.error());
    if (!moved && ++absent == 2) return tl::unexpected(ENOENT);
  }
  return tl::unexpected(EAGAIN);
}

OsResult<std::vector<FolderBelow>> folders_below(FileSystem& files, const SplitPath& place,
                                                 std::size_t& listed) {
  const auto here = files.status(place.directory);
  if (!here) return tl::unexpected(here.error());
  std::vector<FolderBelow> out;
  Errno error = 0;
  const auto done = files.list(place.directory, [&](const DirectoryEntry& entry) {
    ++listed;
    if (!entry.maybe_folder) return true;
    std::string path = path_in(place.directory, entry.name);
    const auto status = files.status(path);
    if (!status && is_passing(status.error())) error = status.error();
    if (status && status->type == FileType::directory && status->device == here->device &&
        (status->owner == here->owner || status->owner == 0))
      out.push_back({std::move(path), false});
    return error == 0 && out.size() <= kMostBelow;
  });
  if (error != 0) return tl::unexpected(error);
  if (!done) return tl::unexpected(done.error());
  if (out.size() > kMostBelow) return std::vector<FolderBelow>();
  for (FolderBelow& folder : out) {
    const auto names = names_of(files, {folder.path, place.name}, listed);
    if (!names && is_passing(names.error())) return tl::unexpected(names.error());
    const auto is_log = [&](const auto& name) { return std::get<0>(name) == place.name; };
    folder.has_rotated = names && !names->empty() && std::none_of(names->begin(), names->end(), is_log);
  }
  return out;
}

SplitPath split_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {".", std::string(path)};
  return {std::string(slash == 0 ? "/" : path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

}  // namespace etad::follow
