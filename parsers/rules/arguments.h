// What a program's options (options.h) say of its training. Of the names that scripts give them only those are known that
// say of which network it is, of how many samples a batch, and how many epochs it takes. Pure.
#pragma once

#include <string_view>

#include "parsers/base/event.h"

namespace etad {

// Adds network, batch_size (of each device), global_batch_size and epochs to the event, as far as the message says them
// and the event lacks them: views into the message. False: it says nothing of them.
bool add_arguments(std::string_view message, Event& event);

}  // namespace etad
