// Following log files so that nothing is lost and nothing is counted twice.
//
// A *stream* is what the configuration finds under one path. Its files (the current one, and those rotated
// away from the path) are read in order, one after another, and their lines are one sequence: a run goes on
// across a rename, a copytruncate, or a delete and recreate under the same path.
//
// The follower holds no truth. It hands out batches of complete lines, each with the position after them; the
// caller commits records and position in one transaction and then says `committed`, or says `rewind`, and the
// same bytes are read again. One thread drives it; file system, hints and times are given to it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "daemon/follow/position.h"
#include "parsers/base/time.h"
#include "parsers/lines/line_block.h"

namespace etad::follow {

class FileSystem;
class HintSource;
class JournalReader;
using OpenJournal =
    std::function<tl::expected<std::unique_ptr<JournalReader>, int>(const std::vector<std::string>& matches)>;

// Where a path's stream stands by the history; nullopt: it has none of that path. An errno value: it can't be read now.
using Recall = std::function<tl::expected<std::optional<Position>, int>(const std::string& path)>;
// What imports have read, as the history has it now, each by its finished identity. An errno value: that can't be told now.
struct Imports {
  // Of logs that begin with this head.
  std::function<tl::expected<std::vector<std::string>, int>(const std::string& head)> that_begin;
  // Whether the stream of that path, and of a file known by that identity (Position::identity), goes on where this import
  // has ended: then its source is the stream's from now on. `owner`: uid of the file's. False: it is another's by now.
  // EPERM: it is of another owner's log.
  std::function<tl::expected<bool, int>(const std::string& path, const std::string& identity,
                                        std::optional<std::int64_t> owner, const std::string& imported)>
      go_on;
};
using SteadyTime = std::chrono::steady_clock::time_point;
using StreamId = std::uint32_t;  // stable for the life of the follower, never reused

// What to follow. `tag` comes back in every batch: the index of the configuration's source.
struct Watch {
  std::string
      pattern;  // a path; *, ? and [] match within one component. Or "journal:" and a unit (journal.h)
  std::size_t tag = 0;
  bool read_rotated = false;  // a stream seen for the first time begins with its rotated files (also .gz)
  bool apart = false;  // what its wildcards find is a log of its own, also where its name is a rotated file's
  // Where its logs' rotated files lie beside their own folder: below that, or by an absolute path.
  std::vector<std::string> rotated_in{};
};

struct Options {
  std::size_t line_limit = 64 * 1024;     // longer lines are cut there and counted
  std::size_t batch_bytes = 1024 * 1024;  // most bytes read from one stream at once
  // And most lines: a megabyte of short ones would take a hundred of them as lines, and seconds to be understood. Fewer of
  // those that are dear, and of a stream of which that is not known yet (Follower::pace).
  std::size_t most_lines = 16'384, first_lines = 16'384;
  std::chrono::milliseconds hint_interval{5};       // least time between two looks at a hinted stream
  std::chrono::milliseconds active_interval{200};   // a stream that just moved is looked at again after this
  std::chrono::milliseconds idle_interval{10'000};  // the interval doubles up to this while nothing moves,
  std::chrono::milliseconds hinted_interval{60'000};       // or to this where hints come from its directory
  std::chrono::milliseconds line_idle_limit{3'600'000};    // then an unterminated last line is taken as it is
  std::chrono::milliseconds bar_idle_limit{300'000};       // and one that draws a progress bar already then
  std::chrono::milliseconds hole_limit{60'000};            // then NUL bytes are no hole that fills later
  std::chrono::milliseconds close_after{30'000};           // idle descriptors are closed
  std::chrono::milliseconds forget_after{24 * 3'600'000};  // streams whose file is gone are forgotten
  std::size_t most_of_owner = 50'000;         // files of one user that wildcards find; 0: any number
  std::size_t max_open = 512;                 // descriptors; the least recently read is closed first
  std::int64_t largest_inflated = 4LL << 30;  // more of a compressed file is not read

  std::chrono::milliseconds longest_rest(bool hints_come) const {
    return hints_come ? std::max(hinted_interval, idle_interval) : idle_interval;
  }
};

// What a stream is doing, as GET /v1/sources shows it.
enum class State : std::uint8_t {
  following,  // read to its end, or on the way there
  waiting,    // can't be read now (permission, too many open files, an I/O error): tried again
  refused,    // not a regular file, or a link that leads nowhere: looked at again, never opened
  gone,       // no file under the path, and none of its files left to read
};

// Lines of one file of one stream, or news about a stream without lines. Owns its bytes; may be moved.
struct Batch : TakenLines {
  StreamId stream = 0;
  std::size_t tag = 0;
  std::string path;                   // the stream's
  Position after;                     // to be committed together with what the lines gave
  std::int64_t lost_bytes = 0;        // known to be gone unread
  std::string torn;                   // the beginning of the first line, if that was given out before it was
                                      // ended: then the line went on after all
  std::int64_t size = 0;              // of the file, when read
  std::optional<std::int64_t> owner;  // uid of the log's; none: not known
  Instant modified{};                 // the file's, when read: gives a timestamp without a year its year
  Instant born{};                     // when the file was made; the epoch where the file system does not say
  bool caught_up = false;  // these lines reach the end of the file, and no other file waits behind it
  bool ended = false;      // this file is finished: `finished` goes on the list of finished files
  bool restarted = false;  // the file of these lines is not the one of the lines before (or begins anew)
  bool refound = false;    // what was read so far lies in another file by now, which `after` names
  std::string finished;    // see `ended`
  std::string read_elsewhere{};  // of a file begun amid: finished_identity of what was read of it elsewhere
  State state = State::following;
  std::string error;  // why it can't be read; given once, when that changes; "" when it is over
  bool error_changed = false;

  std::unique_ptr<char[]> bytes;  // what `lines` points into, and `joined`
};

// One stream for GET /v1/sources.
struct Status {
  StreamId stream = 0;
  std::size_t tag = 0;
  std::string path;
  std::string file;  // where the file being read was last found, when not under `path`
  State state = State::following;
  std::string text;  // "following"; "waiting: permission denied"; "a directory, not a regular file"
  std::int64_t offset = 0;
  std::int64_t size = 0;
  bool caught_up = false;
  bool open = false;
};

// What keeps a file or a folder from being read.
struct Obstacle {
  std::string path;
  std::string text;                     // "Permission denied"
  std::optional<std::int64_t> owner{};  // uid, where that is known
};

// What the last look at the patterns came to, beside the files found.
struct Lookup {
  std::vector<Obstacle> unreadable;  // folders
  std::vector<Obstacle> unasked;     // files of which it can't be known now whether another stream reads them
  std::vector<std::string> unmatched;  // patterns that no file fits
  std::vector<std::string> crowded;    // folders with more below them than "**" looks into
  std::vector<std::string> refused;    // by user, how many files are too many: "user 1001: 380000 files"
  std::vector<Obstacle>
      passed_over;  // files that grow and that nobody reads, since they are named as rotated ones
};

class Follower {
 public:
  // `files` and `hints` must outlive the follower; without `hints` it polls. Without `open_journal` the
  // journal is systemd's.
  Follower(FileSystem& files, HintSource* hints, std::vector<Watch> watches, Options options = {},
           OpenJournal open_journal = {});
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Before the first poll: where the streams stand, and the files that will not be read again. Of several
  // positions of one path the last counts. `recall` is asked where a stream stood that is none of these: it
  // was forgotten, or never was. Until it can be told, the stream is not begun. `imports` are asked of each
  // file of which nothing has been read yet.
  void restore(std::vector<Position> positions, std::vector<std::string> finished, Recall recall = {},
               Imports imports = {});

  // Files that were read by somebody else, an import: likewise not read again.
  void add_finished(std::vector<std::string> identities);

  // Replaces what is watched (a reload). Streams that no watch finds any more are dropped,
  // and begin anew if they are watched again without a restore.
  void set_watches(std::vector<Watch> watches);

  // Looks at everything that is due and reads at most about `budget` bytes (at least one batch). Never blocks
  // on a file. Several batches of one stream are in order. Nothing due: an empty vector.
  std::vector<Batch> poll(SteadyTime now, Instant wall, std::size_t budget);
  // The same, bit by bit: what of it was read is given away before more is. False: enough.
  using Take = std::function<bool(std::vector<Batch>)>;
  void poll(SteadyTime now, Instant wall, std::size_t budget, const Take& take);
  // What the stream's last lines took whoever they were given to, where they may take so much: of dear ones there are fewer
  // at once from now on, of cheap ones more, so that no log's lines hold up those of others for long.
  void pace(StreamId stream, std::chrono::nanoseconds took, std::chrono::nanoseconds most);

  // How many names of folders the last poll listed.
  std::size_t listed() const;

  // When the next poll is worth it; in the past if work is waiting.
  SteadyTime next_due(SteadyTime now) const;

  // A descriptor that becomes readable when on_hint should be called; -1 where there is none (again).
  int hint_fd() const;
  void on_hint(SteadyTime now);

  // The batch's records and position are in the history. Batches of a stream are committed in their order;
  // the last one of several speaks for those before it only if each of them was given to `committed`.
  void committed(const Batch& batch);

  // The commit failed: everything of this stream since its last committed batch is read again.
  void rewind(StreamId stream);

  // Of those at rest (followed.h) there is nothing to say but that they are followed.
  std::vector<Status> statuses(bool of_those_at_rest = true) const;
  // Whether a pattern finds that name, or it is a journal's that is followed.
  bool is_watched(const std::string& path) const;
  std::size_t size() const;  // how many streams there are
  Lookup lookup() const;

  // Messages for the log that belong to no file ("inotify: no space left …; polling instead"), each once.
  std::vector<std::string> take_notices();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace etad::follow
