// The systemd journal as a source: the messages of a unit, or of any match, as the lines of a stream. The
// journal's cursor is its position, committed like an offset.
//
// A watch "journal:caffe.service" follows a unit; "journal:_SYSTEMD_USER_UNIT=train.service,_UID=1000" the
// entries that match all of these fields.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/follower.h"

namespace etad::follow {

struct JournalEntry {
  std::string_view message;  // valid until the next call
  Instant at;
  bool cut = false;  // it was longer, and the rest is not read
};

// The journal as a stream sees it.
class JournalReader {
 public:
  virtual ~JournalReader() = default;
  // To the entry behind the one the cursor names; to the first one where the cursor is empty.
  virtual OsResult<void> seek(const std::string& cursor) = 0;
  virtual OsResult<std::optional<JournalEntry>> next() = 0;  // nothing: none yet. Never blocks
  virtual OsResult<std::string> cursor() = 0;                // of the entry read last
};

// The local journal, by libsystemd.
OsResult<std::unique_ptr<JournalReader>> open_journal(const std::vector<std::string>& matches);

bool is_journal(std::string_view path);
std::vector<std::string> journal_matches(std::string_view path);  // "_SYSTEMD_UNIT=caffe.service", …

class JournalStream {
 public:
  JournalStream(StreamId id, std::size_t tag, std::string path, OpenJournal open)
      : id_(id), tag_(tag), path_(std::move(path)), open_(std::move(open)) {}

  void restore(const Position& position) { committed_ = position_ = position; }

  bool is_restored() const { return !committed_.path.empty(); }

  // Reads at most about `budget` bytes and takes them off it. True: there is more.
  bool look(const Options& options, std::size_t& budget, std::vector<Batch>& out);

  void committed(const Batch& batch) { committed_ = batch.after; }
  void rewind();
  void set_tag(std::size_t tag) { tag_ = tag; }
  const std::string& path() const { return path_; }
  Status status() const;

 private:
  OsResult<void> read(const Options& options, std::size_t& budget, Batch& batch);
  void take(const JournalEntry& entry, std::size_t line_limit, Batch& batch);

  StreamId id_;
  std::size_t tag_;
  std::string path_;
  OpenJournal open_;
  std::unique_ptr<JournalReader> reader_;
  Position committed_;
  Position position_;  // `marker` is the cursor, `offset` counts entries
  std::string error_;
  bool caught_up_ = false;
};

}  // namespace etad::follow
