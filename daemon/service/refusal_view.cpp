// Why an estimate has no answer, for people and programs.
#include "daemon/service/estimate.h"
#include "daemon/service/views.h"

namespace etad::service {
namespace {

using prediction::KnownDeployment;
using prediction::Refusal;

std::string quoted(const std::string& value) {
  return value.empty() ? "unknown" : "\"" + value + "\"";
}

void write_known(JsonWriter& json, std::string_view name, const std::vector<KnownDeployment>& known) {
  json.list(name, known, [](JsonWriter& out, const KnownDeployment& each) {
    const auto& [key, train, test] = each;
    out.begin_object();
    write_key(out, key);
    out.field("devices", known_devices(key.devices)).key("phases").begin_array();
    if (train) out.value("train");
    if (test) out.value("test");
    out.end_array().end_object();
  });
}

// Further members of a problem: what there is beside what was asked for, and the parameter it lies in.
std::function<void(JsonWriter&)> telling_known(const Refusal& refusal) {
  return [known = refusal.known](JsonWriter& json) { write_known(json, "known", known); };
}

std::function<void(JsonWriter&)> naming_parameter(const Refusal& refusal) {
  return [name = refusal.parameter](JsonWriter& json) { json.field("parameter", name); };
}

// Many logs do not name their network, and models are made of networks that have a name.
Problem unknown_name(const Refusal& refusal, const std::string& article, const std::string& what) {
  if (refusal.value.empty())
    return {404, "Unknown " + what, "The run's log names no network, so that it counts for none.",
            "`etactl label RUN network=NAME` names it; the configuration does all runs of a source: labels, "
            "path_pattern"};
  return {404, "Unknown " + what,
          "No model of " + article + " " + what + " " + quoted(refusal.value) + " yet.",
          refusal.deployments == 0
              ? "nothing has been learned yet: see `etactl status`; runs whose logs name no network "
                "are named by `etactl label RUN network=NAME`"
              : "`etactl models` lists what can be estimated; what never ran is, by its "
                "description: --net FILE",
          refusal.candidates};
}

Problem unknown_deployment(const Refusal& refusal) {
  return {404,
          "Unknown deployment",
          "The history of " + refusal.network + " knows no " + refusal.parameter + " " +
              quoted(refusal.value) + ".",
          "",
          refusal.candidates,
          telling_known(refusal)};
}

Problem nothing_ran_there(const Refusal& refusal) {
  const bool host = refusal.parameter == "host";
  return {404,
          "Nothing ran there",
          "The history has no run of a known batch size " +
              std::string(refusal.parameter == "framework" ? "with" : "on") + " the " + refusal.parameter +
              " " + quoted(refusal.value) + ", of any network: nothing tells how fast it is.",
          std::string("a short run of any network there would tell, or `etactl import` of a log from there") +
              (host ? "; where its device is of a model that ran elsewhere, say device=MODEL" : ""),
          refusal.candidates,
          naming_parameter(refusal)};
}

Problem no_model_of_phase(const Refusal& refusal) {
  return {404,
          "Unknown phase",
          "The history of " + refusal.network + " has no model of its " + refusal.value + " phase yet.",
          "",
          {},
          telling_known(refusal)};
}

Problem no_model_of_tests(const Refusal& refusal) {
  return {404, "",
          "No test phase of " + refusal.network +
              " is in the history yet, only training: a total with tests can't be told.",
          "ask with test_interval=0 for the training alone"};
}

Problem ambiguous(const Refusal& refusal) {
  std::vector<std::string> parameters;
  std::string detail;
  for (const auto& [parameter, values] : refusal.differences) {
    parameters.push_back(parameter);
    detail += (detail.empty() ? "" : "; ") + parameter + ": ";
    for (std::size_t i = 0; i < values.size(); ++i)
      detail += (i == 0 ? "" : ", ") + (values[i].empty() ? "unknown" : values[i]);
  }
  return {409,
          "Ambiguous question",
          std::to_string(refusal.deployments) + " models fit the question. They differ in " + detail + ".",
          parameters.empty() ? "" : "say which " + parameters.front() + " is meant",
          {},
          [known = refusal.known, parameters](JsonWriter& json) {
            write_known(json, "candidates", known);
            json.field("parameters", parameters);
          }};
}

std::string named(const Refusal& refusal) {
  return refusal.network.empty() ? "this network" : refusal.network;
}

Problem costs_unknown(const Refusal& refusal) {
  return {404, "Unknown costs", "What " + named(refusal) + " costs can't be counted: " + refusal.value + ".",
          "`etactl estimate --net FILE` takes a deploy.prototxt or Keras' model.summary(), which say it; or "
          "start the training: its first measured interval makes a model"};
}

Problem nothing_alike(const Refusal& refusal) {
  return {404, "Nothing to compare with",
          "Of " + named(refusal) +
              " there are no runs, and those of others do not tell of it: " + refusal.value + ".",
          "a network is estimated by its costs where two others, whose logs showed their layers, have run: "
          "`etactl networks` lists what ran"};
}

Problem abstained(const Refusal& refusal) {
  return {
      404,
      "Estimators disagree",
      "Of " + named(refusal) + " estimators with good records contradict each other: " + refusal.value + ".",
      "a short run of it there would tell: `etactl next` says which",
      {},
      [](JsonWriter& json) { json.field("abstained", true); }};
}

Problem cost_unknown(const Refusal& refusal) {
  return {404, "Never measured",
          "What " + refusal.value + " runs of " + (refusal.network.empty() ? "it" : refusal.network) +
              " take, nothing tells: no trace of their GPUs, no log, and no other run.",
          refusal.value == "energy"
              ? "follow a monitoring trace with the GPUs' power, or import a CSV with a column energy_joules"
              : "follow a monitoring trace with the GPUs' memory, import a CSV with a column "
                "peak_memory_bytes, or show the network with --net FILE"};
}

std::string runs_text(const prediction::Contradiction::Side& side) {
  const std::size_t shown = side.runs.size();
  std::string out = shown == 1 ? "run " : "runs ";
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + std::to_string(side.runs[i]);
  return out;
}

std::string side_text(const prediction::Contradiction::Side& side) {
  JsonWriter seconds, samples;
  seconds.value(side.seconds);
  samples.value(side.samples);
  return seconds.take() + " s an iteration" + (side.samples > 0 ? " of " + samples.take() + " samples" : "") +
         " in " + runs_text(side);
}

void write_side(JsonWriter& json, std::string_view name, const prediction::Contradiction::Side& side) {
  json.key(name).begin_object().field("seconds_per_iteration", side.seconds);
  json.field("samples_per_iteration", side.samples).field("runs", side.runs).end_object();
}

Problem contradicting(const Refusal& refusal) {
  const prediction::Contradiction& found = *refusal.contradiction;
  const std::string network = found.key.network.empty() ? "a network without a name" : found.key.network;
  return {409,
          "Runs that contradict each other",
          "The runs of " + network + " name no device, and their times contradict each other: " +
              side_text(found.fast) + ", " + side_text(found.slow) + ". No one model is true of them.",
          "say what each ran on, `etactl label " + std::to_string(found.slow.runs.front()) +
              " device=NAME`, or `etactl import --label device=NAME` at the import",
          {},
          [found](JsonWriter& json) {
            json.field("label", "device").key("contradiction").begin_object();
            write_side(json, "fast", found.fast);
            write_side(json, "slow", found.slow);
            json.end_object();
          }};
}

Problem batch_size_missing(const Refusal& refusal) {
  Problem problem;
  problem.title = "Invalid parameter";
  problem.more = naming_parameter(refusal);
  if (!(refusal.batch_sizes.max > 0)) {
    problem.detail = "Parameter \"" + refusal.parameter + "\" is missing: nothing else says it.";
    return problem;
  }
  JsonWriter low, high;
  low.value(refusal.batch_sizes.min);
  high.value(refusal.batch_sizes.max);
  problem.detail = "Parameter \"" + refusal.parameter + "\" is missing: the history of " + refusal.network +
                   " has several batch sizes, from " + low.take() + " to " + high.take() + ".";
  return problem;
}

Problem sequence_length_missing(const Refusal& refusal) {
  return {400,
          "Invalid parameter",
          "How many samples the tokens are is not known: the runs of " +
              (refusal.network.empty() ? "that network" : refusal.network) +
              (refusal.candidates.empty() ? " tell no length of a sequence."
                                          : " had sequences of several lengths."),
          "say it by \"" + refusal.parameter + "\", or ask for \"batch_size\"",
          {},
          [name = refusal.parameter, known = refusal.candidates](JsonWriter& json) {
            json.field("parameter", name).field("candidates", known);
          }};
}

Problem batch_sizes_unknown(const Refusal& refusal) {
  return {404, "Unknown batch sizes",
          "No log of a run of " + refusal.network + " there tells a batch size: nothing is known of others.",
          "`etactl label RUN batch_size=N` says a run's; the configuration all runs' of a source: labels"};
}

Problem too_large(const Refusal& refusal) {
  return {400,
          "Invalid parameter",
          "Parameter \"" + refusal.parameter + "\" is too large with the others: no time is that long.",
          "",
          {},
          naming_parameter(refusal)};
}

Problem unreadable(const Refusal& refusal) {
  Problem problem = problem_of(refusal.error.value_or(Error{}));
  problem.title = "The history can't be read";
  return problem;
}

}  // namespace

Problem problem_of(const Refusal& refusal) {
  switch (refusal.kind) {
    case Refusal::Kind::unknown_network:
      return unknown_name(refusal, "a", "network");
    case Refusal::Kind::unknown_architecture:
      return unknown_name(refusal, "an", "architecture");
    case Refusal::Kind::unknown_deployment:
      return unknown_deployment(refusal);
    case Refusal::Kind::no_model_of_phase:
      return no_model_of_phase(refusal);
    case Refusal::Kind::no_model_of_tests:
      return no_model_of_tests(refusal);
    case Refusal::Kind::ambiguous:
      return ambiguous(refusal);
    case Refusal::Kind::contradicting:
      return contradicting(refusal);
    case Refusal::Kind::batch_size_missing:
      return batch_size_missing(refusal);
    case Refusal::Kind::costs_unknown:
      return costs_unknown(refusal);
    case Refusal::Kind::nothing_ran_there:
      return nothing_ran_there(refusal);
    case Refusal::Kind::nothing_alike:
      return nothing_alike(refusal);
    case Refusal::Kind::abstained:
      return abstained(refusal);
    case Refusal::Kind::cost_unknown:
      return cost_unknown(refusal);
    case Refusal::Kind::sequence_length_missing:
      return sequence_length_missing(refusal);
    case Refusal::Kind::batch_sizes_unknown:
      return batch_sizes_unknown(refusal);
    case Refusal::Kind::too_large:
      return too_large(refusal);
    case Refusal::Kind::unreadable:
      return unreadable(refusal);
  }
  return {};
}

}  // namespace etad::service
