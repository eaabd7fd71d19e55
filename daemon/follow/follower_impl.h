// What the follower is made of: its streams, who reads which file, and when each is looked at.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "daemon/follow/chain.h"
#include "daemon/follow/contents.h"
#include "daemon/follow/discovery.h"
#include "daemon/follow/filesystem.h"
#include "daemon/follow/finished.h"
#include "daemon/follow/followed.h"
#include "daemon/follow/follower.h"
#include "daemon/follow/journal.h"
#include "daemon/follow/rotation.h"
#include "daemon/follow/schedule.h"
#include "daemon/follow/stream.h"

namespace etad::follow {

// In one array: of ten thousand files, nodes would lie between what each commit takes and gives back, and hold its memory.
template <class Key, class Value, class Hash = std::hash<Key>>
using FlatMap = boost::unordered_flat_map<Key, Value, Hash>;

inline constexpr std::chrono::microseconds kOfEachName{10};  // of rest, for half a microsecond of listing

struct Follower::Impl {
  // A file that is left to another stream for its name, and whether it is written to all the same.
  struct PassedOver {
    FileKey key;
    std::int64_t size = 0;
    int growths = 0;
    std::string base;  // that stream's path
    std::optional<std::int64_t> owner;
  };

  Impl(FileSystem& filesystem, HintSource* hint_source, Options opts, OpenJournal journal)
      : files(filesystem),
        hints(hint_source),
        options(opts),
        contents(files, options.largest_inflated),
        schedule(options),
        most_open(opts.max_open),
        around{files,
               contents,
               options,
               finished,
               [this](const std::string& path, const FileKey& key, StreamId self) {
                 return is_read_by_another(path, key, self);
               },
               [this](const std::string& path, const FileStatus& status, StreamId self) {
                 return hand_to_who_lost_it(path, status, self);
               },
               [this](const std::string& path, const std::string& file, const FileStatus& status,
                      std::int64_t from,
                      bool may_go_on) { return imported(path, file, status, from, may_go_on); },
               [this](const std::string& path) { return leads_away(path); },
               [this](const std::string& path) { return folders_of(path); },
               [this](const std::string& path, const std::string& folder) { note_folder(path, folder); }},
        open_journal_by(journal ? std::move(journal) : OpenJournal(open_journal)) {}

  void set_watches(std::vector<Watch> watches);
  void add_journals(SteadyTime now);
  void restore_all(std::vector<Position> positions, SteadyTime now);
  void note_read(const Position& position);
  bool is_taken(const FileKey& key, StreamId self) const;
  OsResult<bool> is_read_by_another(const std::string& path, const FileKey& key, StreamId self);
  std::vector<Followed*> newest_alike(std::uint64_t head, const std::function<bool(const Followed&)>& may_be);
  OsResult<bool> hand_to_who_lost_it(const std::string& path, const FileStatus& status, StreamId self);
  OsResult<bool> has_lost_its_file(const Followed& followed, const std::string& path,
                                   const FileStatus& status);
  OsResult<bool> still_holds(const std::string& path, const FileKey& key, const ReadPart& part);
  OsResult<std::optional<std::string>> lies_beside(const Followed& followed);
  OsResult<std::optional<std::string>> lies_elsewhere(const Followed& followed);
  OsResult<bool> lies_aside(const Followed& followed);
  void note_left_alone(Followed& reader, const std::string& content, const Holder& holder);
  bool is_being_put_there(const FileStatus& status) const;
  bool is_being_compressed(const FileStatus& status, const OsResult<Fingerprint>& head) const;
  OsResult<bool> leads_away(const std::string& path) const;
  OsResult<bool> leads_to_another(const std::string& path) const;
  OsResult<bool> is_another_name(const std::string& path) const;
  std::vector<std::string> folders_of(const std::string& path) const;
  void note_folder(const std::string& path, const std::string& folder);
  bool may_be_rotated_from(const std::string& base, const std::string& path);
  bool was_shifted(const SplitPath& place);
  bool is_rotated_elsewhere(const SplitPath& place, const std::string& base) const;
  Followed& add(const std::string& path, std::size_t watch, bool literal, SteadyTime now);
  void drop(StreamId id);
  void scan(SteadyTime now);
  // What a scan has found.
  struct Listing {
    std::unordered_set<std::string_view> paths;
    std::unordered_multimap<std::uint64_t, StreamId> followed;  // by the inodes under the paths of streams
    std::unordered_multimap<std::uint64_t, const std::string*> others;  // and under other names
  };
  // The names that it has found, while those are asked about that are no streams: in slices, and in turns of their owners,
  // each of which has the turn when the names of all others have cost more.
  struct TakingUp {
    struct Names {
      std::deque<const Discovery::Found*> left;
      std::chrono::nanoseconds spent{0};
    };
    std::vector<Discovery::Found> found;
    Listing all;
    std::vector<const Discovery::Found*> unknown;
    std::size_t asked = 0;  // of how many of these the owner is known
    using ByOwner = std::map<std::optional<std::int64_t>, Names>;
    ByOwner of_owner;
    ByOwner read_before;            // which come behind all others (Admission::behind_others)
    bool asks_read_before = false;  // these, by now
    SteadyTime begun{};
    bool more_expected = false;
    bool any_new = false;
  };
  // Whose names have cost much in one scan: until then none of theirs is asked about, and then those behind that one first.
  struct Rest {
    SteadyTime until;
    std::string after;
  };
  bool list_names();
  void begin_taking_up(SteadyTime now);
  void ask_owner(TakingUp& names, const Discovery::Found& found);
  void begin_behind_rests(TakingUp& names);
  bool take_up_some(SteadyTime now);
  void end_scan(SteadyTime now);
  enum class Admission {
    another_streams,  // or nothing to be read
    begun,
    put_off,
    // Read to its end once, a copy above all. Where its log is lost by now, another name may be that, written anew: only
    // where none is can it be this one.
    behind_others,
  };
  Admission admit(const Discovery::Found& found, const Listing& all, SteadyTime now);
  bool is_rotated_file(const Discovery::Found& found, const Listing& all, std::string& gone_log);
  std::optional<Admission> left_to_a_stream(const Discovery::Found& found, const FileStatus& status,
                                            const Listing& all, SteadyTime now);
  Admission begin_stream(const Discovery::Found& found, const std::optional<FileStatus>& file,
                         SteadyTime now);
  Admission put_off();
  std::optional<StreamId> stream_of_another_name(const FileStatus& status, const Listing& all);
  bool may_be_read(const std::string& path) const;
  OsResult<bool> is_copy_of_followed(const std::string& path, const FileStatus& status);
  OsResult<Imported> imported(const std::string& path, const std::string& file, const FileStatus& status,
                              std::int64_t from, bool may_go_on);
  OsResult<std::string> place_of(const Followed& followed);
  bool was_moved(const Followed& followed, const std::string& path, const FileStatus& status);
  void note_target(Followed& followed);
  void note_head(Followed& followed);
  void pass_over(const std::string& path, const std::string& base);
  bool gives_hints(const Followed& followed) const;
  using Dated = std::pair<Instant, Position>;
  static std::vector<Dated> by_last_write(std::vector<Position> positions);
  Admission take_up(Followed& followed, const Position& position);
  void note_unkept(const Followed& followed, std::int64_t size);
  std::optional<Position> begun_before(const std::string& path, const FileStatus& now);
  bool was_read_further(const Followed& followed, const FileKey& key);
  void claim(Followed& followed, const std::optional<FileKey>& key);
  void note_owner(Followed& followed, std::optional<std::int64_t> owner);
  bool has_too_many(std::optional<std::int64_t> owner) const;
  void set_next_scan(SteadyTime now, bool found_any);
  void forget_gone(SteadyTime now);
  void watch_directories(SteadyTime now);
  void look(StreamId id, SteadyTime now, std::size_t& budget, std::vector<Batch>& out);
  static void close(Followed& followed);
  void close_idle(SteadyTime now);
  void close_oldest(std::size_t most_left);
  void note_removed(const std::string& path);
  void wake(const std::string& path, SteadyTime now);
  void hurry_scan(SteadyTime now);

