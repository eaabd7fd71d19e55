// What was said last of a program whose end no rule knows: the exception of a Python traceback, that Slurm cancelled
// its job or killed it for want of memory, that somebody interrupted it, that its training stopped early or is done,
// behind which nothing more of its run came. A traceback amid a run that goes on is another matter, a warning's or a
// helper's, and so is the time of a training that each of its epochs tells. Internal to parsers/training.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace etad::track {

struct LastWords {
  bool traceback = false;    // its frames are being shown
  bool of_training = false;  // by one of them it is the training that failed, however much of it was shown
  std::string message;       // of the first exception since the run last showed that it goes on
  bool logged = false;  // the last traceback was written by a logger: the program has caught what it tells of
  bool survived = false;                     // behind such a one the training went on
  bool stopped_early = false, done = false;  // said since it last showed its training
  bool done_amid = false;                    // the same was said, and the training went on
  bool interrupted = false;                  // by somebody, whatever its helpers say of that
  bool joined_again =
      false;  // its processes have come together since its last step, as those of a program that starts
  std::int64_t behind = 0;  // lines of the training behind Slurm's word that it ends

  void hear(std::string_view line);     // one that no rule knows
  void fail(std::string_view message);  // a rule knows what failed, but not that all of it did
  // The run goes on, with its training or with a test, which may come behind its training's end.
  void forget(bool with_training);

  bool is_stop() const;  // somebody's will, not a failure
  bool is_done() const { return done && !done_amid; }
};

}  // namespace etad::track
