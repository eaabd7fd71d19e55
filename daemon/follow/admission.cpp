// Whether what a scan has found is a stream of its own.
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "daemon/follow/follower_impl.h"

namespace etad::follow {

// What a scan has found where no stream is yet: left to the stream that it belongs to, or a stream of its own.
Follower::Impl::Admission Follower::Impl::admit(const Discovery::Found& found, const Listing& all,
                                                SteadyTime now) {
  if (by_path.contains(found.path)) return Admission::another_streams;
  std::string gone_log;
  if (is_rotated_file(found, all, gone_log)) return Admission::another_streams;
  const auto status = files.status(found.path);
  if (!status && !found.literal) {
    const Errno error = status.error();
    if (error == ENOENT || error == ENOTDIR) return Admission::another_streams;
    if (is_passing(error)) {  // who it is must be known first: it may be another stream's
      unasked.push_back({found.path, std::generic_category().message(error)});
      return Admission::another_streams;
    }
  }
  const bool is_file = status && status->type == FileType::regular;
  if (is_file && !found.literal && !taking_up->asks_read_before && finished.knows(key_of(*status)))
    return Admission::behind_others;
  if (is_file)
    if (const auto left = left_to_a_stream(found, *status, all, now)) return *left;
  // Its log may be gone for so long that nobody spoke of it at the start.
  if (const auto watch = discovery.watch_of(gone_log); watch && recall && !gone_log.empty()) {
    const auto log = recall(gone_log);
    if (!log) return put_off();
    if (*log) return take_up(add(gone_log, *watch, false, now), **log);
  }
  return begin_stream(found, is_file ? std::optional(*status) : std::nullopt, now);
}

// Whether it is, by its name, what a followed log was rotated to. `gone_log`: of which log, where none is there.
bool Follower::Impl::is_rotated_file(const Discovery::Found& found, const Listing& all,
                                     std::string& gone_log) {
  if (found.literal || discovery.watch(found.watch).apart) return false;
  const SplitPath place = split_path(found.path);
  if (const auto rotated = rotated_name(place.name)) {
    const std::string log = found.path.substr(0, found.path.size() - place.name.size()) + rotated->base;
    const bool belongs =
        (by_path.contains(log) || all.paths.contains(log)) && may_be_rotated_from(log, found.path);
    if (belongs && passed_look) pass_over(found.path, log);
    if (belongs || is_rotated_elsewhere(place, rotated->base)) return true;
    if (!by_path.contains(log)) gone_log = log;
  }
  return was_shifted(place);
}

// Where another stream reads the file, or will: under another of its names, as the file that it has lost, or as what this
// one is a copy of. Nothing: it is nobody's yet.
std::optional<Follower::Impl::Admission> Follower::Impl::left_to_a_stream(const Discovery::Found& found,
                                                                          const FileStatus& status,
                                                                          const Listing& all,
                                                                          SteadyTime now) {
  if (const auto owner = by_key.find(key_of(status)); owner != by_key.end()) {
    Followed& reader = streams.at(owner->second);
    if (was_moved(reader, found.path, status)) reader.awake().go_on_in(found.path, status);
    schedule.hint(owner->second, now);  // perhaps it has lost the file, and only does not know it yet
    return Admission::another_streams;
  }
  if (const auto owner = stream_of_another_name(status, all)) {
    schedule.hint(*owner, now);
    return Admission::another_streams;
  }
  if (!found.literal && has_too_many(status.owner)) {
    ++refused[*status.owner];
    return Admission::another_streams;
  }
  const auto away = found.literal ? OsResult<bool>(false) : leads_away(found.path);
  if (!away) return put_off();  // as a source of its own it would be read twice
  if (*away) return Admission::another_streams;
  auto anothers = hand_to_who_lost_it(found.path, status, 0);
  if (anothers && !*anothers) anothers = is_copy_of_followed(found.path, status);
  if (!anothers && anothers.error() == EREMOTE) {
    unasked.push_back({found.path, kOthersUnreadable, status.owner});
    return Admission::another_streams;
  }
  if (!anothers && (is_passing(anothers.error()) || is_absent(anothers.error()))) return put_off();
  if (anothers && *anothers) return Admission::another_streams;
  return std::nullopt;
}

// As the history has it; behind what was read of it under another name; or from its beginning.
Follower::Impl::Admission Follower::Impl::begin_stream(const Discovery::Found& found,
                                                       const std::optional<FileStatus>& file,
                                                       SteadyTime now) {
  const auto known = recall ? recall(found.path) : OsResult<std::optional<Position>>(std::nullopt);
  auto before = file && !(known && *known) ? read_before(contents, found.path, *file, finished)
                                           : OsResult<ReadPart>(ReadPart{});
  const bool is_unreadable = !before && !is_passing(before.error());
  if (is_unreadable) before = ReadPart{};  // it is not ours to read: that is told later
  if (!before && Stream::lacks_descriptors(before.error())) close_oldest(0);
  if (!before) return put_off();
  if (!known) return Admission::another_streams;
  Followed& followed = add(found.path, found.watch, found.literal, now);
  if (file) note_owner(followed, file->owner);
  if (*known) return take_up(followed, **known);
  if (!file) return Admission::begun;
  if (const auto begun = begun_before(found.path, *file)) return take_up(followed, *begun);
  claim(followed, key_of(*file));
  note_target(followed);
  followed.expect(*file);
  if (is_unreadable) followed.awake().expect_read_before();
  if (before->offset > 0) followed.awake().begin_behind(*file, *before);
  note_head(followed);
  return Admission::begun;
}

// To the next scan, which comes soon, and without a hint.
Follower::Impl::Admission Follower::Impl::put_off() {
  scan_left_some = true;
  return Admission::put_off;
}

}  // namespace etad::follow
