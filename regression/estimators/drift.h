// What a machine's runs have in common at one time: neighbours on shared cores, a warm card, other jobs. All few runs of
// a network may have been made in one such state of the machine, and what they are off by is not the network's. So
// estimators learn from the history as it would be without its drift, and answers are moved by that of the time in
// question.
//
// In the logarithm a run's value is what `effects` makes of it (effects_kernel.h, batch_curve.h), plus the mean over the
// time of the run of a process u(t), plus noise: one Gaussian process, in which what is a network's is told from what is
// the time's (Rasmussen & Williams 2006, eq. 2.25). u is a sum of Ornstein-Uhlenbeck processes, the AR(1) processes of
// continuous time, that last a minute, ten minutes and a day. How far it and the noise move runs is averaged over a grid,
// each point of which weighs as much as it makes the runs likely; that nothing drifts is as likely beforehand as all
// others together.
//
// Anybody may write that a machine is slow. Of several owners nobody is believed alone: drift is estimated from all
// owners' runs and from all but each one's, and the estimate nearest to 0 counts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "regression/estimators/case.h"

namespace etad::estimators {

struct TimeSpan {
  double from = 0, until = 0;  // seconds since 1970
};
TimeSpan time_of(const Datum& run);

// The correlation of the means over two spans of an Ornstein-Uhlenbeck process of variance 1 that lasts that long
// (tau, seconds): e^(-|u - v|/tau), averaged over both.
double correlation(const TimeSpan& a, const TimeSpan& b, double lasting);

class Drift {
 public:
  // Of each machine the newest kMostTelling runs tell it, those that say when they were, of kMostOwners in turn. The cost
  // is cubic in their number; machines that have run nothing since `before` was made are taken from it.
  static constexpr std::size_t kMostTelling = 64, kMostOwners = 8;

  Drift() = default;
  explicit Drift(const History& history, const Drift* before = nullptr);

  // The logarithm of the factor that it is over that time on a machine (device, host, framework). 0 of what was before
  // the first run that tells of it.
  double log_drift(const Case& where, const TimeSpan& when) const;
  double mean_log_drift(const Case& where, const std::vector<TimeSpan>& runs) const;

  // The same runs as they would have been without it.
  History remove_from(History history) const;

 private:
  // As some of the runs tell it: the logarithm at a time is the sum of the weights, each times the process' correlation
  // with its run.
  struct Fit {
    std::vector<TimeSpan> times;  // the newest first
    std::vector<double> weights;  // none: they are too few to tell

    double log_drift(const TimeSpan& when) const;
  };
  struct Machine {
    std::size_t fingerprint = 0;  // of the runs that tell it
    std::vector<Fit> fits;        // by all of them; of several owners, by all but each one's, too
  };
  static std::vector<Fit> fit_leaving_out_each_owner(const std::vector<const Datum*>& runs);
  const Machine* machine(const std::string& key) const;  // nullptr: nothing tells of it

  std::map<std::string, Machine> machines_;
};

}  // namespace etad::estimators
