// What a program says that it was started with.
#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "parsers/base/precision.h"
#include "parsers/base/text.h"
#include "parsers/training/line_numbers.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::Arguments;
using track::RunTrack;

namespace {

// As far as it is told; 0: it is not. One process says nothing: of some programs it is the first that speaks for all.
std::int64_t devices_of(const Arguments& told) {
  const std::int64_t processes = std::max(told.initialized, told.seeded);
  const std::int64_t by_lists =
      product_or_zero(std::max<std::int64_t>(told.processes, 1), told.local_devices);
  const std::int64_t devices = std::max({told.devices, by_lists, processes > 1 ? processes : 0});
  return devices > 1 || told.launched < 2 ? devices : told.launched;
}

void count(Arguments& told, OfEachProcess line) {
  std::int64_t& lines = line == OfEachProcess::initialized ? told.initialized
                        : line == OfEachProcess::seeded    ? told.seeded
                                                           : told.launched;
  lines = std::min(lines + 1, track::kMaxCount);
}

// What lines that are surer have not said.
void add_arguments(RunTrack& r, const Arguments& told) {
  if (r.run.network.empty()) r.run.network = told.network;
  if (told.epochs && !r.run.max_iterations)
    r.run.settings.try_emplace(std::string(name_of(Field::epochs)), std::to_string(*told.epochs));
  const auto precision = r.run.settings.find("precision");
  if (says_more(told.precision, precision == r.run.settings.end() ? "" : std::string_view(precision->second)))
    r.run.settings.insert_or_assign("precision", told.precision);
  const std::int64_t devices = devices_of(told);
  if (devices > 0 && r.known.devices.value_or(r.known.devices_heard) == r.known.devices_heard)
    r.known.devices = r.known.devices_heard = devices;
  if (r.known.batch_size || r.known.global_batch_size) return;
  r.known.batch_size = told.batch_size;
  r.known.global_batch_size = told.global_batch_size;
  r.known.batch_is_option = told.batch_size || told.global_batch_size;
}

constexpr std::int64_t kMostRanks =
    63;  // of which each is known by its lines: of more, there may be any number

// How many processes there are, as far as each of them has written a line; 0: some have not, or there is but one.
std::int64_t processes_with(const std::optional<std::int64_t>& rank, std::uint64_t& ranks) {
  if (rank) ranks |= std::uint64_t{1} << std::min(*rank, kMostRanks);
  const bool all = std::has_single_bit(ranks + 1);
  return all && ranks > 1 ? std::popcount(ranks) : 0;
}

// There are more ranks than are told apart: that those before it were all is taken back.
void forget_counted_ranks(Arguments& told, RunTrack* begun) {
  if (std::countr_one(told.ranks) < kMostRanks || told.devices != kMostRanks) return;
  told.devices = 0;
  if (!begun || begun->known.devices != kMostRanks || begun->known.devices_heard != kMostRanks) return;
  begun->known.devices.reset();
  begun->known.devices_heard = 0;
}

// The training that has begun and has not come to its first step, to which all that is told belongs; nullptr: none.
RunTrack* beginning(RunTrack* open) {
  return open && !open->progressed() ? open : nullptr;
}

}  // namespace

void drop_batch_of_options(track::Quantities& known, const Event& event) {
  const bool tests = event.text(Field::phase) == name_of(Phase::test);
  if (!known.batch_is_option || tests ||
      !(event.has(Field::batch_size) || event.has(Field::global_batch_size)))
    return;
  known.batch_size = known.global_batch_size = std::nullopt;
  known.batch_is_option = false;
}

// The first of several counts: what a program trains stands before what it evaluates or saves. It begins no run, and is
// of all that the program trains.
void track::Values::argument(const Event& event) {
  Arguments& told = state_.arguments;
  if (told.used) {
    Arguments anew;
    if (told.renewed) std::tie(anew.precision, anew.devices) = std::tie(told.precision, told.devices);
    told = std::move(anew);
  }
  if (told.network.empty()) told.network = kept_text(event.text(Field::network), track::kMaxText);
  if (!told.batch_size) told.batch_size = positive_of(event, Field::batch_size);
  if (!told.global_batch_size) told.global_batch_size = positive_of(event, Field::global_batch_size);
  if (!told.epochs) told.epochs = positive_of(event, Field::epochs);
  RunTrack* const begun = beginning(all_.runs.open());
  if (!begun) return;
  add_arguments(*begun, told);
  begun->dirty = true;
}

