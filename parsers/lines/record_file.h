// Files that hold records instead of lines: TensorBoard's event files (event_records.h) and W&B's run files
// (wandb_records.h). Of each whole record a line is made for everything in it that a rule may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace etad {

enum class RecordFile : std::uint8_t { none, tensorboard, wandb };

inline constexpr std::size_t kRecordBlock =
    32 * 1024;                                  // W&B's records are written in blocks of so many bytes
inline constexpr std::size_t kRecordHead = 12;  // so many first bytes tell surely which it is; fewer perhaps
RecordFile record_file(std::string_view head);

// A piece of such a file, from the beginning of a record on.
struct RecordPiece {
  std::string_view bytes;
  std::int64_t offset = 0;  // of its first byte in the file
  std::size_t settled = 0;  // so many of its bytes will stay as they are: damage among them is passed over
  bool longest = false;     // no longer piece can be had
};

struct TakenRecords {
  std::size_t passed = 0;     // bytes that are done with: whole records, and damaged ones
  std::size_t skipped = 0;    // those of them that were damaged
  std::size_t truncated = 0;  // records that are too long and passed over, and lines of one beyond its most
  bool damaged = false;       // what comes next is, but may still be mended
  std::uint64_t next = 0;     // length of the record that comes next and is not whole; 0: not known
};

// Of one record: a megabyte of it could be made half a million.
inline constexpr std::size_t kMostLinesOfRecord = 4096;

// Appends the lines of the whole records that the piece begins with. Longer lines are cut at the limit.
TakenRecords take_records(RecordFile kind, const RecordPiece& piece, std::size_t line_limit,
                          std::vector<std::string>& lines);

}  // namespace etad
