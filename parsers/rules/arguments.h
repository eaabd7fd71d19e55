// What a program says it was started with, in whatever way it prints that:
//
//   Namespace(arch='resnet18', batch_size=64)    {'model': 'resnet18', 'batch_size': 64}
//   python train.py --arch resnet18 -b 8 --batch-size=64
//   batch_size: 64          | Batch size | 64 |          model ........ resnet18
//
// Of the names that scripts give their options only those are known that say of which network a training is, and of how
// many samples a batch. Pure; one pass over the bytes.
#pragma once

#include <string_view>

#include "parsers/base/event.h"

namespace etad {

// Adds network, batch_size (of each device) and global_batch_size to the event, as far as the message says them and the
// event lacks them: views into the message. False: it says nothing of them.
bool add_arguments(std::string_view message, Event& event);

}  // namespace etad
