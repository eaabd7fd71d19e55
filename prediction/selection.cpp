#include "prediction/selection.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "parsers/base/suggest.h"

namespace etad::prediction {
namespace {

using Choices = std::vector<KnownDeployment>;

// So many models are looked at where a question fits more than one deployment: enough to say what tells them apart.
constexpr std::int64_t kMostLookedAt = 1000;

// Unknown is empty, as of names.
std::string count_text(std::int64_t devices) {
  return devices == 0 ? std::string() : std::to_string(devices);
}

// What tells deployments apart, each under the name of its parameter.
struct Facet {
  std::string_view parameter;
  std::string (*of)(const ModelKey&);
  const std::optional<std::string> Question::*in_question;   // nullptr: `devices`
  std::optional<ModelFilter::Name> ModelFilter::*in_filter;  // likewise
};

constexpr std::array<Facet, 6> kFacets = {{
    {"network", [](const ModelKey& k) { return k.network; }, &Question::network, &ModelFilter::network},
    {"architecture", [](const ModelKey& k) { return k.architecture; }, &Question::architecture,
     &ModelFilter::architecture},
    {"framework", [](const ModelKey& k) { return k.framework; }, &Question::framework,
     &ModelFilter::framework},
    {"host", [](const ModelKey& k) { return k.host; }, &Question::host, &ModelFilter::host},
    {"device", [](const ModelKey& k) { return k.device; }, &Question::device, &ModelFilter::device},
    {"devices", [](const ModelKey& k) { return count_text(k.devices); }, nullptr, nullptr},
}};

std::optional<std::string> value_in(const Question& question, const Facet& facet) {
  if (facet.in_question != nullptr) return question.*facet.in_question;
  if (question.devices) return count_text(*question.devices);
  return std::nullopt;
}

ModelFilter with_value(ModelFilter filter, const Question& question, const Facet& facet, bool any_case) {
  if (facet.in_filter == nullptr) {
    filter.devices = question.devices;
  } else {
    filter.*facet.in_filter = ModelFilter::Name{*(question.*facet.in_question), any_case};
  }
  return filter;
}

// Those of the names that the question gives for these facets, whatever the names' case.
ModelFilter in_any_case(const Question& question, std::span<const Facet> facets) {
  ModelFilter out;
  for (const Facet& facet : facets)
    if (value_in(question, facet)) out = with_value(std::move(out), question, facet, true);
  return out;
}

Result<bool> exists(Models& models, ModelFilter filter) {
  filter.limit = 1;
  return models.list(filter).map([](const auto& found) { return !found.empty(); });
}

// In the order of their first models.
Result<Choices> deployments(Models& models, const ModelFilter& filter) {
  const auto rows = models.list(filter);
  if (!rows) return tl::unexpected(rows.error());
  Choices out;
  std::map<ModelKey, std::size_t> at;
  for (const ModelRow& row : *rows) {
    ModelKey key = row.key;
    key.phase = Phase::train;
    const auto [place, is_new] = at.try_emplace(key, out.size());
    if (is_new) out.push_back({key});
    (row.key.phase == Phase::train ? out[place->second].train : out[place->second].test) = true;
  }
  return out;
}

// All there are, or, where any have the names that the question gives, those.
Result<ModelFilter> by_network(Models& models, const Question& question) {
  ModelFilter all, filter = of_network(question);
  all.limit = filter.limit = kMostLookedAt;
  all.any_order = filter.any_order = true;
  return exists(models, filter).map([&](bool found) { return found ? filter : all; });
}

std::vector<std::string> values(const Choices& choices, const Facet& facet) {
  std::set<std::string> out;
  for (const KnownDeployment& each : choices) out.insert(facet.of(each.key));
  return {out.begin(), out.end()};
}

// `choices`: those there were before the one parameter that none of them fits. None: nothing is known at all.
Refusal refusal_of(Refusal::Kind kind, const Choices& choices, std::string_view parameter,
                   std::string_view value) {
  return {.kind = kind,
          .parameter = std::string(parameter),
          .value = std::string(value),
          .network = choices.empty() ? std::string() : choices.front().key.network,
          .deployments = choices.size()};
}

// Nothing at all has that first name.
Refusal unknown_name(Models& models, const Choices& some, const Facet& facet, const std::string& value) {
  const bool network = facet.parameter == "network";
  Refusal refusal = refusal_of(network ? Refusal::Kind::unknown_network : Refusal::Kind::unknown_architecture,
                               some, facet.parameter, value);
  if (auto names = models.names_around(network ? NameOf::network : NameOf::architecture, value))
    refusal.candidates = near_names(value, std::move(*names));
  return refusal;
}

Refusal unknown_deployment(const Choices& before, const Facet& facet, const std::string& value) {
  Refusal refusal = refusal_of(Refusal::Kind::unknown_deployment, before, facet.parameter, value);
  refusal.candidates = shown(values(before, facet));
  refusal.known = shown(before);
  return refusal;
}

Refusal no_model_of_phase(const Choices& choices, std::string_view phase) {
  Refusal refusal = refusal_of(Refusal::Kind::no_model_of_phase, choices, "", phase);
  refusal.known = shown(choices);
  return refusal;
}

// A question's names as a filter, each as written if any model has it so.
struct ExistingNames {
  ModelFilter filter;
  const Facet* unknown = nullptr;  // the first of which there is none: the filter is of those before it
  bool first = true;               // there are none before it
};

Result<ExistingNames> names_that_exist(Models& models, const Question& question) {
  auto filter = by_network(models, question);
  if (!filter) return tl::unexpected(filter.error());
  ExistingNames out{std::move(*filter)};
  for (const Facet& facet : kFacets) {
    if (!value_in(question, facet)) continue;
    out.unknown = &facet;
    for (const bool any_case : {false, true}) {
      const ModelFilter next = with_value(out.filter, question, facet, any_case);
      const auto found = exists(models, next);
      if (!found) return tl::unexpected(found.error());
      if (!*found) continue;
      out.filter = next;
      out.unknown = nullptr;
      break;
    }
    if (out.unknown != nullptr) return out;
    out.first = false;
  }
  return out;
}

}  // namespace

ModelFilter of_network(const Question& question) {
  return in_any_case(question, std::span(kFacets).first(2));
}

ModelFilter of_deployment(const Question& question) {
  return in_any_case(question, kFacets);
}

Result<ModelFilter> meant_by(Models& models, const Question& question) {
  auto found = names_that_exist(models, question);
  if (!found) return tl::unexpected(found.error());
  ModelFilter filter = std::move(found->filter);
  // Of a name that there is none of nothing is meant.
  const ModelFilter names = of_network(question);
  if (!filter.network) filter.network = names.network;
  if (!filter.architecture) filter.architecture = names.architecture;
  return filter;
}

Refusal ambiguous(std::vector<KnownDeployment> fits) {
  Refusal refusal = refusal_of(Refusal::Kind::ambiguous, fits, "", "");
  for (const Facet& facet : kFacets)
    if (auto different = values(fits, facet); different.size() > 1)
      refusal.differences.push_back({std::string(facet.parameter), shown(std::move(different))});
  refusal.known = shown(std::move(fits));
  return refusal;
}

Answer<Deployment> select(Models& models, const Question& question) {
  auto found = names_that_exist(models, question);
  if (!found) return refuse(found.error());
  ModelFilter& filter = found->filter;
  if (found->unknown != nullptr) {
    const Facet& facet = *found->unknown;
    const std::string value = *value_in(question, facet);
    const bool named = facet.parameter == "network" || facet.parameter == "architecture";
    if (found->first && named) filter.limit = 1;  // only whether there is any
    const auto before = deployments(models, filter);
    if (!before) return refuse(before.error());
    return refuse(found->first && (named || before->empty()) ? unknown_name(models, *before, facet, value)
                                                             : unknown_deployment(*before, facet, value));
  }
  const auto choices = deployments(models, filter);
  if (!choices) return refuse(choices.error());
  const bool test = question.phase == Question::Phase::test;
  const std::string_view phase = test ? "test" : "train";
  Choices able;
  std::ranges::copy_if(*choices, std::back_inserter(able),
                       [&](const KnownDeployment& each) { return test ? each.test : each.train; });
  if (able.empty()) return refuse(no_model_of_phase(*choices, phase));
  if (able.size() > 1) return refuse(ambiguous(std::move(able)));
  Deployment out;
  for (const Phase each : {Phase::train, Phase::test}) {
    if (question.phase != Question::Phase::total && test != (each == Phase::test)) continue;
    ModelKey key = able.front().key;
    key.phase = each;
    auto model = models.load(key);
    if (!model) return refuse(model.error());
    (each == Phase::train ? out.train : out.test) = std::move(*model);
  }
  // It went since it was found, or nothing can be fitted from its run.
  if ((test ? out.test : out.train) == nullptr) return refuse(no_model_of_phase(able, phase));
  return out;
}

}  // namespace etad::prediction
