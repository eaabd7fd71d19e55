#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "parsers/base/number.h"
#include "parsers/base/samples.h"
#include "parsers/base/text.h"
#include "parsers/training/bar_states.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::Quantities;
using track::RunTrack;
using track::Stage;

namespace {

// A label's number, where it can be one.
std::optional<std::int64_t> positive(std::string_view text) {
  const auto n = whole_number(text);
  return n && *n > 0 ? n : std::nullopt;
}

std::string bounded(std::string_view text) {
  return kept_text(text, track::kMaxText);
}

std::optional<Job> job_of(std::string_view text) {
  for (const Job job : {Job::train, Job::test, Job::time})
    if (name_of(job) == text) return job;
  return {};
}

// Caffe's solver_type of 2015 (an enumeration) beside the type of today.
std::string_view current_solver_type(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOld = {{{"SGD", "SGD"},
                                                                                  {"NESTEROV", "Nesterov"},
                                                                                  {"ADAGRAD", "AdaGrad"},
                                                                                  {"RMSPROP", "RMSProp"},
                                                                                  {"ADADELTA", "AdaDelta"},
                                                                                  {"ADAM", "Adam"}}};
  const auto* const at =
      std::find_if(kOld.begin(), kOld.end(), [&](const auto& p) { return p.first == type; });
  return at == kOld.end() ? type : at->second;
}

void put(std::map<std::string, std::string>& settings, std::string_view key, std::string_view value) {
  const std::string name = bounded(key);
  if (name.empty() || (settings.size() >= track::kMaxSettings && !settings.contains(name))) return;
  settings.insert_or_assign(name, bounded(value));
}

bool is_test(const Event& event, const RunTrack& r) {
  const std::string_view phase = event.text(Field::phase);
  if (!phase.empty()) return phase == name_of(Phase::test);
  const track::Description& d = r.description;
  return d.net_open ? d.role == track::NetRole::test : r.run.job == Job::test;
}

void take_batch_size(RunTrack& r, const Event& event, std::int64_t n) {
  if (is_test(event, r)) {
    if (r.known.test_batch_sizes.empty()) r.known.test_batch_sizes.push_back(n);
  } else if (!r.description.net_open || !r.known.batch_size) {
    r.known.batch_size = n;
  }
}

// Where a header's texts and plain numbers are kept; nullptr: not so simply.
std::string* text_kept(Run& run, Field f) {
  switch (f) {
    case Field::network:
      return &run.network;
    case Field::framework:
      return &run.framework;
    case Field::device:
      return &run.device;
    case Field::host:
      return &run.host;
    default:
      return nullptr;
  }
}

std::optional<std::int64_t>* number_kept(Quantities& known, Field f) {
  switch (f) {
    case Field::devices:
      return &known.devices;
    case Field::global_batch_size:
      return &known.global_batch_size;
    case Field::iter_size:
      return &known.iter_size;
    default:
      return nullptr;
  }
}

// What is shown among a run's settings as it was written.
bool is_setting(Field f) {
  switch (f) {
    case Field::max_iter:
    case Field::test_iter:
    case Field::test_interval:
    case Field::display:
    case Field::epochs:
    case Field::dataset_size:
    case Field::sequence_length:
    case Field::precision:
      return true;
    default:
      return false;
  }
}

// Of several lines that say a number the last one counts, unless the rule says that it is the first (since =
// "start"), or the largest (since = "most").
bool counts(const Event& event, std::optional<std::int64_t> known, std::int64_t n) {
  const std::string_view which = event.text(Field::since);
  if (!known || (which != "start" && which != "most")) return true;
  return which == "most" && n > *known;
}

// Settings that say between them how many devices there are.
constexpr std::string_view kDevicesPerNode = "devices_per_node", kNodes = "nodes";

// The ways in which the devices share the work, each with its number: there are as many as their product.
constexpr std::string_view kMesh = "mesh";

// "torchrun --nnodes=2 --nproc_per_node=8": beside a number of nodes, which may be left out, the devices are those of each.
void take_nodes(RunTrack& r, const Event& event) {
  if (const auto nodes = positive_of(event, Field::value))
    r.known.devices = product_or_zero(positive_of(event, Field::devices).value_or(0), *nodes);
}

void take_value(RunTrack& r, const Event& event, const FieldValue& v, std::optional<std::int64_t> n) {
  switch (v.field) {
    case Field::device_index:
      return take_devices(r, event, v.text);
    case Field::batch_size:
      if (n) take_batch_size(r, event, *n);
      return;
    case Field::test_batch_size:
      if (n) r.known.test_batch_sizes.assign(1, *n);
      return;
    case Field::test_iter:
      if (n && r.known.test_iterations.size() < track::kMaxTestNets) r.known.test_iterations.push_back(*n);
      return;
    case Field::steps_per_epoch:
      if (n && counts(event, r.epochs.steps, *n)) r.epochs.steps = *n;
      return;
    case Field::max_iter:
      r.run.max_iterations = count_of(event, v.field);
      return;
    case Field::epoch:
      // The first one's number, which a training that goes on from a saved state does not show.
      if (event.kind == EventKind::run_start || event.kind == EventKind::resume)
        if (const auto first = count_of(event, v.field)) r.epochs.see(*first);
      return;
    case Field::solver_type:
      return take_setting(r, "type", v.text);
    case Field::key: {
      const bool first_counts = event.kind == EventKind::setting && event.text(Field::since) == "start";
      if (first_counts && !setting_of(r.run, v.text).empty()) return;
      if (v.text == kNodes && event.has(Field::devices)) return take_nodes(r, event);
      return take_setting(r, v.text, event.text(Field::value));
    }
    case Field::job:
      if (const auto job = job_of(v.text)) {
        r.run.job = *job;
        r.job_known = true;
      }
      return;
    default:
      return;
  }
}

// Settings that count in an iteration's samples.
constexpr std::string_view kTokens = "tokens_per_iteration", kLength = "sequence_length";
constexpr std::string_view kDatasetSize = "dataset_size", kDerived = "derived";

// Whether what the log counts are epochs: an iteration's samples are those of the data set, not of a batch.
bool iterations_are_epochs(const Run& run) {
  return setting_of(run, kDerived).find("iterations: epochs") != std::string_view::npos;
}

}  // namespace

