// Lines kept while it is not sure which format a log has, so that what stands above the first telling line is not lost.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "parsers/log/log_state.h"

namespace etad {

// The first lines, among which programs print their settings, and the last ones. Of what is too much it forgets what lies
// between, such as the parameters of a network, named one by one.
class HeldLines {
 public:
  // How many lines it forgets for this one. Of a long one the beginning is held.
  std::int64_t add(HeldLine line);
  void clear();

  // Whether it differs in nothing but its digits from one of the last few.
  bool has_like(std::string_view line) const;

  bool empty() const { return first_.empty() && last_.empty(); }
  std::int64_t forgotten() const { return forgotten_; }  // between the first and the last ones
  std::int64_t size() const { return static_cast<std::int64_t>(first_.size() + last_.size()); }
  std::int64_t first_size() const { return static_cast<std::int64_t>(first_.size()); }
  // In the log's order. Restored with how many of them are the first ones, they are held as they were; below 0: as many as
  // fit.
  std::vector<HeldLine> all() const;
  void restore(std::vector<HeldLine> all, std::int64_t first, std::int64_t forgotten);

  template <typename Take, typename Miss>
  void for_each(const Take& take, const Miss& miss) const {
    for (const HeldLine& line : first_) take(line);
    if (forgotten_ > 0) miss(forgotten_);
    for (const HeldLine& line : last_) take(line);
  }
  template <typename Take>
  void for_each(const Take& take) const {
    for_each(take, [](std::int64_t) {});
  }

 private:
  std::vector<HeldLine> first_;
  std::deque<HeldLine> last_;
  std::size_t first_bytes_ = 0;
  std::size_t last_bytes_ = 0;
  bool first_are_all_ = false;  // the next one is one of the last, though there was room
  std::int64_t forgotten_ = 0;
};

}  // namespace etad
