// What a question is about: the case that the estimators are asked of.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "parsers/base/text.h"
#include "parsers/base/time.h"
#include "prediction/knowledge.h"
#include "prediction/model_set.h"
#include "prediction/names.h"
#include "regression/covariates.h"

namespace etad::prediction {
namespace {

using estimators::Case;
using estimators::Datum;

struct LikeRun {
  const ModelKey* key = nullptr;  // nullptr: there is none
  const Datum* datum = nullptr;
};

// As numbers, the higher the better.
using Merits = std::array<double, 10>;

double merit(const std::optional<std::string>& asked, std::string_view has) {
  return static_cast<double>(fit_of(asked, has));
}

using ModelsRuns = std::vector<const Knowledge::Data::value_type*>;

// Of all runs of the network, which those models are of, the one that fits most of what is asked for; of equals the
// asker's own, and of these the newest.
LikeRun most_like(const ModelsRuns& models, const Question& question, Phase phase,
                  std::optional<std::int64_t> batch) {
  LikeRun out;
  Merits best{};
  for (const auto* const model : models) {
    const auto& [key, runs] = *model;
    if (!fits(question.architecture, key.architecture)) continue;
    for (const Datum& datum : runs) {
      const Case& ran = datum.what;
      const Merits merits = {merit(question.network, key.network),
                             merit(question.architecture, key.architecture),
                             merit(question.host, ran.host),
                             merit(question.device, ran.device),
                             merit(question.framework, ran.framework),
                             key.phase == phase ? 1.0 : 0.0,
                             question.devices && *question.devices == key.devices ? 1.0 : 0.0,
                             batch && static_cast<double>(*batch) == ran.samples ? 1.0 : 0.0,
                             question.asker && *question.asker == datum.owner ? 1.0 : 0.0,
                             datum.started_at};
      if (out.key != nullptr && !(merits > best)) continue;
      out = {&key, &datum};
      best = merits;
    }
  }
  return out;
}

// Those that most owners have, of several those of most runs.
std::vector<std::string> usual_settings(const std::vector<Datum>& runs) {
  std::map<std::vector<std::string>, std::pair<std::set<std::int64_t>, int>> all;
  for (const Datum& run : runs) {
    auto& [owners, count] = all[run.what.settings];
    owners.insert(run.owner);
    ++count;
  }
  const auto rank = [](const auto& each) { return std::pair(each.second.first.size(), each.second.second); };
  return std::ranges::max_element(all, {}, rank)->first;
}

// A model of such a host, device and framework; nullptr: there is none.
const ModelKey* of_such(const Knowledge::Data& data, const std::optional<std::string>& host,
                        const std::optional<std::string>& device,
                        const std::optional<std::string>& framework = std::nullopt) {
  const ModelKey* out = nullptr;
  std::array<Fit, 3> best{};
  for (const auto& [key, runs] : data) {
    const std::array fit = {fit_of(host, key.host), fit_of(device, key.device),
                            fit_of(framework, key.framework)};
    if (std::ranges::min(fit) == Fit::none || (out != nullptr && fit <= best)) continue;
    out = &key;
    best = fit;
  }
  return out;
}

// Moves the case to the machine that is asked for. Where only its host or only its device is, that decides the other,
// as far as the history knows which.
void move_to_machine(const Knowledge::Data& data, const Question& question, Case& what) {
  if (question.host && !fits(question.host, what.host)) {
    const ModelKey* const there = of_such(data, question.host, std::nullopt);
    what.host = there != nullptr ? there->host : *question.host;
    if (!question.device && there != nullptr) what.device = there->device;
  }
  if (question.device && !fits(question.device, what.device)) {
    const ModelKey* there = of_such(data, question.host, question.device);
    if (there == nullptr) there = of_such(data, std::nullopt, question.device);
    what.device = there != nullptr ? there->device : *question.device;
    if (!question.host) what.host = there != nullptr ? there->host : "";
  }
  if (question.framework && !fits(question.framework, what.framework)) {
    const ModelKey* const there = of_such(data, std::nullopt, std::nullopt, question.framework);
    what.framework = there != nullptr ? there->framework : *question.framework;
  }
}

// More devices work through more samples: as many each, where nothing else was said.
void move_to_devices(std::int64_t devices, std::optional<std::int64_t> batch, Case& what) {
  std::erase(what.settings, kUnknownDevices);
  if (devices == 0) what.settings.emplace_back(kUnknownDevices);
  const double before = what.devices;
  what.devices = reckoned_devices(devices);
  what.samples = batch ? static_cast<double>(*batch) : what.samples * what.devices / before;
}

// Of what a training was set to, a test has the precision alone.
void move_to_phase(Phase phase, Case& what) {
  if (what.phase == name_of(phase)) return;
  what.phase = std::string(name_of(phase));
  if (phase == Phase::test)
    std::erase_if(what.settings,
                  [](const auto& setting) { return regression::covariate_name(setting) != "precision"; });
}

}  // namespace

std::optional<Asked> Knowledge::asked(const Question& question, Phase phase,
                                      std::optional<std::int64_t> batch, Models& models) const {
  ModelsRuns runs;
  if (!question.network)
    for (const auto& of_model : data_) runs.push_back(&of_model);
  else if (const auto named = models_of_.find(lower_case(*question.network)); named != models_of_.end())
    runs = named->second;
  const LikeRun like = most_like(runs, question, phase, batch);
  if (like.key == nullptr) return std::nullopt;
  Asked out{*like.key, like.datum->what, {}};
  const auto model = models.load(*like.key);
  out.what.settings = model && *model ? (*model)->model.covariates : usual_settings(data_.at(*like.key));
  out.key.devices = question.devices.value_or(like.key->devices);
  move_to_machine(data_, question, out.what);
  move_to_devices(out.key.devices, batch, out.what);
  move_to_phase(phase, out.what);
  std::set<double> sizes;
  for (const Datum& run : data_.at(*like.key)) sizes.insert(run.what.samples_per_device() * out.what.devices);
  out.batch_sizes = {*sizes.begin(), *sizes.rbegin()};
  for (std::string& setting : out.what.settings) {
    const auto wanted = question.settings.find(std::string(regression::covariate_name(setting)));
    if (wanted != question.settings.end()) setting = wanted->first + "=" + wanted->second;
  }
  out.what.iterations = static_cast<double>(question.iterations);
  out.key.framework = out.what.framework;
  out.key.host = out.what.host;
  out.key.device = out.what.device;
  out.key.phase = phase;
  return out;
}

std::vector<Asked> Knowledge::asked_of_shown(const Question& question, Phase phase,
                                             std::int64_t batch) const {
  const Description& net = *question.shown;
  std::map<ModelKey, Asked> machines;
  for (const auto& [ran, runs] : data_) {
    if (!fits(question.framework, ran.framework) || !fits(question.host, ran.host) ||
        !fits(question.device, ran.device) || (question.devices && *question.devices != ran.devices))
      continue;
    ModelKey key = ran;
    key.network = question.network.value_or(net.name);
    key.architecture = net.architecture;
    key.phase = phase;
    estimators::Case what = case_of(key);
    what.samples = static_cast<double>(batch);
    what.costs = net.costs;
    what.iterations = static_cast<double>(question.iterations);
    for (const auto& [name, value] : question.settings) what.settings.push_back(name + "=" + value);
    machines.try_emplace(key, Asked{key, std::move(what), {}});
  }
  std::vector<Asked> out;
  // A network in a framework's own form is for that framework, where it ever ran here.
  const bool own =
      std::ranges::any_of(machines, [&](const auto& each) { return each.first.framework == net.framework; });
  for (auto& [key, asked] : machines)
    if (!own || question.framework || key.framework == net.framework) out.push_back(std::move(asked));
  return out;
}

std::string_view Knowledge::untold_of(const Question& question, const estimators::Case& what) const {
  const unsigned never = seen_.never_seen(what);
  if (never & estimators::kDevice) return "device";
  if (never & estimators::kFramework) return "framework";
  // One CPU is not like another, and what is not named may be anything.
  const bool told = question.device && !what.device.empty() && !equal_ignoring_case(what.device, "CPU");
  return (never & estimators::kHost) && !told ? "host" : "";
}

std::vector<std::string> Knowledge::values_of(std::string_view parameter) const {
  std::set<std::string> out;
  for (const auto& [key, runs] : data_)
    out.insert(parameter == "device" ? key.device : parameter == "host" ? key.host : key.framework);
  out.erase("");
  return {out.begin(), out.end()};
}

}  // namespace etad::prediction
