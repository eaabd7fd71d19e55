// What was said last of a program that broke off: the exception of a Python traceback, or that Slurm cancelled its
// job or killed it for want of memory, behind which nothing more of its run came. A traceback amid a run that goes on
// is another matter, a warning's or a helper's. Internal to parsers/training.
#pragma once

#include <string>
#include <string_view>

namespace etad::track {

struct LastWords {
  bool traceback = false;  // its frames are being shown
  std::string message;     // of the first exception since the run last showed that it goes on

  void hear(std::string_view line);  // one that no rule knows
  bool is_stop() const;              // somebody's will, not a failure
};

}  // namespace etad::track