bool add_to(Run& run, const Segment& s) {
  PhaseSummary& sums = s.phase == Phase::train ? run.train : run.test;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  if (sums.iterations > kMost - s.iterations || sums.duration.count() > kMost - s.duration.count())
    return false;
  sums.iterations += s.iterations;
  sums.duration += s.duration;
  ++sums.segments;
  return true;
}

void take_setting(RunTrack& r, std::string_view key, std::string_view value) {
  const std::string plain = without_grouping(value);
  if (!plain.empty()) value = plain;
  if (key == "solver_type" || key == "type") {
    put(r.run.settings, "type", current_solver_type(value));
  } else {
    put(r.run.settings, key, value);
    if (key == kTokens || key == kLength || key == kDatasetSize || key == kDerived) note_sizes(r);
    if (key == kDevicesPerNode || key == kNodes) note_devices(r);
    if (key == kMesh) note_mesh(r, value);
    if (key.starts_with(kWayOfMesh)) note_ways_of_mesh(r);
  }
}

bool plan_done(const RunTrack& r) {
  return r.run.max_iterations && r.run.iteration >= r.run.max_iterations;
}

std::string_view setting_of(const Run& run, std::string_view key) {
  const auto said = run.settings.find(std::string(key));
  return said == run.settings.end() ? std::string_view() : said->second;
}

std::int64_t number_set(const Run& run, std::string_view name) {
  const std::string_view said = setting_of(run, name);
  if (said.empty()) return 0;
  std::string digits(said);
  std::erase(digits, ',');
  const double scale = digits.ends_with('K') ? 1e3 : digits.ends_with('M') ? 1e6 : 1;
  if (scale == 1) return whole_number(digits).value_or(0);
  digits.pop_back();
  const double n = plain_number(digits).value_or(0) * scale;
  return n < static_cast<double>(track::kMaxCount) ? std::llround(n) : 0;
}

// Where batches are gathered for a step, it may be batches that the lines count.
std::int64_t told_steps_of_epoch(const RunTrack& r) {
  const std::int64_t epochs = number_set(r.run, "epochs"), steps = number_set(r.run, "max_iter");
  return epochs > 0 && steps % epochs == 0 ? steps / epochs : 0;
}

