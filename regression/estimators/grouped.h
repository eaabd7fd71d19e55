// Estimators that fit runs with equal facts by themselves, group by group, and abstain where there is no such group.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "regression/estimators/estimator.h"

namespace etad::estimators {

using Runs = std::vector<const Datum*>;
using Answers = std::function<Reply(const Case&)>;  // what is learnt of a group of runs

struct Grouped {
  std::string_view name, source;
  std::set<Target> targets = kAllTargets;
  std::function<std::string(const Case&)> group;  // runs with the same are fitted together
  bool needs_layers = false;  // of the network: runs and questions without them are left out
  // Of runs that took some time over some samples on some devices; empty: of all of them.
  std::function<bool(const Datum&)> usable = {};
  std::function<bool(const Runs&)> can_fit = {};  // such a group; empty: any
  std::string missing = {};                       // what the history lacks where no group can be
  bool answers_without_runs = false;              // where there is no group, too: by a fit of none
  // The fit may sort the runs, and leave some out. Empty: they can't be fitted after all. What it answers needs to
  // say what it rests on only where that is not all of these runs.
  std::function<Answers(Runs&)> fit;
};

Estimator grouped(Grouped form);

// How many different values of these facts the runs have together.
std::size_t different(const Runs& runs, unsigned facts);

}  // namespace etad::estimators
