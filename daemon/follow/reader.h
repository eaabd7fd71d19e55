// Reading one file's content forward, block by block, to the ends of lines.
//
// Between two reads nothing is kept but where we stand: the beginning of a line is read again together with
// its end. Each read begins with the marker's bytes and compares them, so that a content that was replaced
// under us (truncated and already grown past our offset) is seen by the read itself. Only a line longer than
// a block is carried along: cleaned, and so never more than the line limit.
//
// NUL bytes are a hole, and a hole may fill later: a network file system shows a file's new length before its
// bytes. Reading stops at one until it has been there for so long that it will stay.
//
// Files of records (record_file.h) hold any bytes within them: they are read to the end of the last whole record.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "daemon/follow/content.h"
#include "daemon/follow/follower.h"
#include "parsers/lines/line.h"
#include "parsers/lines/record_file.h"

namespace etad::follow {

class FileReader {
 public:
  enum class Outcome {
    more,     // a block was read, and there may be another
    end,      // nothing behind it, for now
    hole,     // NUL bytes that are not settled
    changed,  // the bytes before our offset are not those we read: this is another content
  };

  explicit FileReader(ReadPart part = {}) : part_(part) {}

  struct How {
    bool take_rest = false;    // an unterminated last line is a line too, and nothing more will come
    std::int64_t settled = 0;  // NUL bytes before this offset will not be filled
    bool carry = false;        // with `take_rest`: the last line's parts go on in another file
    std::size_t most_lines = std::numeric_limits<std::size_t>::max();
  };
  // Reads one block and appends its lines to the batch, with what was skipped. `bytes_read` counts against
  // the budget. `carried` are the parts of a line that the file before ended with (Position::carried): they
  // are joined with what is read, or those of this file are added to them.
  OsResult<Outcome> read(Content& content, const Options& options, const How& how, std::string& carried,
                         Batch& batch, std::size_t& bytes_read);

  // Why what is behind the last read can't be read; 0: it can, or there is nothing.
  Errno error_behind(Content& content) const;

  const ReadPart& part() const { return part_; }
  std::int64_t unterminated() const { return unterminated_; }  // bytes behind the offset at the last end
  bool draws_bar() const { return draws_bar_; }                // these are states of a progress bar

 private:
  struct LongLine {
    LongLine(std::size_t limit, std::int64_t scanned_to);
    std::string text;
    LineCleaner cleaner;
    std::int64_t scanned;
    std::int64_t hole_bytes = 0;
  };

  struct Block;

  OsResult<RecordFile> records_of(Content& content);
  OsResult<Outcome> read_records(RecordFile kind, Content& content, const Options& options, const How& how,
                                 Batch& batch, std::size_t& bytes_read);
  OsResult<Outcome> read_block(Content& content, const Options& options, const How& how, std::string& carried,
                               Batch& batch, std::size_t& bytes_read);
  OsResult<bool> read_behind(Content& content, const Options& options, const How& how, Block& block,
                             std::size_t& bytes_read) const;
  OsResult<bool> go_on_with_line(Content& content, std::size_t line_limit, const How& how, Block& block,
                                 Batch& batch) const;
  OsResult<Outcome> take_block(Content& content, const Options& options, const How& how, Block& block,
                               std::size_t complete, bool joined, std::string& carried, Batch& batch);
  OsResult<Outcome> read_long(Content& content, const Options& options, bool take_rest, Batch& batch,
                              std::size_t& bytes_read);
  OsResult<Outcome> pass_hole(Content& content, const Options& options, const How& how, std::size_t nuls,
                              Batch& batch, std::size_t& bytes_read);
  OsResult<std::int64_t> line_begin(Content& content, std::size_t limit) const;
  OsResult<bool> advance(Content& content, std::int64_t offset);
  OsResult<bool> grow_head(Content& content, std::int64_t offset);

  ReadPart part_;
  std::int64_t unterminated_ = 0;
  bool draws_bar_ = false;
  std::int64_t hole_until_ = 0;  // from the offset up to here there are NUL bytes only, as far as we looked
  std::unique_ptr<LongLine> long_;
  std::optional<RecordFile> records_;  // which of them it is; not known while it has but a few bytes
};

}  // namespace etad::follow
