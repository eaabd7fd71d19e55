#include "regression/estimators/grouped.h"

#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace etad::estimators {
namespace {

std::map<std::string, Runs> groups_of(const Grouped& form, const History& history) {
  std::map<std::string, Runs> out;
  for (const Datum& datum : history) {
    if (usable(datum) && (!form.layered || datum.what.has_layers()) && (!form.usable || form.usable(datum)))
      out[form.group(datum.what)].push_back(&datum);
  }
  std::erase_if(out, [&](const auto& group) { return form.enough && !form.enough(group.second); });
  return out;
}

class FittedGroups final : public Fitted {
 public:
  FittedGroups(const Grouped& form, const History& history) : group_of_(form.group), layered_(form.layered) {
    for (auto& [key, runs] : groups_of(form, history)) {
      if (auto answers = form.fit(runs)) groups_[key] = {std::move(answers), rests_on(runs)};
    }
  }

  Reply predict(const Case& what) const override {
    if (!what.has_samples()) return abstain("the batch size is not known");
    if (layered_ && !what.has_layers()) return abstain("no log showed the network's layers");
    if (layered_ && what.phase == "time") return abstain("a timing run is nothing to be estimated");
    const auto found = groups_.find(group_of_(what));
    if (found == groups_.end()) return abstain("too few runs of " + what.network + " like this one");
    const auto& [answers, rests_on] = found->second;
    Reply out = answers(what);
    if (out.estimate && out.estimate->rests_on.runs == 0) out.estimate->rests_on = rests_on;
    return out;
  }

 private:
  std::function<std::string(const Case&)> group_of_;
  bool layered_;
  std::map<std::string, std::pair<Answers, RestsOn>> groups_;
};

}  // namespace

Estimator grouped(Grouped form) {
  Estimator out;
  out.name = form.name;
  out.source = form.source;
  out.needs = [form](const History& history, Target target) -> std::optional<std::string> {
    if (!form.targets.contains(target)) return "another quantity than this";
    if (!groups_of(form, history).empty()) return std::nullopt;
    return form.missing;
  };
  out.fit = [form = std::move(form)](const History& history, Target) {
    return std::make_unique<FittedGroups>(form, history);
  };
  return out;
}

std::size_t different(const Runs& runs, unsigned facts) {
  std::set<std::string> values;
  for (const Datum* run : runs) values.insert(key_of(run->what, facts));
  return values.size();
}

}  // namespace etad::estimators
