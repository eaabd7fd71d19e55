// What a program says that it was started with.
#include "parsers/base/text.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::Arguments;
using track::RunTrack;

namespace {

// What lines that are surer have not said.
void add_arguments(RunTrack& r, const Arguments& told) {
  if (r.run.network.empty()) r.run.network = told.network;
  if (r.known.batch_size || r.known.global_batch_size) return;
  r.known.batch_size = told.batch_size;
  r.known.global_batch_size = told.global_batch_size;
}

}  // namespace

// The first of several counts: what a program trains stands before what it evaluates or saves. It begins no run, and is
// of all that the program trains.
void track::Values::argument(const Moment& m) {
  Arguments& told = state_.arguments;
  if (told.used) told = {};
  if (told.network.empty()) told.network = kept_text(m.event.text(Field::network), track::kMaxText);
  if (!told.batch_size) told.batch_size = positive_of(m.event, Field::batch_size);
  if (!told.global_batch_size) told.global_batch_size = positive_of(m.event, Field::global_batch_size);
  RunTrack* const begun = all_.runs.open();
  if (!begun || begun->progressed()) return;
  add_arguments(*begun, told);
  begun->dirty = true;
}

void track::Values::begin_with_arguments(RunTrack& r) {
  add_arguments(r, state_.arguments);
  state_.arguments.used = true;
}

}  // namespace etad
