// How many steps an epoch has, of a log whose steps count on from epoch to epoch and which does not say it: between the
// last line of one epoch and the first line of the next lies the border. Internal to parsers/training.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace etad::track {

struct EpochBorders {
  std::int64_t least = 1;                                        // steps of an epoch, as the borders seen
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  // allow them
  std::int64_t step = 0, since = 0;  // the line's before, and how many lie between it and the one before that
  std::int64_t usual = 0;            // how many mostly do
  std::optional<std::int64_t> epoch;  // the line's before
  std::optional<bool> from_zero;      // the first step is number 0

  // A line of an epoch shows this step of the run; the first epoch has the number `first`. Gives the steps of an epoch
  // where they are known for certain.
  std::optional<std::int64_t> pass(std::int64_t of_epoch, std::int64_t at, std::int64_t first);
};

}  // namespace etad::track
