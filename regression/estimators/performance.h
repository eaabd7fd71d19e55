// How well each estimator does in each kind of question. Parts of the history are hidden, the estimators are
// fitted to the rest, and what they say of the hidden part is compared with it (Madougou et al. 2016, on one's
// own history). The result decides which estimator answers, and how wide its interval is (conformal
// prediction: Vovk et al. 2005; regression/interval.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "regression/estimators/estimator.h"

namespace etad::estimators {

// The kind of a question is how far it lies from the runs there are. Of several that fit, the last one counts.
enum class Kind : std::uint8_t {
  seen,           // runs with all the same facts are there
  batch_size,     // at other batch sizes, smaller and larger ones
  range,          // at smaller batch sizes only, or larger ones only
  one_size,       // at a single other batch size
  settings,       // with other settings, or in the other phase
  devices,        // on other numbers of devices, fewer and more
  devices_range,  // on fewer devices only, or more only
  device,         // on other machines
  network,        // a network that never ran
};
inline constexpr std::size_t kKinds = 9;
std::string_view name_of(Kind kind);    // "batch_size" for all three kinds that are about it
std::string_view column_of(Kind kind);  // one for each: "batch_size_range"

// What a history has seen, to tell the kind of a question by.
class Seen {
 public:
  explicit Seen(const History& history);
  Kind kind_of(const Case& what) const;

 private:
  std::set<std::string> keys_;
  using Ranges = std::map<std::string, std::pair<double, double>>;
  Ranges samples_, devices_;  // by series; by what is the same but for samples and devices
};

// One estimator's record in one kind of question.
struct Performance {
  int cases = 0;  // that were asked
  int answered = 0;
  double error_percent = 0;   // mean |estimate / actual - 1| of those answered
  double standard_error = 0;  // of that mean
  double coverage = 0;        // share inside the 90 % interval that the other scores make
  // Mean error as a multiple of that of the estimator that answers most (of equals the richest), on the
  // cases that both answered, and the standard error of that: case by case, so that what is hard for both
  // does not count.
  double against = 1, against_error = 0;
  double weight =
      0;  // its part of the combined answer to such questions (combined.h); all of them together 1
  // Median of |log(actual / estimate)|: what is allowed for beside the deviation that the estimator
  // foretells. A line through two points foretells none.
  double typical = 0;
  std::vector<double> scores;  // sorted |log(actual / estimate)| in units of both together

  // Half the width, in the logarithm, of the interval about an estimate of that deviation.
  double reach(double deviation, double confidence) const;
};

struct Record {
  std::string_view name, source;
  std::string missing;  // what the history lacks for it; empty: nothing
  std::array<Performance, kKinds> kinds;
};

// All estimators' records, in the order of estimators(). Bounded: of a longer history a sample of some
// hundred groups is judged. `alive` is called between fits.
std::vector<Record> compare(
    const History& history, Target target, const std::function<void()>& alive = [] {});

// Whom to ask a question of that kind, best first (indices into `records`): `combined`, or who has all of its weight,
// then the others by error.
std::vector<std::size_t> ranking(const std::vector<Record>& records, Kind kind);

// What the i-th says of a question of that kind; `ask`: what any of them but `combined` says of it.
Reply reply_of(std::size_t i, const std::vector<Record>& records, Kind kind,
               const std::function<Reply(std::size_t)>& ask);

}  // namespace etad::estimators
