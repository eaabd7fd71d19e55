// Frameworks that state measurements instead of showing when things happened.
#include <algorithm>
#include <cmath>
#include <utility>

#include "parsers/base/text.h"
#include "parsers/training/tracker_impl.h"

namespace etad {

using track::Group;
using track::RunTrack;

std::optional<Duration> positive_seconds(std::optional<double> seconds) {
  if (!seconds || !std::isfinite(*seconds) || *seconds <= 0 || *seconds > track::kMaxSeconds) return {};
  const Duration d = from_seconds(*seconds);
  return d > Duration::zero() ? std::optional(d) : std::nullopt;
}

// Those planned, where the rate is theirs within its rounding, or else a whole number.
std::int64_t iterations_by_rate(const Event& event, Field field, Duration took, std::int64_t samples,
                                std::int64_t planned) {
  const auto rate = rounded(event, field);
  if (!rate || rate->first <= 0 || samples <= 0) return 0;
  const double unit = to_seconds(took) / static_cast<double>(samples);
  const double n = rate->first * unit, error = rate->second * unit + 0.1;
  if (n < 0.9 || n > static_cast<double>(track::kMaxCount)) return 0;
  if (planned > 0 && std::abs(n - static_cast<double>(planned)) <= error) return planned;
  return error < 0.3 && std::abs(n - std::round(n)) <= error ? std::llround(n) : 0;
}

namespace {

Phase phase_of(const Event& event, Job job) {
  const std::string_view phase = event.text(Field::phase);
  if (phase.empty()) return job == Job::test ? Phase::test : Phase::train;
  return phase == name_of(Phase::test) ? Phase::test : Phase::train;
}

}  // namespace

// A step 0 that took time: steps are counted from zero, and here they begin. It sets up and compiles, and is
// no step like the others.
void Tracker::Impl::step_zero(const Moment& m) {
  const RunTrack* const before = open_run();
  RunTrack& r = before && before->run.train.segments > 0 ? begin_again(m) : run_for_measurement(m);
  r.dirty = r.progressed = r.job_known = true;
  r.known.from_zero = true;
  take_values(r, m.event);
  r.run.iteration = 1;
  if (!r.run.first_iteration) r.run.first_iteration = 0;
}

// A step, or each of `iterations` steps, took `seconds`.
void Tracker::Impl::step_time(const Moment& m) {
  if (is_test_after_end(m)) return;
  if (m.event.text(Field::since) == "epoch") return epoch_steps(m);
  auto at = count_of(m.event, Field::iteration);
  if (at == 0 && m.event.has(Field::seconds)) return step_zero(m);
  RunTrack& r = run_for_measurement(m);
  if (at && r.known.from_zero) ++*at;
  finish_net(r, m.out);
  r.progressed = true;
  take_values(r, m.event);
  if (r.run.job == Job::time) {
    if (at) r.run.iteration = at;
    return;
  }
  r.job_known = true;
  const std::int64_t n = positive_of(m.event, Field::iterations).value_or(1);
  const auto step = m.event.number(Field::seconds);
  const auto took = positive_seconds(step ? std::optional(*step * static_cast<double>(n)) : std::nullopt);
  const std::int64_t last = at.value_or(r.run.iteration.value_or(0) + n);
  if (at || phase_of(m.event, r.run.job) == Phase::train) r.run.iteration = last;
  if (const auto loss = m.event.number(Field::loss)) {
    if (!std::isfinite(*loss)) r.run.loss_is_nan = true;
    m.out.points.push_back({r.run.ordinal, {last, m.now, *loss}});
  }
  if (!took) {
    ++m.out.rejected;
    return;
  }
  const Phase phase = phase_of(m.event, r.run.job);
  const std::int64_t samples = phase == Phase::train ? train_samples(r) : test_samples(r, 0);
  add_segment(r, {phase, std::max<std::int64_t>(0, last - n), n, samples, *took, {}}, m.out);
}

namespace {

// How long so many of what is counted took: each of them `seconds`, all of them `lapse`. What is written more
// finely counts.
std::optional<Duration> time_of_all(const Event& event, std::int64_t count) {
  constexpr double kMostError = 0.2;  // a bar has nothing better to offer, and there are many of them
  const auto relative = [](const auto& x) { return x && x->first > 0 ? x->second / x->first : 1; };
  const auto all = rounded(event, Field::lapse), each = rounded(event, Field::seconds);
  const double error_of_all = relative(all), error_of_each = count > 0 ? relative(each) : 1;
  if (std::min(error_of_all, error_of_each) > kMostError) return {};
  if (error_of_all <= error_of_each) return positive_seconds(all->first);
  return positive_seconds(each->first * static_cast<double>(count));
}

}  // namespace

// How many steps a bar at its end stands for. Some count samples: where the line says so, or where it counts
// as many as the log says the data set has.
std::int64_t Tracker::Impl::steps_shown(RunTrack& r, const Event& event, Phase phase) const {
  const std::int64_t shown = positive_of(event, Field::iterations).value_or(0);
  const auto size = r.run.settings.find("dataset_size");
  const std::int64_t samples = size == r.run.settings.end() ? 0 : whole_number(size->second).value_or(0);
  const bool counts_samples = event.has(Field::dataset_size) || shown == 0 || shown == samples;
  if (!counts_samples) return shown;
  if (phase == Phase::test) return 0;
  if (labels.steps_per_epoch) return *labels.steps_per_epoch;
  const std::int64_t batch = train_samples(r);
  if (batch <= 0 || samples <= 0) return 0;
  note_derived(r.run, "steps_per_epoch: dataset_size / batch_size");
  return (samples + batch - 1) / batch;
}

// All steps of an epoch together, as progress bars state them (since = "epoch"). Where the log announces its
// epochs, a bar of none of them is a test's.
void Tracker::Impl::epoch_steps(const Moment& m) {
  RunTrack& r = run_for_measurement(m);
  finish_net(r, m.out);
  r.dirty = r.progressed = true;
  const bool training = r.known.in_epoch || m.event.text(Field::phase) == name_of(Phase::train);
  r.known.in_epoch = false;
  const Phase phase = training ? Phase::train : Phase::test;
  if (training || !r.job_known) r.run.job = training ? Job::train : Job::test;
  r.job_known = r.job_known || training;
  if (training && m.event.has(Field::dataset_size)) take_values(r, m.event);
  const std::int64_t steps = steps_shown(r, m.event, phase);
  const auto took = time_of_all(m.event, positive_of(m.event, Field::iterations).value_or(0));
  const std::int64_t base = r.known.first_epoch == 1 ? 1 : 0;
  std::int64_t first = r.run.iteration.value_or(0);
  if (training && steps > 0) {
    plan_epochs(r, m.event, steps);
    const std::int64_t before = r.known.announced.value_or(0) - base;
    if (r.known.announced) first = before > 0 ? product(before, steps) : 0;
    r.run.iteration = first + steps;
    if (!r.run.first_iteration) r.run.first_iteration = first;
    const auto loss = m.event.number(Field::loss);
    if (loss && !std::isfinite(*loss)) r.run.loss_is_nan = true;
    if (loss) m.out.points.push_back({r.run.ordinal, {first + steps, m.now, *loss}});
  }
  if (steps <= 0 || !took) return;
  const std::int64_t samples = training ? train_samples(r) : test_samples(r, 0);
  add_segment(r, {phase, first, steps, samples, *took, {}}, m.out);
}

namespace {

// The time of the last n steps by a stated rate. A rate that is the mean over all steps so far (since =
// "start") gives the time of all of them; what was measured before is taken off.
double stated_seconds(const Event& event, const Run& run, Phase phase, std::int64_t samples, std::int64_t n) {
  const double rate = event.number(Field::samples_per_second).value_or(0);
  const PhaseSummary& before = phase == Phase::train ? run.train : run.test;
  if (event.text(Field::since) != "start") return static_cast<double>(product(samples, n)) / rate;
  return static_cast<double>(product(samples, before.iterations + n)) / rate - to_seconds(before.duration);
}

}  // namespace

// So many samples a second over `iterations` steps, or over those since the last such line.
void Tracker::Impl::throughput(const Moment& m) {
  if (is_test_after_end(m)) return;
  RunTrack& r = run_for_measurement(m);
  finish_net(r, m.out);
  r.progressed = r.job_known = true;
  take_values(r, m.event);
  auto at = count_of(m.event, Field::iteration);
  if (!at && m.event.text(Field::since) == "start") at = r.run.max_iterations;  // a mean over the whole run
  const std::int64_t before = r.run.iteration.value_or(0);
  const std::int64_t n = positive_of(m.event, Field::iterations).value_or(at ? *at - before : 0);
  const std::int64_t last = at.value_or(before + std::max<std::int64_t>(0, n));
  r.run.iteration = last;
  if (const auto loss = m.event.number(Field::loss)) {
    if (!std::isfinite(*loss)) r.run.loss_is_nan = true;
    m.out.points.push_back({r.run.ordinal, {last, m.now, *loss}});
  }
  const Phase phase = phase_of(m.event, r.run.job);
  const std::int64_t samples = phase == Phase::train ? train_samples(r) : test_samples(r, 0);
  if (n <= 0 || samples <= 0 || !m.event.has(Field::samples_per_second)) return;  // nothing to multiply with
  const auto rate = rounded(m.event, Field::samples_per_second);
  if (rate && rate->first > 0 && !is_fine(*rate)) return;  // "0.5": the end may say it better
  const auto took =
      positive_seconds(rate && rate->first > 0 ? stated_seconds(m.event, r.run, phase, samples, n) : -1);
  if (!took) {
    ++m.out.rejected;
    return;
  }
  note_derived(r.run, "seconds: samples / samples_per_second");
  add_segment(r, {phase, std::max<std::int64_t>(0, last - n), n, samples, *took, {}}, m.out);
}

// So many epochs of so many steps each are what is planned.
void plan_epochs(RunTrack& r, const Event& event, std::int64_t steps) {
  if (r.run.max_iterations || steps <= 0) return;
  auto epochs = positive_of(event, Field::epochs);
  if (!epochs)
    if (const auto said = r.run.settings.find("epochs"); said != r.run.settings.end())
      epochs = whole_number(said->second);
  if (!epochs) return;
  if (const std::int64_t all = product(*epochs, steps)) r.run.max_iterations = all;
}

// How many steps an epoch has: as the line says, as others said, or, where the log says that an epoch goes
// once over the data set (epoch_covers = dataset), from the sizes of data set and batch, where the former
// counts batches (epoch_covers = batches), from it alone.
std::int64_t Tracker::Impl::steps_of_epoch(const RunTrack& r, const Event& event, bool* derived) const {
  for (const Field f : {Field::iterations, Field::batches})
    if (const auto n = positive_of(event, f)) return *n;
  if (r.known.steps_per_epoch) return *r.known.steps_per_epoch;
  if (labels.steps_per_epoch) return *labels.steps_per_epoch;
  const auto& said = r.run.settings;
  const auto covers = said.find("epoch_covers"), size = said.find("dataset_size");
  const std::int64_t samples = train_samples(r);
  if (covers == said.end() || size == said.end()) return 0;
  if (covers->second == "batches") return whole_number(size->second).value_or(0);
  if (covers->second != "dataset" || samples <= 0) return 0;
  if (derived) *derived = true;
  return (whole_number(size->second).value_or(0) + samples / 2) / samples;
}

// "Epoch 1/15" again: another training. (Where several processes say the same, nothing has happened in
// between.)
bool Tracker::Impl::counts_again(const Event& event, std::int64_t epoch) {
  const RunTrack* const r = open_run();
  if (!r || !r->known.announced || !event.has(Field::epochs)) return false;
  return epoch < *r->known.announced || (epoch == *r->known.announced && !r->known.in_epoch);
}

// The same of a log that only shows its epochs' ends.
bool Tracker::Impl::measures_again(const Event& event, std::int64_t epoch) {
  const RunTrack* const r = open_run();
  const bool tests = event.text(Field::phase) == name_of(Phase::test);
  return r && !r->headed && !tests && event.has(Field::seconds) && r->known.epoch && epoch < *r->known.epoch;
}

namespace {

// A bar of as many steps as there are epochs counts epochs.
bool counts_epochs(const Event& event) {
  const auto epochs = positive_of(event, Field::epochs);
  return event.has(Field::seconds) && epochs && epochs == positive_of(event, Field::iterations);
}

}  // namespace

// An epoch's beginning or end. With `seconds` it is a measurement of all its steps; with outcome = "finished"
// it is one by the two lines' times, the tests in between taken out.
void Tracker::Impl::epoch(const Moment& m) {
  // A beginning or a test behind a run's end is no new run.
  const bool over = state.current && state.current->ended && !m.event.has(Field::seconds);
  if ((over && !m.event.has(Field::epochs)) || is_test_after_end(m) || counts_epochs(m.event)) return;
  const auto number = count_of(m.event, Field::epoch);
  const bool begins = !m.event.has(Field::seconds) && m.event.text(Field::outcome).empty();
  const bool again = number && (begins ? counts_again(m.event, *number) : measures_again(m.event, *number));
  RunTrack& r = again ? begin_again(m) : run_for_measurement(m);
  finish_net(r, m.out);
  const bool tests = m.event.text(Field::phase) == name_of(Phase::test);
  if (!r.job_known) r.run.job = tests ? Job::test : Job::train;  // what a log shows first may be a test alone
  r.progressed = true;
  r.job_known = r.job_known || !tests;
  take_values(r, m.event);
  if (begins && number) {
    if (r.run.job == Job::test) r.run.job = Job::train;  // what came before was a test of its own
    r.known.announced = number;
    r.known.in_epoch = true;
  }
  if (number && !r.known.first_epoch) r.known.first_epoch = *number;
  plan_epochs(r, m.event, steps_of_epoch(r, m.event, nullptr));
  if (m.event.has(Field::seconds)) {
    const auto took = positive_seconds(m.event.number(Field::seconds));
    if (took) return epoch_segment(r, m, *took);
    ++m.out.rejected;
  } else if (m.event.text(Field::outcome) == "finished") {
    const auto began = std::exchange(r.known.epoch_began, {});
    // A log that shows its iterations has been measured by them.
    if (!began || !m.now || r.window.from) return;
    const Duration took = between(*began, *m.now) - r.window.tests;
    if (took > Duration::zero()) return epoch_segment(r, m, took);
    ++m.out.rejected;
  } else {
    r.known.epoch_began = m.now;
    go_on_beside_test(r, m);
    if (!r.window.from) r.window.tests = {};
  }
}

namespace {

// An epoch far shorter than the shortest before it, by the clock: the training reached its target in it. (The
// first one alone shows nothing: it may have waited for its data.)
bool is_cut_short(const RunTrack& r, Duration took) {
  return r.run.train.segments > 1 && r.shortest_epoch && 2 * took < *r.shortest_epoch;
}

}  // namespace

void Tracker::Impl::epoch_segment(RunTrack& r, const Moment& m, Duration took) {
  bool derived = false;
  const std::int64_t steps = steps_of_epoch(r, m.event, &derived);
  if (steps <= 0) return;
  if (derived) note_derived(r.run, "steps_per_epoch: dataset_size / batch_size");
  const std::int64_t base = r.known.first_epoch == 1 ? 1 : 0;
  const auto number = count_of(m.event, Field::epoch);
  const Phase phase = phase_of(m.event, r.run.job);
  const std::int64_t first = number ? (*number > base ? product(*number - base, steps) : 0)
                                    : (phase == Phase::train ? r.run.train.iterations : 0);
  const std::int64_t samples = phase == Phase::train ? train_samples(r) : test_samples(r, 0);
  if (phase == Phase::train) {
    if (!m.event.has(Field::seconds) && is_cut_short(r, took)) {
      ++m.out.rejected;
      return;
    }
    if (number && r.run.train.segments > 0 && r.run.iteration == first + steps) return;  // shown again
    r.run.iteration = first + steps;
    r.known.epoch = number;
    r.shortest_epoch = std::min(r.shortest_epoch.value_or(took), took);
  }
  add_segment(r, {phase, first, steps, samples, took, {}}, m.out);
}

// The run of a table that a row belongs to: the one of the same name, network, … and samples per iteration.
// It moves to the end of the list, where the least recently used are not.
Group& Tracker::Impl::group_of(const Moment& m, const RunTrack& row, Phase phase, std::int64_t samples) {
  const Event& e = m.event;
  std::string key = kept_text(e.text(Field::run), track::kMaxText);
  for (const std::string_view part : {std::string_view(row.run.network), std::string_view(row.run.framework),
                                      e.text(Field::device), e.text(Field::devices), e.text(Field::host)})
    key.append("\x1f").append(kept_text(part, track::kMaxText));
  const auto at = std::find_if(state.groups.begin(), state.groups.end(), [&](const Group& g) {
    const PhaseSummary& sums = phase == Phase::train ? g.run.train : g.run.test;
    return g.key == key && sums.samples_per_iteration.value_or(samples) == samples;
  });
  if (at != state.groups.end()) {
    std::rotate(at, at + 1, state.groups.end());
    return state.groups.back();
  }
  if (state.groups.size() >= track::kMaxGroups) {
    if (state.groups.front().dirty) m.out.runs.push_back(state.groups.front().run);
    state.groups.erase(state.groups.begin());
  }
  Group& group = state.groups.emplace_back();
  group.key = std::move(key);
  group.run = told(row);
  group.run.ordinal = state.next_ordinal++;
  group.run.started_at = m.now;
  return group;
}

// A complete measurement, as a table has them: a row says all, and rows of several runs may alternate.
void Tracker::Impl::segment(const Moment& m) {
  const auto n = positive_of(m.event, Field::iterations);
  const auto took = positive_seconds(m.event.number(Field::seconds));
  if (!n || !took) {
    ++m.out.rejected;
    return;
  }
  RunTrack row;  // gathers the row's values
  row.run.framework = context.framework;
  row.run.job = phase_of(m.event, Job::train) == Phase::test ? Job::test : Job::train;
  row.run.state = RunState::finished;
  take_values(row, m.event);
  const Phase phase = phase_of(m.event, row.run.job);
  const std::int64_t samples = phase == Phase::train ? train_samples(row) : test_samples(row, 0);
  Group& group = group_of(m, row, phase, samples);
  Run& run = group.run;
  group.dirty = true;
  if (phase == Phase::train) run.job = Job::train;
  PhaseSummary& sums = phase == Phase::train ? run.train : run.test;
  if (samples > 0) {
    sums.samples_per_iteration = samples;
    sums.batch_size = phase == Phase::train && row.known.batch_size ? *row.known.batch_size : samples;
  }
  const Segment s{phase, count_of(m.event, Field::iteration).value_or(sums.iterations), *n, samples, *took,
                  m.now};
  if (!add_to(run, s)) {
    ++m.out.rejected;
    return;
  }
  if (phase == Phase::train || run.job == Job::test) run.iteration = s.first_iteration + s.iterations;
  m.out.segments.push_back({run.ordinal, s});
}

void Tracker::Impl::layer_time(const Moment& m) {
  RunTrack& r = run_for_measurement(m);
  finish_net(r, m.out);
  r.progressed = true;
  const std::string name = kept_text(m.event.text(Field::layer), track::kMaxText);
  const auto seconds = m.event.number(Field::seconds);
  if (name.empty() || !seconds || !std::isfinite(*seconds) || *seconds < 0 || *seconds > track::kMaxSeconds) {
    ++m.out.rejected;
    return;
  }
  auto& times = r.layer_times;
  // The two directions of a layer follow each other, or come in two sweeps, forth and back.
  auto at =
      times.empty() || times.back().layer != name
          ? std::find_if(times.begin(), times.end(), [&](const LayerTime& t) { return t.layer == name; })
          : times.end() - 1;
  if (at == times.end()) {
    if (times.size() >= track::kMaxLayerTimes) return;
    times.push_back({name, {}, {}});
    at = times.end() - 1;
  }
  (m.event.text(Field::direction) == "backward" ? at->backward : at->forward) = from_seconds(*seconds);
}

void Tracker::Impl::total_time(const Moment& m) {
  RunTrack& r = run_for_measurement(m);
  finish_net(r, m.out);
  r.dirty = r.progressed = true;
  const auto seconds = positive_seconds(m.event.number(Field::seconds));
  if (!seconds) {
    ++m.out.rejected;
    return;
  }
  const std::string_view direction = m.event.text(Field::direction);
  const std::string key = (direction.empty() ? std::string("total") : std::string(direction)) + "_seconds";
  std::string value = std::to_string(to_seconds(*seconds));
  take_setting(r.run, key, value);
}

void Tracker::Impl::give_layer_times(RunTrack& r, Records& out) {
  if (r.layer_times.empty() || !r.declared) return;
  out.layer_times.push_back({r.run.ordinal, std::move(r.layer_times)});
  r.layer_times.clear();
}

void Tracker::Impl::sample(const Moment& m) {
  const auto value = m.event.number(Field::value);
  const std::string series = kept_text(m.event.text(Field::series), track::kMaxText);
  if (!m.now || !value || !std::isfinite(*value) || series.empty()) {
    ++m.out.rejected;
    return;
  }
  m.out.samples.push_back({series, kept_text(m.event.text(Field::label), track::kMaxText),
                           kept_text(m.event.text(Field::unit), track::kMaxText), *m.now, *value});
}

}  // namespace etad
