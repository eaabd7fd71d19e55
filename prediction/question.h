// "How long will it take?", and why there may be no answer. Plain values: the service makes them from
// parameters and into JSON.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "parsers/base/error.h"
#include "prediction/contradiction.h"
#include "prediction/description.h"
#include "regression/model.h"
#include "storage/rows.h"

namespace etad::prediction {

// What the question leaves out (nullopt) must be settled by the models there are, or it is refused as
// ambiguous. A batch size is the number of samples one iteration works through on all devices together
// (configured batch size x iter_size x devices where each device takes a batch of its own): the history's B.
struct Question {
  static constexpr double kMostConfidence = 0.9999;  // runs tell nothing of what is rarer
  enum class Phase : std::uint8_t { train, test, total };
  std::optional<std::string> network, architecture, framework, host, device;
  std::optional<std::int64_t> devices;  // 0: an unknown number
  Phase phase = Phase::train;
  std::optional<std::int64_t> batch_size;
  std::optional<std::int64_t>
      tokens;  // of one iteration, instead of its batch size: samples x sequence length
  std::int64_t iterations = 0;
  std::optional<std::int64_t> test_interval, test_iterations, test_batch_size,
      snapshot_interval;                        // a total's
  std::map<std::string, std::string> settings;  // the run's, as far as they are known: "type", "precision", …
  double confidence = 0.9;                      // below 1, at most kMostConfidence
  // The user who asks (uid). If his runs contradict what others measured, he is answered from his own.
  std::optional<std::int64_t> asker;
  std::optional<Instant> at;         // what could have been said then, by runs that were over by then
  std::optional<std::int64_t> like;  // the run that all the rest is taken from
  std::optional<double> epochs;      // instead of iterations: passes over
  std::optional<std::int64_t> samples_per_epoch;
  // The network as it was shown with the question, or by a log without times; nullptr: it was not.
  std::shared_ptr<const Description> shown;
};

// A network on a deployment, and which phases of it there are models of.
struct KnownDeployment {
  ModelKey key;  // its phase means nothing here
  bool train = false, test = false;
};

// Why a question has no answer, with what the asker may want to know.
struct Refusal {
  enum class Kind : std::uint8_t {
    unknown_network,       // `value`; `candidates`: near names
    unknown_architecture,  // likewise, where no network was named
    unknown_deployment,    // `network` knows no `parameter` of that `value`; `candidates`: those it knows
    no_model_of_phase,     // `value` ("train", "test"): of `network` there is none, but of the other phase
    no_model_of_tests,     // a total with tests of `network`, of which only training is known
    ambiguous,             // several deployments fit: `deployments`, which differ in `differences`
    batch_sizes_unknown,   // of `network`: no run's log told one, so that they can't be compared
    too_large,             // `parameter`: with the others it makes a time beyond all bounds
    contradicting,         // the runs name no device and contradict each other: `contradiction`
    batch_size_missing,    // `parameter`: models of several batch sizes, `batch_sizes`
    costs_unknown,         // `network` never ran, and what it costs can't be counted: `value` says why
    nothing_ran_there,     // nothing ran on that `value` of `parameter`; `candidates`: on these something did
    nothing_alike,         // `network` never ran, and no other runs tell of it: `value` says why
    abstained,             // of `network` good estimators contradict each other: `value` says what they say
    cost_unknown,          // of `network`: `value` (energy, memory)
    sequence_length_missing,  // of `network`, whose runs had those of `candidates`: tokens are no samples
                              // without
    unreadable,               // the history can't be read: `error`
  };
  // A parameter of the question whose values tell the deployments apart.
  struct Difference {
    std::string parameter;
    std::vector<std::string> values;  // sorted; at most kMostShown
  };

  Kind kind = Kind::unknown_network;
  std::string parameter = {};  // as the question's parameters are named
  std::string value = {};
  std::string network = {};
  std::vector<std::string> candidates = {};
  std::size_t deployments = 0;              // that were left when the question failed
  std::vector<KnownDeployment> known = {};  // these, at most kMostShown
  std::vector<Difference> differences = {};
  regression::Range batch_sizes = {};
  std::optional<Contradiction> contradiction = {};
  std::optional<Error> error = {};
};

// More than this many are not shown: whoever asks so vaguely needs the parameters, not the list.
inline constexpr std::size_t kMostShown = 20;
template <class T>
std::vector<T> shown(std::vector<T> all) {
  if (all.size() > kMostShown) all.resize(kMostShown);
  return all;
}

// The thing asked for, or why there is none.
template <class T>
using Answer = tl::expected<T, Refusal>;

inline tl::unexpected<Refusal> refuse(Refusal refusal) {
  return tl::unexpected<Refusal>(std::move(refusal));
}
inline tl::unexpected<Refusal> refuse(const Error& unreadable) {
  return refuse(Refusal{.kind = Refusal::Kind::unreadable, .error = unreadable});
}

}  // namespace etad::prediction
