#include "parsers/training/epoch_borders.h"

#include <algorithm>

namespace etad::track {

std::optional<std::int64_t> EpochBorders::pass(std::int64_t of_epoch, std::int64_t at, std::int64_t first) {
  if (!epoch || of_epoch < *epoch || of_epoch > *epoch + 1 || at < step) {
    // It begins, begins again, or lines are missing.
    *this = {};
    from_zero = at == 0;
  } else if (of_epoch > *epoch && of_epoch > first) {
    const std::int64_t over = of_epoch - first, last = step + (*from_zero ? 1 : 0), gap = at - step;
    least = std::max(least, (last + over - 1) / over);
    most = std::min(most, at / over);
    // A line out of step with the others, right before the border, shows the epoch's last step.
    if (since < usual && since + gap == usual && last % over == 0) least = most = last / over;
    since = gap;
  } else if (at > step) {
    since = at - step;
    usual = std::max(usual, since);
  }
  epoch = of_epoch;
  step = at;
  return least == most ? std::optional(least) : std::nullopt;
}

}  // namespace etad::track
