// TensorBoard's event files (events.out.tfevents.*) to lines.
//
// The file is a sequence of records: the length of the payload (8 bytes, little-endian), the masked CRC32C of
// these 8 bytes, the payload, its masked CRC32C (TensorFlow, "TFRecord and tf.train.Example"). A payload is a
// protobuf Event (tensorflow/core/util/event.proto). Of each whole record a line is made for everything in it
// that a rule may read:
//
//     1604258862.250000 tfevents step 200 train/loss = 0.4125          a scalar
//     1604258862.250000 tfevents step 0 args/text_summary : {"a": 1}   a text
//     1604258862.250000 tfevents hparams {"batch_size": 32}            the hyper-parameters of a session
//     1604258862.250000 tfevents session_end 1                         how it ended: 1 success, 2 failure
//     1604258862.250000 tfevents file_version brain.Event:2            the first record
//
// Graphs, images and histograms are passed over. Pure; any bytes may come.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/lines/record_file.h"

namespace etad {

// Whether a content is an event file, by its first kRecordHead bytes.
bool begins_event_file(std::string_view head);

// Appends the lines of the whole records that `bytes` begins with. The first `settled` bytes will stay as they
// are: damage among them is passed over, up to the next head of a record. Longer lines are cut at the limit.
TakenRecords take_event_records(std::string_view bytes, std::size_t settled, std::size_t line_limit,
                                std::vector<std::string>& lines);

}  // namespace etad