std::int64_t planned_steps_of_epoch(const RunTrack& r) {
  if (r.run.max_iterations != number_set(r.run, "max_iter")) return 0;
  return number_set(r.run, kGathered) > 1 ? 0 : told_steps_of_epoch(r);
}

void note_derived(Run& run, std::string_view what) {
  std::string& note = run.settings[std::string(kDerived)];
  if (note.find(what) != std::string::npos || note.size() > track::kMaxText) return;
  if (!note.empty()) note += "; ";
  note += what;
}

void note_sizes(RunTrack& r) {
  r.known.tokens_per_iteration = number_set(r.run, kTokens);
  r.known.sequence_length = number_set(r.run, kLength);
  r.known.dataset_size = number_set(r.run, kDatasetSize);
  r.known.counts_epochs = iterations_are_epochs(r.run);
}

void note_devices(RunTrack& r) {
  const std::int64_t nodes = std::max<std::int64_t>(1, number_set(r.run, kNodes));
  if (const auto all = product_or_zero(number_set(r.run, kDevicesPerNode), nodes); all > 0)
    r.known.devices = all;
}

void count_epochs(RunTrack& r) {
  note_derived(r.run, "iterations: epochs");
  note_sizes(r);
}

LabelledValues LabelledValues::of(const std::map<std::string, std::string>& given) {
  LabelledValues out;
  const std::map<Field, std::string*> texts = {{Field::network, &out.network},
                                               {Field::device, &out.device},
                                               {Field::host, &out.host},
                                               {Field::solver_type, &out.solver_type}};
  const std::map<Field, std::optional<std::int64_t>*> numbers = {
      {Field::batch_size, &out.batch_size},
      {Field::global_batch_size, &out.global_batch_size},
      {Field::iter_size, &out.iter_size},
      {Field::devices, &out.devices},
      {Field::test_batch_size, &out.test_batch_size},
      {Field::test_iter, &out.test_iter},
      {Field::max_iter, &out.max_iter},
      {Field::steps_per_epoch, &out.steps_per_epoch}};
  for (const auto& [key, value] : given) {
    const Field f = field(key).value_or(Field::count_);
    if (const auto text = texts.find(f); text != texts.end()) {
      *text->second = bounded(value);
    } else if (const auto number = numbers.find(f); number != numbers.end()) {
      *number->second = positive(value);
    } else {
      put(out.settings, key, value);
    }
  }
  return out;
}

namespace {

// Whether a run has its own word for this value already.
bool is_known(RunTrack& r, Field f) {
  if (f == Field::host) return true;  // a file's head names the machine; it speaks of the next run
  if (const std::string* const text = text_kept(r.run, f)) return !text->empty();
  if (const auto* const number = number_kept(r.known, f)) return number->has_value();
  if (f == Field::steps_per_epoch) return r.epochs.steps.has_value();
  if (f == Field::batch_size) return r.known.batch_size.has_value();
  if (f == Field::device_index) return r.known.devices.has_value();
  return f == Field::max_iter && r.run.max_iterations;
}

}  // namespace

// Amid a run a line may add to what is known of it, but not change it: it may as well speak of a run that
// begins, which the next lines will show.
void track::Values::setting(const Moment& m) {
  if (m.event.text(Field::since) == "next" && state_.current && state_.current->declared()) {
    state_.arguments = {};  // those of the start before
    all_.runs.begin(m);
  }
  if (m.event.text(Field::since) == "end" && all_.windows.went_through(m)) return;
  for (const Field f : {Field::iteration, Field::epoch, Field::elapsed, Field::seconds, Field::rate}) {
    if (const FieldValue* const v = m.event.find(f)) all_.windows.tell({f, v->scale, bounded(v->text)});
  }
  RunTrack* const r = all_.runs.open();
  // Behind a run's end settings are no beginning yet: they may be those of a last test.
  if (RunTrack* const over = all_.runs.ended(); !r && over) {
    hear_devices_of_over(*over, m.event);
    return take(all_.runs.upcoming(), m.event);
  }
  if (!r || !r->progressed()) return take(all_.runs.for_header(m), m.event);
  if (m.event.text(Field::since) == "epoch") return take(*r, m.event);  // told behind one that is over
  take(all_.runs.upcoming(), m.event);
  if (plan_done(*r)) return;
  Event news = m.event;
  news.clear_values();
  for (const FieldValue& v : m.event.values())
    if (!is_known(*r, v.field) && !(v.field == Field::device_index && m.event.has(Field::device)))
      news.add(v);
  if (!news.values().empty()) take(*r, news);
}

