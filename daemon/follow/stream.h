// One stream: the files that lie, and lay, under one path, read one after another.
//
// Each look asks three questions in this order. What lies under the path now? Where is the file we are
// reading (still there; renamed; a copy of it, if it was truncated; gone)? And, once it has been read to its
// end: is it final, and which file was written next? A file is final when a newer one has bytes, or when it
// has been deleted. Everything needed to answer is in the position, so a restarted daemon asks the same way.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/follow/chain.h"
#include "daemon/follow/filesystem.h"
#include "daemon/follow/finished.h"
#include "daemon/follow/follower.h"
#include "daemon/follow/reader.h"

namespace etad::follow {

// The file that a stream is reading.
struct CurrentFile {
  FileKey key;
  std::string elsewhere;  // where it was last found; empty: under the path, or not found yet
  FileReader reader;
  std::unique_ptr<Content> content;  // while open
  FileStatus seen;                   // just before it was last read
  std::int64_t found_size = 0;       // while nothing of it is read: when it was looked for
  ReadPart read_elsewhere{};         // what was read of it under another name, or by an import
  std::int64_t pending = 0;          // bytes of an unterminated line
  bool at_end = false;
  bool at_hole = false;    // NUL bytes that may still be filled
  bool unwritten = false;  // and nothing else is behind them: space that was allocated beforehand
  bool compressed = false;
  Errno cut =
      0;  // why what is behind can't be read: of what is inflated, the end is missing, damaged, or too far
  bool drained_finally = false;
  std::optional<SteadyTime> grew;  // when it was last seen to have grown; since we hold it
  Instant directory_modified{};

  // NUL bytes before `settled` have been there for long: the file was `measured_size` long `measured` ago.
  std::int64_t settled = 0;
  std::int64_t measured_size = 0;
  std::optional<SteadyTime> measured;
};

// What an import has read of a file. Where the import is of another's log, the stream does not go on with its runs.
struct Imported {
  ReadPart part;
  bool goes_on = true;
};

// What is said of a path under which nothing has been found.
inline constexpr const char* kNoFileYet = "no such file yet";
// And of a file that can't be told from another source's.
inline constexpr const char* kOthersUnreadable = "it may be another source's file, which can't be read now";

class Stream {
 public:
  // What it needs of its surroundings at every look.
  struct Surroundings {
    FileSystem& files;
    Contents& contents;
    const Options& options;
    FinishedFiles& finished;
    std::function<OsResult<bool>(const std::string& path, const FileKey&, StreamId)>
        taken;  // by another stream
    // What another stream has lost lies there: that one goes on with it.
    std::function<OsResult<bool>(const std::string& path, const FileStatus&, StreamId)> lost;
    // How much of a stream's file an import has read, `from` bytes or more. EBUSY: to be asked again.
    std::function<OsResult<Imported>(const std::string& path, const std::string& file, const FileStatus&,
                                     std::int64_t from, bool may_go_on)>
        imported;
    // The path is a link to a file that is followed itself.
    std::function<OsResult<bool>(const std::string&)> leads_away;
    // The folders beside its own in which a path's rotated files lie; and one more that was found out.
    std::function<std::vector<std::string>(const std::string& path)> folders;
    std::function<void(const std::string& path, const std::string& folder)> note_folder;
    Instant wall{};
    RotatedBeside beside{};
    std::size_t most_lines = 0;  // of this look's stream, at once
  };
  enum class Outcome {
    idle,     // nothing new
    moved,    // something was read or learnt
    backlog,  // the budget is spent, there is more
  };

  Stream(StreamId id, std::size_t tag, std::string path, bool read_rotated);

  // Goes on where the history has it.
  void restore(const Standing& standing);
  // Where it stands, if a stream that resumes from there would go on as this one: the file was read to its end and is
  // closed, and the history has all of it. Else none.
  const Standing* at_rest() const;
  void resume(const Standing& standing);
  // Another stream reads its file from now on.
  void let_go();

  // Reads at most about `budget` bytes and takes them off it. Appends batches.
  Outcome look(Surroundings& around, SteadyTime now, std::size_t& budget, std::vector<Batch>& out);

  void committed(const Batch& batch);
  void rewind(FinishedFiles& finished);
  void close_file();
  // For a new stream whose file has been read already, up to there, under another name.
  void begin_behind(const FileStatus& status, const ReadPart& part);
  // Likewise, where nobody can tell yet whether it has been, since it may not be read.
  void expect_read_before() { may_be_read_before_ = true; }
  // The name was deleted: what will lie under it is a new file.
  void note_removed() { removed_ = true; }
  // The content that was read lies in this other file now: reading goes on there.
  void go_on_in(const std::string& file, const FileStatus& status);
  // Of another file, all of which was read here: it is told with the next look.
  void note_finished(std::string identity);

  void set_tag(std::size_t tag) { tag_ = tag; }
  State state() const { return state_; }
  Errno failure() const { return failure_; }  // of the last look; 0: none
  static bool lacks_descriptors(Errno error) { return error == EMFILE || error == ENFILE; }
  bool is_open() const { return current_ && current_->content; }
  std::optional<std::int64_t> owner() const { return owner_; }  // a uid
  bool is_known() const { return known_; }                      // a file of its path has been read or begun
  std::optional<FileKey> key() const;                           // of the file being read
  // Whether that, or the one read before, has this key since its file system was mounted anew.
  bool has_when_mounted_anew(const FileKey& key) const {
    const FileKey& own = current_ ? current_->key : ended_key_;
    return key.device != own.device && same_but_for_device(key, own);
  }
  // Of what was read of it, or, where there is none, of the file before.
  ReadPart part() const { return current_ ? current_->reader.part() : last_.part; }
  std::optional<SteadyTime> gone_since() const { return gone_since_; }
  Status status() const;  // without what tells which stream it is of

