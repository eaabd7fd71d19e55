#include "daemon/follow/rotation.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <tuple>

namespace etad::follow {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The date at the end of `text` ("-20260711", ".2026-07-11", "_20260711-0200", ".1783735200"), as digits, and
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
      return std::pair(digits, tail.size());
  }
  return std::nullopt;
}

std::optional<RotatedName> numbered(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view digits = name.substr(dot + 1);
  if (digits.empty() || digits.size() > 4 || !std::all_of(digits.begin(), digits.end(), is_digit))
    return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return RotatedName{std::string(name.substr(0, dot)), number, {}};
}

}  // namespace

std::optional<RotatedName> rotated_name(std::string_view name) {
  const bool compressed = name.ends_with(".gz") && name.size() > 3;
  if (compressed) name.remove_suffix(3);
  if (auto out = numbered(name)) return out;
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
  if (compressed) return RotatedName{std::string(name), {}, {}};
  return std::nullopt;
}

bool older(const Sibling& a, const Sibling& b) {
  if (a.name.number && b.name.number && *a.name.number != *b.name.number)
    return *a.name.number > *b.name.number;
  if (!a.name.date.empty() && !b.name.date.empty() && a.name.date != b.name.date)
    return a.name.date < b.name.date;
  if (a.status.modified != b.status.modified) return a.status.modified < b.status.modified;
  return a.path < b.path;
}

std::vector<Sibling> rotated_siblings(FileSystem& files, const std::string& directory, std::string_view base,
                                      Errno& error) {
  std::vector<Sibling> out;
  const auto entries = files.list(directory);
  if (!entries) {
    if (entries.error() != ENOENT && entries.error() != ENOTDIR) error = entries.error();
    return out;
  }
  for (const DirectoryEntry& entry : *entries) {
    auto name = rotated_name(entry.name);
    if (!name || name->base != base) continue;
    std::string path = directory + "/" + entry.name;
    const auto status = files.status(path);
    if (!status && is_passing(status.error())) error = status.error();
    if (status && status->type == FileType::regular)
      out.push_back({std::move(path), std::move(*name), *status});
  }
  // Where names of several kinds meet, `older` is no strict order; when they were written to is one.
  const auto all = [&](auto has) { return std::all_of(out.begin(), out.end(), has); };
  if (all([](const Sibling& s) { return s.name.number.has_value(); }) ||
      all([](const Sibling& s) { return !s.name.date.empty(); })) {
    std::sort(out.begin(), out.end(), older);
  } else {
    std::sort(out.begin(), out.end(), [](const Sibling& a, const Sibling& b) {
      return std::tie(a.status.modified, a.path) < std::tie(b.status.modified, b.path);
    });
  }
  return out;
}

std::optional<std::string> find_inode(FileSystem& files, const std::string& directory, const FileKey& key,
                                      Errno& error) {
  const auto entries = files.list(directory);
  if (!entries) {
    if (entries.error() != ENOENT && entries.error() != ENOTDIR) error = entries.error();
    return std::nullopt;
  }
  for (const DirectoryEntry& entry : *entries) {
    if (entry.inode != key.inode) continue;
    std::string path = directory + "/" + entry.name;
    const auto status = files.status(path);
    if (!status && is_passing(status.error())) error = status.error();
    if (status && status->type == FileType::regular && key_of(*status) == key) return path;
  }
  return std::nullopt;
}

SplitPath split_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {".", std::string(path)};
  return {std::string(slash == 0 ? "/" : path.substr(0, slash)), std::string(path.substr(slash + 1))};
}

}  // namespace etad::follow
