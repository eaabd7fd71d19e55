#include "daemon/service/selection.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "daemon/service/estimate.h"
#include "daemon/service/names.h"

namespace etad::service {
namespace {

using Choices = std::vector<Deployment>;

// More than this many are not shown: whoever asks so vaguely needs the parameters, not the list.
constexpr std::size_t kMostShown = 20;

// What tells deployments apart, each under the name of its parameter.
struct Trait {
  std::string_view parameter;
  std::string (*of)(const ModelKey&);
  const std::optional<std::string> Question::*wanted;  // nullptr: `devices`
};

constexpr std::array<Trait, 6> kTraits = {{
    {"network", [](const ModelKey& k) { return k.network; }, &Question::network},
    {"architecture", [](const ModelKey& k) { return k.architecture; }, &Question::architecture},
    {"framework", [](const ModelKey& k) { return k.framework; }, &Question::framework},
    {"host", [](const ModelKey& k) { return k.host; }, &Question::host},
    {"device", [](const ModelKey& k) { return k.device; }, &Question::device},
    {"devices", [](const ModelKey& k) { return std::to_string(k.devices); }, nullptr},
}};

std::optional<std::string> wanted(const Question& question, const Trait& trait) {
  if (trait.wanted != nullptr) return question.*trait.wanted;
  if (question.devices) return std::to_string(*question.devices);
  return std::nullopt;
}

Choices deployments(const ModelSet& models) {
  Choices out;
  for (const FittedModel& fitted : models.models) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const Deployment& each) {
      ModelKey key = each.key();
      key.phase = fitted.key.phase;
      return key == fitted.key;
    });
    Deployment& into = same != out.end() ? *same : out.emplace_back();
    (fitted.key.phase == Phase::train ? into.train : into.test) = &fitted;
  }
  return out;
}

// Those whose trait has that value: as written if any has, else ignoring case.
Choices with(const Choices& choices, const Trait& trait, const std::string& value) {
  Choices exact, similar;
  for (const Deployment& each : choices) {
    const std::string has = trait.of(each.key());
    if (has == value) exact.push_back(each);
    if (equal_ignoring_case(has, value)) similar.push_back(each);
  }
  return exact.empty() ? similar : exact;
}

std::vector<std::string> values(const Choices& choices, const Trait& trait) {
  std::set<std::string> out;
  for (const Deployment& each : choices) out.insert(trait.of(each.key()));
  return {out.begin(), out.end()};
}

// The deployments as a list named `name`. By value: a problem may outlive the models.
std::function<void(JsonWriter&)> list_of(std::string name, const Choices& choices) {
  struct Known {
    ModelKey key;
    bool train, test;
  };
  std::vector<Known> known;
  for (std::size_t i = 0; i < std::min(choices.size(), kMostShown); ++i) {
    known.push_back({choices[i].key(), choices[i].train != nullptr, choices[i].test != nullptr});
  }
  return [name = std::move(name), known = std::move(known)](JsonWriter& json) {
    json.key(name).begin_array();
    for (const auto& [key, train, test] : known) {
      json.begin_object().field("network", key.network).field("architecture", key.architecture);
      json.field("framework", key.framework).field("host", key.host);
      json.field("device", key.device).field("devices", key.devices);
      json.key("phases").begin_array();
      if (train) json.value("train");
      if (test) json.value("test");
      json.end_array().end_object();
    }
    json.end_array();
  };
}

std::string quoted(const std::string& value) {
  return value.empty() ? "unknown" : "\"" + value + "\"";
}

Problem none_with(const Choices& before, const Trait& trait, const std::string& value, bool first) {
  Problem problem;
  problem.status = 404;
  const auto known = values(before, trait);
  if (first) {
    const bool network = trait.parameter == "network";
    problem.title = network ? kUnknownNetwork : "Unknown architecture";
    problem.detail =
        std::string("No model of ") + (network ? "a network " : "an architecture ") + quoted(value) + " yet.";
    problem.candidates = near_names(value, known);
    problem.hint = before.empty() ? "nothing has been learned yet: see `etactl status`"
                                  : "`etactl models` lists what can be estimated";
    return problem;
  }
  problem.title = "Unknown deployment";
  problem.detail = "The history of " + before.front().key().network + " knows no " +
                   std::string(trait.parameter) + " " + quoted(value) + ".";
  problem.candidates = known;
  if (problem.candidates.size() > kMostShown) problem.candidates.resize(kMostShown);
  problem.more = list_of("known", before);
  return problem;
}

Problem no_such_phase(const Choices& choices, std::string_view phase) {
  Problem problem;
  problem.status = 404;
  problem.title = "Unknown phase";
  problem.detail = "The history of " + choices.front().key().network + " has no model of its " +
                   std::string(phase) + " phase yet.";
  problem.more = list_of("known", choices);
  return problem;
}

Problem ambiguous(const Choices& choices) {
  std::vector<std::string> parameters;
  std::string detail;
  for (const Trait& trait : kTraits) {
    const auto different = values(choices, trait);
    if (different.size() < 2) continue;
    parameters.emplace_back(trait.parameter);
    detail += (detail.empty() ? "" : "; ") + std::string(trait.parameter) + ": ";
    for (std::size_t i = 0; i < std::min(different.size(), kMostShown); ++i) {
      detail += (i == 0 ? "" : ", ") + (different[i].empty() ? "unknown" : different[i]);
    }
  }
  Problem problem;
  problem.status = 409;
  problem.title = "Ambiguous question";
  problem.detail =
      std::to_string(choices.size()) + " models fit the question. They differ in " + detail + ".";
  problem.hint = "say which " + parameters.front() + " is meant";
  problem.more = [candidates = list_of("candidates", choices), parameters](JsonWriter& json) {
    candidates(json);
    json.field("parameters", parameters);
  };
  return problem;
}

}  // namespace

Answer<Deployment> select(const ModelSet& models, const Question& question) {
  Choices choices = deployments(models);
  bool first = true;
  for (const Trait& trait : kTraits) {
    const auto value = wanted(question, trait);
    if (!value) continue;
    Choices left = with(choices, trait, *value);
    if (left.empty()) return refuse(none_with(choices, trait, *value, first));
    choices = std::move(left);
    first = false;
  }
  const bool test = question.phase == Question::Phase::test;
  Choices able;
  std::copy_if(choices.begin(), choices.end(), std::back_inserter(able),
               [&](const Deployment& each) { return (test ? each.test : each.train) != nullptr; });
  if (able.empty()) return refuse(no_such_phase(choices, test ? "test" : "train"));
  if (able.size() > 1) return refuse(ambiguous(able));
  return able.front();
}

}  // namespace etad::service
