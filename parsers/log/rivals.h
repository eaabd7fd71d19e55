// The readings of a log that are not (yet) the one that counts. Whichever format a line shows reads along,
// silently, until it has explained more of the log than the one that counts; what it has measured by then is
// kept, so that nothing is lost when it takes over.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "parsers/log/reading.h"

namespace etad {

// A reading with what it has found and told nobody.
struct Rival {
  Reading reading;
  Records found;
  std::int64_t matched = 0;  // lines that its rules know

  std::int64_t segments() const { return static_cast<std::int64_t>(found.segments.size()); }

  // It is the one that counts from now on: its runs have the ordinals from `first` on, and what it found goes
  // to `out`.
  void take_over(std::int64_t first, Records& out);
};

class Rivals {
 public:
  bool has(std::string_view format) const;
  bool empty() const { return rivals_.empty(); }
  bool only_generic() const;  // those of no framework, who wait for one that is

  // A format that a line shows begins to read; of too many the ones that came first stay. nullptr: no room.
  Rival* add(std::shared_ptr<const Format> format, const ReadingContext& context);

  // Without `by_arrival` generic formats are not told when the line came.
  static void feed(Rival& rival, std::string_view line, const std::optional<Instant>& arrival,
                   Instant modified, bool by_arrival);
  void feed(std::string_view line, const std::optional<Instant>& arrival, Instant modified, bool by_arrival);

  // Takes out the one that has explained most: at least `segments` of them, or a run from its beginning to its end (of a
  // generic format, one that is measured as a whole). Generic formats are asked apart, since any other that the next
  // lines show goes before them. What `own` calls itself more specific than can't win against it; nullptr: none does.
  std::optional<Rival> framework_winner(const Reading* own, std::int64_t segments);
  std::optional<Rival> generic_winner(std::int64_t segments);

  // Whether one of no framework has found so many runs that it could not keep all of more.
  bool hold_many() const;

  void clear() { rivals_.clear(); }
  void clear_generic();

  std::vector<RivalState> save() const;
  // A format whose rule file has gone is left out.
  void restore(const std::vector<RivalState>& state, const FormatSet& formats, const ReadingContext& context);

 private:
  template <class MayWin>
  std::optional<Rival> take_best(const MayWin& may_win);

  std::vector<Rival> rivals_;
};

}  // namespace etad
