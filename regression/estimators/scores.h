// How far each estimator can be trusted with each kind of question: parts of the history are hidden, asked
// for and compared (Madougou et al. 2016 on one's own history). What comes of it decides who answers, and how
// wide the interval is (conformal prediction: Vovk et al. 2005; regression/interval.h).
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

// What has to be bridged from the runs there are to the question; the farthest counts.
enum class Kind : std::uint8_t {
  seen,        // the like of it ran
  batch_size,  // at other batch sizes, smaller and larger ones
  range,       // at smaller batch sizes only, or larger ones only
  settings,    // with other settings, or in the other phase
  devices,     // on another number of devices
  device,      // on other machines
  network,     // never
};
inline constexpr std::size_t kKinds = 7;
std::string_view name_of(Kind kind);  // "batch_size" of both that it is the matter of

// What a history has seen, to tell the kind of a question by.
class Seen {
 public:
  explicit Seen(const History& history);
  Kind kind_of(const Case& what) const;

 private:
  std::set<std::string> keys_;
  std::map<std::string, std::pair<double, double>> ranges_;  // of samples, by series
};

// One estimator's record in one kind of question.
struct Score {
  int cases = 0;  // that were asked
  int answered = 0;
  double error_percent = 0;    // mean |estimate / actual - 1| of those answered
  double standard_error = 0;   // of that mean
  double coverage = 0;         // share inside the 90 % interval that the other scores make
  // Mean error as a multiple of that of the estimator that answers most (of equals the richest), on the
  // cases that both answered.
  double against = 1;
  std::vector<double> scores;  // sorted |log(actual / estimate)| in units of the deviation foretold
};

struct Record {
  std::string_view name, source;
  std::string missing;  // what the history lacks for it; empty: nothing
  std::array<Score, kKinds> kinds;
};

// All estimators' records, in the order of estimators(). Bounded: of a longer history a sample of some
// hundred cells is judged. `alive` is called between fits.
std::vector<Record> compare(
    const History& history, Target target, const std::function<void()>& alive = [] {});

// Whom to ask a question of that kind, best first (indices into `records`): the simplest within one standard
// error of the best, then the others by error.
std::vector<std::size_t> ranking(const std::vector<Record>& records, Kind kind);

}  // namespace etad::estimators
