// How well each estimator does in each kind of question, on this history: a part of the runs is hidden, the estimators
// are fitted to the rest and asked about the hidden ones, and their answers are compared with what those took (as
// Madougou et al. 2016 compare methods). The result decides which estimator answers a question, and how wide the
// interval is (conformal prediction: Vovk et al. 2005; regression/interval.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "regression/estimators/estimator.h"

namespace etad::estimators {

// The kind of a question says how the runs that there are differ from the one that is asked about. Where several kinds
// fit, it is the last of them: a question about another machine and another batch size is of kind `device`.
enum class Kind : std::uint8_t {
  seen,           // runs with all the same facts are there
  batch_size,     // at other batch sizes, smaller and larger ones
  range,          // at smaller batch sizes only, or larger ones only
  beyond_all,     // the same, and no other series of the network in that phase ran at such a size either
  one_size,       // at a single other batch size
  settings,       // with other settings, or in the other phase
  devices,        // on other numbers of devices, fewer and more
  devices_range,  // on fewer devices only, or more only
  device,         // on other machines
  network,        // a network that never ran
};
inline constexpr std::size_t kKinds = 10;
std::string_view name_of(Kind kind);    // "batch_size" for all four kinds that are about it
std::string_view column_of(Kind kind);  // one for each: "batch_size_range"

// What lies between a question and the runs that there are. The later in order is the harder to tell.
struct Gap {
  Kind kind{};
  double beyond =
      0;  // of kinds `range` and `beyond_all`: distance from its series' batch sizes, in the logarithm
  auto operator<=>(const Gap&) const = default;
};

// What a history has seen, to tell the kind of a question by.
class Seen {
 public:
  explicit Seen(const History& history);
  Kind kind_of(const Case& what) const;
  Gap gap_of(const Case& what) const;

 private:
  std::set<std::string> keys_;
  using Ranges = std::map<std::string, std::pair<double, double>>;
  Ranges samples_, devices_;  // by series; by what is the same but for samples and devices
  Ranges shares_;             // samples of a device, by network and phase
};

// One estimator's record in one kind of question.
struct Performance {
  int cases = 0;  // that were asked
  int answered = 0;
  double error_percent = 0;  // mean |estimate / actual - 1| of those answered
  double coverage = 0;       // share inside the 90 % interval that the other scores make
  // Its mean error divided by that of a reference, the estimator that answered most cases (of several the richest). Only
  // cases that both answered count, so that who answers easy ones alone is not preferred.
  double against = 1;
  double weight = 0;  // in the combined answer to such questions (combined.h); all estimators' sum to 1
  // Median of |log(actual / estimate)|. Intervals allow for it beside the deviation that the estimator itself states,
  // which may be 0: a line through two points has no residuals.
  double typical = 0;
  // Nonconformity scores, sorted: |log(actual / estimate)| / sqrt((deviation^2 + typical^2) (1 + beyond)), as errors
  // grow like those of a random walk with the distance from what ran.
  std::vector<double> scores;
  double farthest = 0;  // nine in ten of the cases lay no farther beyond the batch sizes of their series

  // Half the width, in the logarithm, of the interval about an estimate of that deviation.
  double reach(double deviation, double confidence, double beyond = 0) const;
};

struct Record {
  std::string_view name, source;
  std::string missing;  // what the history lacks for it; empty: nothing
  std::array<Performance, kKinds> kinds;
};

// All estimators' records, in the order of estimators(). The work is bounded: of a long history a sample of
// some hundred groups of runs is hidden and asked about. `alive` is called between fits, to show a watchdog
// that work goes on.
std::vector<Record> compare(
    const History& history, Target target, const std::function<void()>& alive = [] {});

// The estimators to ask a question of that kind, best first, as indices into `records`: `combined` (or, where a single
// estimator has all the weight, that one), then the others by their error.
std::vector<std::size_t> ranking(const std::vector<Record>& records, Kind kind);

// The i-th estimator's answer to a question with that gap. `ask` gives the answer of any of them but `combined`. Who
// does best a little beyond all series may be wrong far beyond them: farther out than nearly all that the record is of,
// the simplest estimator and the richest have the same weight, and the others none.
Reply reply_of(std::size_t i, const std::vector<Record>& records, Gap gap,
               const std::function<Reply(std::size_t)>& ask);

// An answer with half the width, in the logarithm, of its interval.
struct Answered {
  Estimate estimate;
  double reach = 0;
};

// The same with its interval. What lies between others is easier to tell than what lies beyond them, and that easier
// than what lies beyond all series, so its interval is at most as wide as it would be as such a question: of few
// questions between, one that went wrong would make it wider. nullopt: the estimator abstains.
std::optional<Answered> answer_of(std::size_t i, const std::vector<Record>& records, Gap gap,
                                  double confidence, const std::function<Reply(std::size_t)>& ask);

}  // namespace etad::estimators
