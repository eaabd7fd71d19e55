// What a program's options (options.h) say of its training. Of the names that scripts give them only those are known that
// say of which network it is, of how many samples a batch, and how many epochs it takes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "parsers/base/event.h"

namespace etad {

// Adds network, batch_size (of each device), global_batch_size and epochs to the event, as far as the message says them
// and the event lacks them: views into the message. False: it says nothing of them.
bool add_arguments(std::string_view message, Event& event);

// Whether a line of settings printed as a tree is another phase's than training: "Eval :", "val_dataloader = dict(", and
// what is indented below it. `heading`: how far the one above is indented; none: it is of no other phase. To be asked of
// each line; `message` is what stands in the line behind its header.
bool is_of_other_phase(std::string_view line, std::string_view message, std::optional<std::int64_t>& heading);

}  // namespace etad
