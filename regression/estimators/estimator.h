// An estimator: a way to learn from a history of runs what a run will take that is not in it. All of them see
// the same history and answer the same questions, so that their errors can be compared and the best be asked
// (Madougou et al., "The landscape of GPGPU performance modeling tools", Parallel Computing 56, 2016).
//
// A new one is a function, declared at the end of this file and listed in registry.cpp, in a file of its own; one that is
// linear in its coefficients goes into linear.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "regression/estimators/case.h"

namespace etad::estimators {

// How much of the history an estimate was made of.
struct RestsOn {
  int runs = 0, networks = 0, devices = 0;  // devices: models of them
};

struct Estimate {
  double log_mean = 0;  // logarithm of the target's value
  // Standard deviation of that logarithm, of an estimator that knows how little it may know. 0: it says nothing of it,
  // and its errors in hidden questions are all that there is to go by (performance.h).
  double deviation = 0;
  RestsOn rests_on = {};
};

// An estimate, or why there is none.
struct Reply {
  std::optional<Estimate> estimate;
  std::string why;  // one clause for people: "alexnet ran with one batch size only"
};

inline Reply abstain(std::string why) {
  return {std::nullopt, std::move(why)};
}

// What an estimator has learnt. Immutable; safe to share between threads. Holds no pointer into the history.
class Fitted {
 public:
  virtual ~Fitted() = default;
  virtual Reply predict(const Case& what) const = 0;
  // Whether most of an owner's runs are heard where others' networks are asked about.
  virtual bool hears([[maybe_unused]] std::int64_t owner) const { return true; }
};

// What came of learning.
struct FitOutcome {
  std::unique_ptr<const Fitted>
      fitted;           // nullptr: there is nothing to learn, or the history lacks what is needed
  std::string missing;  // one clause that says what it lacks; empty: nothing
};

struct Estimator {
  std::string_view name;    // "ernest"
  std::string_view source;  // authors, venue, year
  // Learns of a history; work is bounded by its size alone. `before` came from the same estimator and target, of nearly
  // the same history: what is the same need not be learnt again. nullptr: all is new.
  std::function<FitOutcome(const History&, Target, const Fitted* before)> learner;

  FitOutcome learn(const History& history, Target target, const Fitted* before = nullptr) const {
    return learner(history, target, before);
  }
};

// All there are, from simple to rich: of two that do equally well, the earlier one is asked.
std::span<const Estimator> estimators();

// nullptr: none of that name.
const Estimator* find_estimator(std::string_view name);

// The published methods, each in its smallest faithful form.
Estimator gianniti();          // t = c1 + c2 B an iteration
Estimator gianniti_literal();  // b0 + b1 n + b2 B for the whole run
Estimator barnes();            // log t linear in log B and log k
Estimator ernest();            // 1, B/k, log k, k
Estimator ring();              // 1, B/k, (k-1)/k: gradients go round in a ring
Estimator end_to_end();        // the regression of one network on one deployment
Estimator effects();           // one model of all the history (not published: effects.cpp)
Estimator lu();                // peak memory a + b B/k
Estimator stargazer();         // stepwise splines of the settings
Estimator kerr();              // principal components of what a network's layers are
Estimator described();         // memory by the network's description

Estimator gupta();     // c1 + c2 B, run by run, forgetting
Estimator bitirgen();  // an ensemble that abstains where its members contradict each other
Estimator dao();       // a random forest

Estimator gianniti_layers();  // alpha + beta operations a layer, from runs that time layers
Estimator layer_roofline();   // layer by layer, with fitted peaks, overheads and multipliers by kind of layer

}  // namespace etad::estimators