 private:
  // What lies under the path: a regular file, nothing that could be read, or nobody knows.
  struct Target {
    std::optional<FileStatus> file;
    bool unsure = false;
    bool leads_away = false;
  };
  struct Look {
    Surroundings& around;
    SteadyTime now;
    std::size_t& budget;
    std::vector<Batch>& out;
    Target target;
    std::optional<Chain> chain{};  // of this step, where it needs one
    bool asked_below = false;      // whether ours lies in a folder below
  };
  enum class Step { again, done, out_of_budget };
  enum class Attached { yes, lost, later };
  enum class Drained { end, changed, hole, budget, failed };

  Target look_under_path(const Surroundings& around);
  Step take_step(Look& look);
  bool begin(Look& look);
  bool is_here(const Target& target) const { return target.file && key_of(*target.file) == current_->key; }
  bool nothing_new(const Look& look) const;
  bool line_is_idle(const Look& look) const;
  OsResult<std::string> lies_now(Look& look) const;
  Attached go_on_from_import(Look& look);
  Attached know_again(Look& look);
  Attached later(Errno error);
  Attached go_back_to_unseen(Look& look);
  Attached is_first(Look& look, const std::string& carried);
  void forget_content(Look& look);
  Attached see_its_kind(const Look& look);
  bool is_inflated_anew(const FileStatus& now) const;
  Attached attach(Look& look);
  Attached attach_at(Look& look, const std::string& file, const FileKey& expected);
  enum class Evidence { certain, content, put_aside };
  Attached attach_to_replacement(Look& look, Evidence evidence);
  void remember_original(Look& look, const Link& original);
  OsResult<bool> was_put_aside(Look& look);
  bool was_cut_meanwhile(const Look& look) const;
  OsResult<std::optional<std::string>> find_below(Look& look);
  OsResult<bool> may_be_written_again(Look& look);
  bool waits_for_the_rest(Look& look);
  Attached find_copy(Look& look);
  void settle(const Look& look, const FileStatus& status);
  // An unterminated line at the end: waited for, taken as it is, or carried into the next file.
  enum class LastLine { wait, take, carry };
  Drained drain(Look& look, LastLine last_line);
  OsResult<FileReader::Outcome> read_some(const Surroundings& around, LastLine last_line, Batch& batch,
                                          std::size_t& bytes);
  void note_read(FileReader::Outcome outcome, const FileStatus& status, SteadyTime now);
  bool is_final(Look& look);
  Step finish(Look& look);
  bool lets_others_look(Look& look);
  Step lose(Look& look);
  bool advance(Look& look);
  bool skip_what_came_back(Look& look, NextFile& next);
  void end_current(Look& look);
  void start_at(const NextFile& next);
  Link last_link() const;
  Chain& chain_of(Look& look) const;
  Chain::Others others(const Look& look) const;
  OsResult<bool> is_anothers(const Look& look, const FileStatus& under_path) const;
  bool may_be_anothers(const Look& look, const FileStatus& under_path);
  bool hand_to_who_lost_it(const Look& look, const FileStatus& under_path);
  void note_owner(const FileStatus& file);
  void fail(Errno error);

  void lies_at(const std::string& file);
  Batch new_batch() const;
  Standing& next_position();
  void emit(Batch batch, std::vector<Batch>& out);
  void report(std::size_t first, std::vector<Batch>& out);

  StreamId id_;
  std::size_t tag_;
  std::string path_;
  bool read_rotated_;

  Standing position_;  // what has been handed out
  std::unique_ptr<Standing>
      committed_;  // what the history holds, where that is another one: not while at rest
  std::vector<std::string> uncommitted_finished_;
  std::vector<std::string> untold_finished_;  // and not handed out yet either
  std::string carried_;                       // Position::carried
  std::optional<std::int64_t> owner_;         // whose log it is

  std::optional<CurrentFile> current_;
  Link last_;                        // the file before
  bool known_ = false;               // a file has been read under this path before
  bool may_be_read_before_ = false;  // under another name: to be asked when its first file can be read
  bool restarted_ = false;           // to be said with the next batch
  bool announce_ = false;            // a new file: its position is to be committed even without lines
  bool refound_ = false;             // likewise: what was read of the file lies in another now
  bool removed_ = false;             // the path's name was deleted since we took up what lay there
  bool gone_ = false;                // the file before had lost its last name, or its content
  bool others_looked_ = false;       // since this one's file was lost: perhaps one of them finds it
  std::optional<SteadyTime>
      short_since_;    // when less than was read was first seen under the path; until it holds that again
  Errno failure_ = 0;  // in this look
  bool unsettled_ = false;  // in this look: something is not known yet, asked again at once
  FileKey ended_key_;       // of the file before
  std::int64_t lost_bytes_ = 0;
  bool moved_ = false;  // in this look
  bool caught_up_ = false;

  State state_ = State::gone;
  std::string text_ = kNoFileYet;
  std::optional<State> told_state_;
  std::string told_error_;
  std::optional<SteadyTime> gone_since_;
};

}  // namespace etad::follow