// Takes every value of a header line, whichever kind it is of. Values that place or measure are not its
// business.
void track::Values::take(RunTrack& r, const Event& event) {
  r.dirty = true;
  drop_batch_of_options(r.known, event);
  for (const FieldValue& v : event.values()) {
    const auto n = positive_of(event, v.field);
    if (std::string* const text = text_kept(r.run, v.field)) {
      const bool first_counts = event.kind == EventKind::setting && event.text(Field::since) == "start";
      if (!v.text.empty() && (text->empty() || !first_counts)) *text = bounded(v.text);
    } else if (std::optional<std::int64_t>* const number = number_kept(r.known, v.field)) {
      if (n && counts(event, *number, *n)) *number = n;
    } else {
      take_value(r, event, v, n);
    }
    if (is_setting(v.field)) take_setting(r, name_of(v.field), v.text);
  }
}

namespace {

// The whole number between two others that the highest power of two divides; 0: there is none.
std::int64_t roundest(double low, double high) {
  for (int power = 16; power >= 0; --power) {
    const double unit = std::ldexp(1.0, power);
    const double candidate = std::ceil(low / unit) * unit;
    if (candidate <= high && candidate >= 1) return static_cast<std::int64_t>(candidate);
  }
  return 0;
}

}  // namespace

// Where a log shows the batch nowhere, samples a second times seconds a step are it, within their rounding.
void track::Values::derive_batch_size(RunTrack& r, const Event& event) const {
  if (!event.has(Field::samples_per_second) || !event.has(Field::seconds)) return;
  if (train_samples(r) > 0 || !event.text(Field::since).empty()) return;
  const auto rate = rounded(event, Field::samples_per_second), step = rounded(event, Field::seconds);
  if (!rate || !step || rate->first <= 0 || step->first <= 0) return;
  const double product_of_both = rate->first * step->first;
  constexpr double kMostError = 0.05;  // more than that, and it would be a guess
  const double error = rate->second / rate->first + step->second / step->first;
  if (error > kMostError || product_of_both > static_cast<double>(track::kMaxCount)) return;
  const std::int64_t samples = roundest(product_of_both * (1 - error), product_of_both * (1 + error));
  if (samples == 0) return;
  r.known.global_batch_size = samples;
  note_derived(r.run, "batch_size: samples_per_second * seconds");
}

namespace {

// A language model's size in tokens. What the log does not say follows from the other two; where it says the
// tokens alone, they are what the batch counts.
void tell_tokens(Run& run, std::int64_t samples) {
  const std::int64_t tokens = number_set(run, kTokens), length = number_set(run, kLength);
  if (tokens > 0) {
    put(run.settings, kTokens, std::to_string(tokens));
    if (length > 0 || tokens % samples != 0) return;
    put(run.settings, kLength, std::to_string(tokens / samples));
    note_derived(run, "sequence_length: tokens_per_iteration / batch_size");
  } else if (const std::int64_t all = product_or_zero(samples, length); all > 0) {
    put(run.settings, kTokens, std::to_string(all));
  }
}

}  // namespace

// Where nobody says how many devices there are, a device's batch is all that is known of an iteration's.
std::int64_t track::Values::train_samples(const RunTrack& r) const {
  const Quantities& known = r.known;
  if (known.counts_epochs) return known.dataset_size;
  const std::int64_t tokens = known.tokens_per_iteration;
  if (tokens > 0 && known.sequence_length > 0)
    return std::max<std::int64_t>(1, tokens / known.sequence_length);
  const std::int64_t iter_size = known.iter_size ? *known.iter_size : all_.labels.iter_size.value_or(1);
  if (known.global_batch_size) return product_or_zero(*known.global_batch_size, iter_size);
  const std::int64_t devices = known.devices ? *known.devices : all_.labels.devices.value_or(1);
  if (known.batch_size) return samples_per_iteration(*known.batch_size, devices, iter_size);
  if (all_.labels.global_batch_size) return product_or_zero(*all_.labels.global_batch_size, iter_size);
  if (all_.labels.batch_size) return samples_per_iteration(*all_.labels.batch_size, devices, iter_size);
  return tokens;
}

