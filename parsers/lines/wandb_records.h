// W&B's run files (wandb/run-DATE-ID/run-ID.wandb, also of runs that are not synchronised) to lines.
//
// The file is seven bytes (":W&B", a magic number, a version) and then LevelDB's log: blocks of 32 KiB, in them fragments
// of a checksum (4 bytes, CRC-32 of type and data), a length (2), a type (1) and data; a record is one fragment or
// several (leveldb, "Log format"). A record is a protobuf Record (wandb, wandb_internal.proto). Lines are made of
//
//     1766319370.249605 wandb run {"project": "tiny", "name": "first", "host": "n7"}
//     wandb config {"batch_size": 32, "epochs": 5}
//     wandb environment {"gpu": "NVIDIA H100", "gpu_count": 8}      what the machine has
//     1766319377.881798 wandb history {"_step": 0, "loss": 2.25}    a call of wandb.log(), shortest names first
//     wandb exit {"exit_code": 0, "runtime": 105}
//
// Values that are no numbers, words or truths are left out, and so are media, system metrics and what the program printed.
// Pure; any bytes may come.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/lines/record_file.h"

namespace etad {

// Whether a content is a run file, by its first bytes.
bool begins_wandb_file(std::string_view head);

// Appends the lines of the whole records that the piece begins with. Damage costs the rest of its block. A record that
// is not whole in the longest piece there is, is passed over.
TakenRecords take_wandb_records(const RecordPiece& piece, std::size_t line_limit,
                                std::vector<std::string>& lines);

}  // namespace etad
