// A run in words: what the table, the live view and the page of a single run have in common. Pure.
#pragma once

#include <string>

#include "daemon/client/text.h"
#include "daemon/client/views.h"

namespace etad::client {

struct Progress {
  double iteration = 0, of = 0;  // of 0: no end is known
  double fraction() const;
};

Progress progress_of(const Object& run);
std::string percent_done(const Progress& progress);     // "62 %"
std::string iterations_text(const Progress& progress);  // "6,200 of 10,000"

std::string run_id_text(const Object& run);
std::string name_of_run(const Object& run);  // the network's, or else the log's file
// What is wrong with it, shortly: "may hang", "2.1 x slower", "failed: …", "lost: …"; empty: nothing known.
std::string trouble_of_run(const Object& run);
bool is_stalled(const Object& run);  // silent for far longer than it ever was
// "took 5.20 s", or of a running run what is wrong with it and what remains, with its interval.
std::string time_of_run(const Object& run);
Colour colour_of_state(const std::string& state);

}  // namespace etad::client
