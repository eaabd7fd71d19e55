// What estimators are asked about, and what they learn from: the joint between whoever keeps measurements and
// every estimator of this folder. Plain values; a string left empty and a number left 0 mean "not known".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "regression/dataset.h"

namespace etad::estimators {

// The column that is estimated. Seconds and joules are those of one iteration; joules and peak bytes those of a device:
// more devices take less time, but each draws what one does.
enum class Target : std::uint8_t { seconds, joules, peak_bytes };
inline const std::set<Target> kAllTargets = {Target::seconds, Target::joules, Target::peak_bytes};

// What one layer asks of the machine for one sample.
struct LayerCosts {
  int kind = 0;         // layers of one kind spend their time alike; below kLayerKinds
  bool matrix = false;  // its operations are multiply-adds of matrices, for which machines are built
  double operations = 0, backward_operations = 0;
  double lowered = 0;   // elements a convolution is unrolled to before it is a product of matrices
  double elements = 0;  // read and written forward; backward moves them twice
  double weights = 0;   // read once an iteration, whatever the batch
  double outputs = 0;   // elements kept for the layers behind it, and for the way back
};
inline constexpr int kLayerKinds = 16;

// What a layer took on the machine in an iteration over so many samples of a device, where a run timed it.
struct LayerTiming {
  std::int64_t layer = 0;  // its place among the network's
  double samples = 0, forward_seconds = 0, backward_seconds = 0;
};

// The same of a whole network, where its description was shown.
struct Costs {
  std::vector<LayerCosts> layers;
  std::vector<LayerTiming> timings = {};
};

struct Case {
  std::string network;  // what tells networks apart: name and fingerprint
  std::string phase;    // "train" or "test"
  double samples = 0;   // B, per iteration, over all devices
  double devices = 1;   // k
  double nodes = 1;
  std::string device;  // model of the device
  std::string host;
  std::string framework;
  std::vector<std::string> settings;   // "name=value", sorted
  double iterations = 0;               // n; 0: of no job in particular
  std::shared_ptr<const Costs> costs;  // nullptr: no description was shown

  bool has_samples() const { return samples > 0 && devices > 0; }
  double samples_per_device() const { return samples / devices; }
  bool has_layers() const { return costs && !costs->layers.empty(); }
};

// One measured run.
struct Datum {
  Case what;
  double value = 0;  // of the target: see Target
  std::int64_t run = 0;
  double started_at = 0, ended_at = 0;  // seconds since 1970; 0: not known
  double joules = 0, peak_bytes = 0;    // of an iteration on all devices; of one device; 0: not known
  std::int64_t owner = 0;               // uid of its log's owner
  std::int64_t place = 0;               // of the owner: who was there first has the lowest
  regression::WithinRun within = {};
};
using History = std::vector<Datum>;

// Runs in one number, all that is known of them: what was learnt of runs holds for as long as it is the same. A description
// counts by its address, so it must live as long as what is kept with the number.
std::size_t fingerprint_of(const std::vector<const Datum*>& runs);

// 128 of the setting "width=128"; nullopt: it is set to no number.
std::optional<double> number_of(std::string_view setting);

// Whether something can be learnt of a run: its value and its batch size are known.
bool usable(const Datum& datum);

// The usable ones of these runs, with what they cost of `target` for their value.
History valued(const History& history, Target target);

// As the model of one network takes it.
inline constexpr double kAnyLength = 1000;  // iterations, of a run or a question that does not say how many
regression::RunObservation observation_of(const Datum& datum);

// The facts of a case, to group cases by: those of a mask must be equal within a group.
enum Fact : unsigned {
  kNetwork = 1U << 0,
  kPhase = 1U << 1,
  kSamples = 1U << 2,
  kDevices = 1U << 3,  // number of devices and of nodes
  kDevice = 1U << 4,
  kHost = 1U << 5,
  kFramework = 1U << 6,
  kSettings = 1U << 7,
};
inline constexpr unsigned kAllFacts = (1U << 8) - 1;
inline constexpr unsigned kMachine = kDevice | kHost | kFramework;
inline constexpr unsigned kSeries = kAllFacts & ~kSamples;  // runs that differ in their batch size at most
inline constexpr unsigned kScaling =
    kSeries & ~kDevices;  // in their batch size and number of devices at most
inline constexpr unsigned kNetworkInPhase = kNetwork | kPhase;  // series whose curves have the most in common

// Two cases have the same key exactly where the facts of the mask are equal.
std::string key_of(const Case& what, unsigned facts);

// What was measured at one point, all facts equal: the replicates of it in one number.
struct ReplicateGroup {
  const Case* what = nullptr;  // of its first run; lives as long as the history
  double log_value = 0;        // median of the replicates, in the logarithm
  int runs = 0;
  std::int64_t owner = 0, place = 0;  // of that one of its runs whose owner was there first
};

// Of the usable runs.
std::vector<ReplicateGroup> replicate_groups(const History& history);

}  // namespace etad::estimators
