// What kind of a question a case is to a history: what must be bridged between the runs that there are and the one that
// is asked about. Estimators are judged, and intervals made, by kind (performance.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "regression/estimators/case.h"

namespace etad::estimators {

// The kind of a question says how the runs that there are differ from the one that is asked about. Where several kinds
// fit, it is the last of them: a question about another machine and another batch size is of kind `device`.
enum class Kind : std::uint8_t {
  seen,              // runs with all the same facts are there
  batch_size,        // at other batch sizes, smaller and larger ones
  batch_size_range,  // at smaller batch sizes only, or larger ones only
  // The same, and who ran it ran no other series of the network in that phase at such a size either.
  batch_size_beyond_all,
  batch_size_from_one,  // at a single other batch size
  settings,             // with other settings, or in the other phase
  devices,              // on other numbers of devices, fewer and more
  devices_range,        // on fewer devices only, or more only (of other settings, where none ran with these)
  device,               // on other machines, of which this one ran other networks
  machine,              // on a machine (device, host, framework) that nothing ran on
  network,              // a network that never ran
};
inline constexpr std::size_t kKinds = 11;

struct KindOfQuestion {
  std::string_view name;    // "batch_size" for all four kinds that are about it
  std::string_view column;  // one for each: "batch_size_range"
  // The facts of a part of the history from which such questions are hidden: a run is hidden with all in which they
  // are equal, or with some of these. Errors within a part are alike.
  unsigned hidden_facts;
  // How far such answers are off where nothing was hidden yet to tell: the median of |log(actual / estimate)| in
  // public measurements, in round numbers.
  double assumed_error;
};
const KindOfQuestion& about(Kind kind);
inline std::string_view name_of(Kind kind) {
  return about(kind).name;
}
inline std::string_view column_of(Kind kind) {
  return about(kind).column;
}

// What lies between a question and the runs that there are. The later in order is the harder to tell.
struct Distance {
  Kind kind{};
  // In the logarithm, beyond all batch sizes, or numbers of devices, that ran. 0 where there are such on both sides.
  double beyond = 0;
  auto operator<=>(const Distance&) const = default;
};

// What a history has seen, to tell the kind of a question by.
class Seen {
 public:
  explicit Seen(const History& history);
  Distance distance_of(const Case& what) const;
  Kind kind_of(const Case& what) const { return distance_of(what).kind; }
  // Those facts of the machine and of the number of devices that no run of any network has.
  unsigned never_seen(const Case& what) const;
  // The same question of a job no longer or shorter than those of the network that ran. A step takes as long in a longer
  // one, while a form that has a place for the length (gianniti_literal) goes anywhere beyond.
  Case within_lengths(Case what) const;

 private:
  std::set<std::string> keys_;
  using Ranges = std::map<std::string, std::pair<double, double>>;
  Ranges samples_, devices_;  // by series; by what is the same but for samples and devices
  Ranges any_settings_;       // numbers of devices, by network, phase and machine
  Ranges shares_;             // samples of a device, by network, phase and owner
  Ranges lengths_;            // iterations, by network and phase
  std::map<std::string, std::set<std::int64_t>> owners_;  // by series
};

}  // namespace etad::estimators