  FileSystem& files;
  HintSource* hints;
  Options options;
  Discovery discovery;
  FinishedFiles finished;
  Contents contents;
  Schedule schedule;
  std::size_t most_open;  // descriptors: fewer than in the options where the system has no more
  Stream::Surroundings around;

  std::map<StreamId, Followed> streams;
  std::map<std::string, Position> unkept;                // of which nothing could be committed, by its path
  FlatMap<std::string_view, StreamId> by_path;           // the names are the streams'
  std::set<std::pair<std::string, StreamId>> by_target;  // where a link leads: several may lead to one file
  FlatMap<FileKey, StreamId, HashOfKey> by_key;
  std::set<std::pair<std::uint64_t, StreamId>> by_head;
  std::unordered_map<std::int64_t, std::size_t> of_owner;  // how many streams' files each has
  std::map<std::int64_t, std::size_t> refused,
      told_refused;                     // and how many more this scan has found, and the last one
  std::map<StreamId, SteadyTime> open;  // when each open file last moved
  std::map<StreamId, JournalStream> journals;
  std::vector<Watch> journal_watches;
  OpenJournal open_journal_by;
  StreamId next_id = 1;

  std::map<std::string, std::vector<std::string>> found_folders;  // of rotated files, by their logs' folder
  std::set<std::string> hinting;                                  // the directories that hints come from
  SteadyTime polled{};                                            // when, last
  std::size_t listed = 0;                                         // names, in that poll
  SteadyTime next_watch{};  // when all of them are watched anew: one may lie where another did
  SteadyTime next_scan{};
  SteadyTime last_scan{};
  SteadyTime next_passed_look{};
  std::map<std::string, PassedOver> passed_over;                 // as found at the last such look
  std::map<std::optional<std::int64_t>, std::size_t> passed_of;  // how many each owner has
  std::map<std::string, PassedOver> passed_before;               // during one: the look before
  std::vector<Obstacle> unasked, told_unasked;                   // as found in this scan, and in the last one
  const Listing* listing = nullptr;                              // while what it has found is asked about
  // How many copies of each owner are remembered.
  std::map<std::optional<std::int64_t>, std::size_t> left_alone_of;
  bool passed_look = false;  // this scan is one
  std::chrono::milliseconds scan_interval{0};
  bool scan_hinted = false;          // since the last scan
  bool scan_hinted_amid = false;     // since this one began
  bool scan_hints_expected = false;  // of whatever has come since
  bool scan_left_some = false;       // files it found were left to the next one
  std::unique_ptr<TakingUp> taking_up;
  std::map<std::int64_t, Rest> names_rest;  // by owner
  bool scan_hint_missed = false;            // something has come without one
  std::vector<Position> restored;           // until the first poll
  Recall recall;
  Imports imports;
  std::vector<std::string> notices;
  std::set<Errno> noticed;  // why the kernel gives no hints, each told once
};

}  // namespace etad::follow
