#include "daemon/follow/chain.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace etad::follow {

Chain::Chain(FileSystem& files, const std::string& path)
    : files_(files), path_(path), places_{split_path(path)} {
  if (const auto resolved = files.resolve(path)) {
    SplitPath target = split_path(*resolved);
    const auto here = files.resolve(places_[0].directory);
    if (target.name != places_[0].name || !here || *here != target.directory)
      places_.push_back(std::move(target));
  }
  for (const SplitPath& place : places_) {
    auto found = rotated_siblings(files, place.directory, place.name, error_);
    siblings_.insert(siblings_.end(), std::make_move_iterator(found.begin()),
                     std::make_move_iterator(found.end()));
  }
}

std::vector<Sibling> Chain::newer_than(const Link& last) {
  const auto mine = std::find_if(siblings_.begin(), siblings_.end(),
                                 [&](const Sibling& s) { return key_of(s.status) == last.key; });
  const auto under_path = files_.status(path_);
  if (!under_path) note(under_path.error());
  std::vector<Sibling> out;
  for (const Sibling& sibling : siblings_) {
    if (key_of(sibling.status) == last.key) continue;
    if (under_path && key_of(sibling.status) == key_of(*under_path)) continue;
    const bool by_name =
        mine != siblings_.end() && ((mine->name.number && sibling.name.number) ||
                                    (!mine->name.date.empty() && !sibling.name.date.empty()));
    if (by_name ? older(*mine, sibling) : sibling.status.modified >= last.modified) out.push_back(sibling);
  }
  return out;
}

Chain::Newer Chain::newer(const Link& last) {
  Newer out = Newer::none;
  for (const Sibling& sibling : newer_than(last)) {
    // Compressing keeps the time of the last write: this is the file itself.
    if (sibling.path.ends_with(".gz") && sibling.status.modified == last.modified) continue;
    if (sibling.status.size > 0) return Newer::yes;
    out = Newer::empty;
  }
  return out;
}

std::optional<Sibling> Chain::next(const Link& last, const FinishedFiles& finished,
                                   const std::function<bool(const FileKey&)>& taken) {
  std::optional<Sibling> empty;
  for (Sibling& candidate : newer_than(last)) {
    if (taken(key_of(candidate.status))) continue;
    if (candidate.status.size == 0) {
      if (!empty) empty = std::move(candidate);
      continue;
    }
    const auto content = open(candidate.path);
    if (!content) continue;
    const std::string identity = known_or(finished_identity(*content), std::string());
    if (identity.empty() || identity == last.finished || finished.contains(identity)) continue;
    if (is_beginning_of(*content, path_)) continue;
    return std::move(candidate);
  }
  // Renamed while it was empty: until the path's file has bytes, the writer may still have this one open.
  const auto under_path = files_.status(path_);
  if (!under_path) note(under_path.error());
  return under_path && under_path->size > 0 ? std::nullopt : empty;
}

// A copy that copytruncate has just made, of a file not truncated yet: all of it will be read there.
bool Chain::is_beginning_of(Content& candidate, const std::string& path) {
  const auto whole = open(path);
  const auto status = candidate.status();
  if (!status) note(status.error());
  if (!whole || !status || candidate.compressed() || whole->compressed()) return false;
  std::array<char, kHeadBytes> bytes{};
  const auto length = static_cast<std::size_t>(std::min<std::int64_t>(status->size, kHeadBytes));
  const auto head = candidate.read(0, std::span(bytes).first(length));
  if (known_or(head, std::size_t{0}) < length) return false;
  Trace trace;
  trace.offset = status->size;
  trace.head = Fingerprint::of({bytes.data(), length});
  const std::size_t behind = std::min(length, kMarkerBytes);
  const auto tail =
      candidate.read(trace.offset - static_cast<std::int64_t>(behind), std::span(bytes).first(behind));
  if (known_or(tail, std::size_t{0}) < behind) return false;
  trace.marker = Fingerprint::of({bytes.data(), behind});
  return known_or(matches(*whole, trace), false);
}

std::optional<Sibling> Chain::holds(const Link& last, const FinishedFiles& finished) {
  if (last.trace.marker.length == 0) return std::nullopt;  // nothing read yet: every file would do
  // Plain ones first: while a file is being compressed both lie there, and the compressed one is cut short.
  for (const bool compressed : {false, true}) {
    for (const Sibling& sibling : siblings_) {
      if (sibling.path.ends_with(".gz") != compressed || sibling.status.modified < last.modified) continue;
      if (!compressed && sibling.status.size < last.trace.offset) continue;
      const auto content = open(sibling.path);
      if (!content || !known_or(matches(*content, last.trace), false)) continue;
      // Files that begin alike: this one has been read already, so it is not the one being read.
      const std::string identity = known_or(finished_identity(*content), std::string());
      if (!identity.empty() && !finished.contains(identity)) return sibling;
    }
  }
  return std::nullopt;
}

// What may be there and can't be read makes the answer unsure; what is not there, or not for us, does not.
void Chain::note(Errno error) {
  if (is_passing(error)) error_ = error;
}

template <class T>
T Chain::known_or(const OsResult<T>& answer, T otherwise) {
  if (answer) return *answer;
  note(answer.error());
  return otherwise;
}

std::unique_ptr<Content> Chain::open(const std::string& path) {
  auto content = open_content(files_, path);
  if (content) return std::move(*content);
  note(content.error());
  return nullptr;
}

std::optional<std::string> Chain::find(const FileKey& key) {
  for (const SplitPath& place : places_)
    if (auto found = find_inode(files_, place.directory, key, error_)) return found;
  return std::nullopt;
}

}  // namespace etad::follow