// A training's program says it before the first step; amid one another may begin, of which only such lines are asked as
// speak of one: the many that no rule knows would cost much.
bool track::Values::hears_surroundings(EventKind kind) const {
  if (kind != EventKind::none)
    return kind == EventKind::setting || kind == EventKind::argument || kind == EventKind::run_start;
  return all_.runs.under_way() == nullptr;
}

// Of several numbers of devices the largest is that of all: the others may be a node's, or a group's. What is said of them
// once a training has begun may still be said of it, and takes nothing else back.
void track::Values::surroundings(const Surroundings& said) {
  if (!said.options.values().empty()) argument(said.options);
  if (said.say_options_at_most()) return;
  RunTrack* const begun = beginning(all_.runs.open());
  if (state_.arguments.used && !state_.arguments.renewed) {
    if (!begun) {
      Arguments& told = state_.arguments;
      told.devices = told.processes = told.local_devices = told.initialized = told.seeded = told.launched = 0;
      told.ranks = 0;
    }
    state_.arguments.renewed = !said.precision.empty();
    if (state_.arguments.renewed) state_.arguments.precision.clear();
    if (begun && state_.arguments.renewed)
      begun->run.settings.erase("precision");  // of the training before it
  }
  if (says_more(said.precision, state_.arguments.precision)) state_.arguments.precision = said.precision;
  const std::int64_t processes = processes_with(said.rank, state_.arguments.ranks);
  if (said.rank >= kMostRanks) forget_counted_ranks(state_.arguments, begun);
  state_.arguments.devices = std::max({state_.arguments.devices, said.devices, processes});
  if (said.processes > 0) state_.arguments.processes = said.processes;
  if (said.local_devices > 0) state_.arguments.local_devices = said.local_devices;
  if (said.of_each) count(state_.arguments, *said.of_each);
  if (!begun) return;
  add_arguments(*begun, state_.arguments);
  begun->dirty = true;
}

void take_devices(RunTrack& r, const Event& event, std::string_view indices) {
  const bool list = indices.find(',') != std::string_view::npos, each = event.text(Field::since) == "each";
  if (event.has(Field::device) && !list && !each) return;  // "GPU 1: Tesla K80" names one of them
  const std::string_view before = setting_of(r.run, "device_index");
  if (event.has(Field::device) && each && before.empty() && r.known.devices) return;  // those of one node
  std::string all(indices);
  if (each && !before.empty()) {
    const bool known = ("," + std::string(before) + ",").find("," + all + ",") != std::string::npos;
    all = known ? std::string(before) : std::string(before) + "," + all;
  }
  r.known.devices = 1 + std::count(all.begin(), all.end(), ',');
  r.run.settings.insert_or_assign("device_index", kept_text(all, track::kMaxText));
}

// A program that tests what it has trained says again where it runs. Each further device has a line of its own.
void hear_devices_of_over(RunTrack& over, const Event& event) {
  track::Quantities& known = over.known;
  const auto devices = positive_of(event, Field::devices);
  if (event.text(Field::since) != "over" || !devices) return;
  if (known.devices.value_or(known.devices_heard) != known.devices_heard) return;
  known.devices = known.devices_heard = *devices;
  if (over.run.device.empty()) over.run.device = kept_text(event.text(Field::device), track::kMaxText);
  over.dirty = true;
}

void note_mesh(RunTrack& r, std::string_view ways) {
  constexpr std::string_view kDigits = "0123456789";
  std::int64_t all = 1;
  bool told = false;
  for (std::size_t at = 0; (at = ways.find_first_of(kDigits, at)) != ways.npos; told = true) {
    const std::size_t end = std::min(ways.find_first_not_of(kDigits, at), ways.size());
    all = product_or_zero(all, whole_number(ways.substr(at, end - at)).value_or(0));
    at = end;
  }
  if (told && all > 0) r.known.devices = all;
}

void note_ways_of_mesh(RunTrack& r) {
  std::string ways;
  for (const auto& [key, value] : r.run.settings)
    if (key.starts_with(kWayOfMesh)) ways += value + ' ';
  note_mesh(r, ways);
}

void track::Values::begin_with_arguments(RunTrack& r) {
  add_arguments(r, state_.arguments);
  state_.arguments.used = true;
  state_.arguments.renewed = false;
}

}  // namespace etad