std::int64_t track::Values::test_samples(const RunTrack& r, std::int64_t net) const {
  const auto& sizes = r.known.test_batch_sizes;
  const auto index = static_cast<std::size_t>(net);
  if (index < sizes.size() && sizes[index] > 0) return sizes[index];
  if (r.run.job == Job::test && r.known.global_batch_size) return *r.known.global_batch_size;
  if (all_.labels.test_batch_size) return *all_.labels.test_batch_size;
  if (setting_of(r.run, "test_batch_size") == name_of(Field::batch_size))
    return train_samples(r);  // as large as that
  if (r.run.job == Job::test)
    return all_.labels.global_batch_size.value_or(all_.labels.batch_size.value_or(0));
  return 0;
}

std::int64_t track::Values::samples(const RunTrack& r, Phase phase) const {
  return phase == Phase::train ? train_samples(r) : test_samples(r, 0);
}

std::int64_t track::Values::test_iterations(const RunTrack& r, std::int64_t net) const {
  const auto& counts = r.known.test_iterations;
  const auto index = static_cast<std::size_t>(net);
  if (index < counts.size()) return counts[index];
  return counts.empty() ? all_.labels.test_iter.value_or(0) : 0;
}

namespace {

// How many devices share an iteration's samples, where the log says those of all and those of one, and how many batches
// of each are gathered for an update; else as many as said. That there is one may be heard of each of several processes.
std::int64_t devices_by_batches(const RunTrack& r, std::int64_t said) {
  if (said > 1 || said != r.known.devices_heard) return said;
  const std::int64_t all = r.known.global_batch_size.value_or(0);
  const std::int64_t gathered = number_set(r.run, kGathered);
  const std::int64_t each = product_or_zero(r.known.batch_size.value_or(0), gathered);
  return each > 0 && all % each == 0 ? std::max(said, all / each) : said;
}

}  // namespace

Run track::Values::with_labels(const RunTrack& r) const {
  Run run = r.run;
  if (!r.ended()) run.iteration = reached_by_lines(r);
  if (run.network.empty()) run.network = all_.labels.network;
  if (run.device.empty()) run.device = all_.labels.device;
  if (run.host.empty()) run.host = all_.labels.host.empty() ? all_.context.host : all_.labels.host;
  if (!all_.labels.solver_type.empty()) run.settings.try_emplace("type", all_.labels.solver_type);
  for (const auto& [key, value] : all_.labels.settings) run.settings.try_emplace(key, value);
  const std::int64_t unsaid = run.device == "CPU" ? 1 : 0;  // a machine's processors count as one
  const std::int64_t said = r.known.devices ? *r.known.devices : all_.labels.devices.value_or(unsaid);
  if ((run.devices = devices_by_batches(r, said)) != said)
    note_derived(run, "devices: global_batch_size / batch_size");
  if (r.training.endless && run.state != RunState::finished) run.max_iterations.reset();
  if (!run.max_iterations) run.max_iterations = all_.labels.max_iter;
  // Caffe takes 1 where nothing is said; here it may have been said.
  if (r.description.solver_cut && !r.known.iter_size && !all_.labels.iter_size)
    note_derived(run, "iter_size: 1, the solver's description is cut");
  if (const std::int64_t samples = train_samples(r); samples > 0 && run.job != Job::test) {
    run.train.batch_size = r.known.batch_size ? r.known.batch_size : all_.labels.batch_size;
    if (!run.train.batch_size && run.devices > 0 && samples >= run.devices)  // fewer: some share a sample
      run.train.batch_size = samples / run.devices;
    run.train.samples_per_iteration = samples;
    tell_tokens(run, samples);
  }
  if (iterations_are_epochs(run) && r.known.global_batch_size)
    run.train.batch_size = *r.known.global_batch_size / std::max<std::int64_t>(1, run.devices);
  if (const std::int64_t samples = test_samples(r, 0); samples > 0) {
    run.test.batch_size = samples;
    run.test.samples_per_iteration = samples;
  }
  if (r.known.iter_size) put(run.settings, "iter_size", std::to_string(*r.known.iter_size));
  return run;
}

}  // namespace etad
