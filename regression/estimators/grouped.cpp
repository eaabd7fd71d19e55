#include "regression/estimators/grouped.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace etad::estimators {
namespace {

std::map<std::string, Runs> groups_of(const Grouped& form, const History& history) {
  std::map<std::string, Runs> out;
  for (const Datum& datum : history) {
    if (usable(datum) && (!form.needs_layers || datum.what.has_layers()) &&
        (!form.usable || form.usable(datum)))
      out[form.group(datum.what)].push_back(&datum);
  }
  std::erase_if(out, [&](const auto& group) { return form.can_fit && !form.can_fit(group.second); });
  return out;
}

RestsOn rests_on(const Runs& runs) {
  return {static_cast<int>(runs.size()), static_cast<int>(different(runs, kNetwork)),
          static_cast<int>(different(runs, kDevice))};
}

class FittedGroups final : public Fitted {
 public:
  FittedGroups(const Grouped& form, std::map<std::string, Runs> groups, const FittedGroups* before)
      : group_of_(form.group), needs_layers_(form.needs_layers) {
    if (Runs none; form.answers_without_runs) without_runs_ = form.fit(none);
    for (auto& [key, runs] : groups) {
      const std::size_t fingerprint = fingerprint_of(runs);
      if (const auto* const known = before != nullptr ? before->group(key) : nullptr;
          known != nullptr && (*known)->fingerprint == fingerprint) {
        groups_.emplace(key, *known);
      } else if (auto answers = form.fit(runs)) {
        groups_.emplace(
            key, std::make_shared<const Group>(Group{std::move(answers), rests_on(runs), fingerprint}));
      }
    }
  }

  Reply predict(const Case& what) const override {
    if (!what.has_samples()) return abstain("the batch size is not known");
    if (needs_layers_ && !what.has_layers()) return abstain("no log showed the network's layers");
    const auto* const found = group(group_of_(what));
    if (found == nullptr && without_runs_) return without_runs_(what);
    if (found == nullptr) return abstain("too few runs of " + what.network + " like this one");
    Reply out = (*found)->answers(what);
    if (out.estimate && out.estimate->rests_on.runs == 0) out.estimate->rests_on = (*found)->rests_on;
    return out;
  }

 private:
  struct Group {
    Answers answers;
    RestsOn rests_on;
    std::size_t fingerprint = 0;
  };
  using Known = std::shared_ptr<const Group>;

  const Known* group(const std::string& key) const {
    const auto found = groups_.find(key);
    return found == groups_.end() ? nullptr : &found->second;
  }

  std::function<std::string(const Case&)> group_of_;
  bool needs_layers_;
  Answers without_runs_;
  std::map<std::string, Known> groups_;
};

}  // namespace

Estimator grouped(Grouped form) {
  const std::string_view name = form.name, source = form.source;
  return {
      name, source,
      [form = std::move(form)](const History& history, Target target, const Fitted* before) -> FitOutcome {
        if (!form.targets.contains(target)) return {nullptr, "another quantity than this"};
        auto groups = groups_of(form, history);
        if (groups.empty() && !form.answers_without_runs) return {nullptr, form.missing};
        const auto* const groups_before = static_cast<const FittedGroups*>(before);
        return {std::make_unique<FittedGroups>(form, std::move(groups), groups_before), ""};
      }};
}

std::size_t different(const Runs& runs, unsigned facts) {
  std::set<std::string> values;
  for (const Datum* run : runs) values.insert(key_of(run->what, facts));
  return values.size();
}

}  // namespace etad::estimators
