#include "parsers/lines/record_file.h"

#include "parsers/lines/event_records.h"
#include "parsers/lines/wandb_records.h"

namespace etad {

RecordFile record_file(std::string_view head) {
  if (begins_wandb_file(head)) return RecordFile::wandb;
  return begins_event_file(head) ? RecordFile::tensorboard : RecordFile::none;
}

TakenRecords take_records(RecordFile kind, const RecordPiece& piece, std::size_t line_limit,
                          std::vector<std::string>& lines) {
  if (kind == RecordFile::wandb) return take_wandb_records(piece, line_limit, lines);
  return take_event_records(piece.bytes, piece.settled, line_limit, lines);
}

}  // namespace etad
