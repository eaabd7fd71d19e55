#include "prediction/selection.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "prediction/names.h"

namespace etad::prediction {
namespace {

using Choices = std::vector<Deployment>;

// Unknown is empty, as of names.
std::string count_text(std::int64_t devices) {
  return devices == 0 ? std::string() : std::to_string(devices);
}

// What tells deployments apart, each under the name of its parameter.
struct Facet {
  std::string_view parameter;
  std::string (*of)(const ModelKey&);
  const std::optional<std::string> Question::*wanted;  // nullptr: `devices`
};

constexpr std::array<Facet, 6> kFacets = {{
    {"network", [](const ModelKey& k) { return k.network; }, &Question::network},
    {"architecture", [](const ModelKey& k) { return k.architecture; }, &Question::architecture},
    {"framework", [](const ModelKey& k) { return k.framework; }, &Question::framework},
    {"host", [](const ModelKey& k) { return k.host; }, &Question::host},
    {"device", [](const ModelKey& k) { return k.device; }, &Question::device},
    {"devices", [](const ModelKey& k) { return count_text(k.devices); }, nullptr},
}};

std::optional<std::string> wanted(const Question& question, const Facet& facet) {
  if (facet.wanted != nullptr) return question.*facet.wanted;
  if (question.devices) return count_text(*question.devices);
  return std::nullopt;
}

// The deployments of the networks that `named` lets through, in the order of their first models. A history
// may hold models of very many networks: each is looked at once.
template <class Named>
Choices deployments(const ModelSet& models, const Named& named) {
  Choices out;
  std::map<ModelKey, std::size_t> at;
  for (const FittedModel& fitted : models.models) {
    if (!named(fitted.key)) continue;
    ModelKey key = fitted.key;
    key.phase = Phase::train;
    const auto [place, is_new] = at.try_emplace(std::move(key), out.size());
    if (is_new) out.emplace_back();
    Deployment& into = out[place->second];
    (fitted.key.phase == Phase::train ? into.train : into.test) = &fitted;
  }
  return out;
}

// Those that the question may mean by the names it gives; where there are none, all there are.
Choices deployments(const ModelSet& models, const Question& question) {
  Choices meant = deployments(models, [&](const ModelKey& key) {
    return (!question.network || equal_ignoring_case(key.network, *question.network)) &&
           (!question.architecture || equal_ignoring_case(key.architecture, *question.architecture));
  });
  return meant.empty() ? deployments(models, [](const ModelKey&) { return true; }) : meant;
}

// Those whose facet has that value: as written if any has, else ignoring case.
Choices with(const Choices& choices, const Facet& facet, const std::string& value) {
  Choices exact, similar;
  for (const Deployment& each : choices) {
    const std::string has = facet.of(each.key());
    if (has == value) exact.push_back(each);
    if (equal_ignoring_case(has, value)) similar.push_back(each);
  }
  return exact.empty() ? similar : exact;
}

std::vector<std::string> values(const Choices& choices, const Facet& facet) {
  std::set<std::string> out;
  for (const Deployment& each : choices) out.insert(facet.of(each.key()));
  return {out.begin(), out.end()};
}

std::vector<KnownDeployment> known(const Choices& choices) {
  std::vector<KnownDeployment> out;
  for (const Deployment& each : choices)
    out.push_back({each.key(), each.train != nullptr, each.test != nullptr});
  return out;
}

std::vector<KnownDeployment> shown(const Choices& choices) {
  return known(
      {choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(std::min(choices.size(), kMostShown))});
}

// `choices`: those there were before the one parameter that none of them fits. None: nothing is known at all.
Refusal refusal_of(Refusal::Kind kind, const Choices& choices) {
  Refusal refusal;
  refusal.kind = kind;
  refusal.deployments = choices.size();
  if (!choices.empty()) refusal.network = choices.front().key().network;
  return refusal;
}

Refusal none_with(const Choices& before, const Facet& facet, const std::string& value, bool first) {
  using Kind = Refusal::Kind;
  const bool network = facet.parameter == "network";
  Refusal refusal = refusal_of(!first    ? Kind::unknown_deployment
                               : network ? Kind::unknown_network
                                         : Kind::unknown_architecture,
                               before);
  refusal.parameter = std::string(facet.parameter);
  refusal.value = value;
  auto has = values(before, facet);
  if (first) {
    refusal.candidates = near_names(value, std::move(has));
    return refusal;
  }
  refusal.candidates = std::move(has);
  if (refusal.candidates.size() > kMostShown) refusal.candidates.resize(kMostShown);
  refusal.known = shown(before);
  return refusal;
}

Refusal no_model_of_phase(const Choices& choices, std::string_view phase) {
  Refusal refusal = refusal_of(Refusal::Kind::no_model_of_phase, choices);
  refusal.value = std::string(phase);
  refusal.known = shown(choices);
  return refusal;
}

}  // namespace

Refusal ambiguous(std::vector<KnownDeployment> fits) {
  Refusal refusal;
  refusal.kind = Refusal::Kind::ambiguous;
  refusal.deployments = fits.size();
  refusal.network = fits.front().key.network;
  for (const Facet& facet : kFacets) {
    std::set<std::string> different;
    for (const KnownDeployment& each : fits) different.insert(facet.of(each.key));
    if (different.size() < 2) continue;
    while (different.size() > kMostShown) different.erase(std::prev(different.end()));
    refusal.differences.push_back({std::string(facet.parameter), {different.begin(), different.end()}});
  }
  if (fits.size() > kMostShown) fits.resize(kMostShown);
  refusal.known = std::move(fits);
  return refusal;
}

Answer<Deployment> select(const ModelSet& models, const Question& question) {
  Choices choices = deployments(models, question);
  bool first = true;
  for (const Facet& facet : kFacets) {
    const auto value = wanted(question, facet);
    if (!value) continue;
    Choices left = with(choices, facet, *value);
    if (left.empty()) return refuse(none_with(choices, facet, *value, first));
    choices = std::move(left);
    first = false;
  }
  const bool test = question.phase == Question::Phase::test;
  Choices able;
  std::copy_if(choices.begin(), choices.end(), std::back_inserter(able),
               [&](const Deployment& each) { return (test ? each.test : each.train) != nullptr; });
  if (able.empty()) return refuse(no_model_of_phase(choices, test ? "test" : "train"));
  if (able.size() > 1) return refuse(ambiguous(known(able)));
  return able.front();
}

}  // namespace etad::prediction
