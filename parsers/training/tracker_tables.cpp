// Lines that are complete by themselves: the rows of a table of measurements, and the samples of a monitor.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "parsers/base/text.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::Group;
using track::RunTrack;

namespace {

// A row's columns "setting.NAME". Whoever made the table holds them to matter: they are named beside.
void take_settings(RunTrack& row, const Event& event) {
  std::set<std::string> names;
  const Event::Values& values = event.values();
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    if (values[i].field != Field::key || values[i + 1].field != Field::value) continue;
    take_setting(row, values[i].text, values[i + 1].text);
    names.insert(kept_text(values[i].text, track::kMaxText));
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  if (!all.empty()) row.run.settings[std::string(kTableSettings)] = std::move(all);
}

// What a row says of the phase's energy and memory. Of a phase whose rows do not all say it the energy is
// unknown.
void take_costs(PhaseSummary& sums, const Event& event) {
  const auto joules = event.number(Field::energy_joules), peak = event.number(Field::peak_memory_bytes);
  const bool known = joules && (sums.segments == 0 || sums.joules);
  sums.joules = known ? std::optional(sums.joules.value_or(0) + *joules) : std::nullopt;
  if (peak) sums.peak_bytes = std::max(*peak, sums.peak_bytes.value_or(0));
}

// What it takes to be saved.
std::size_t bytes_of(const Group& group) {
  const Run& run = group.run;
  constexpr std::size_t kNumbers = 256;
  std::size_t out = kNumbers + group.key.size() + run.network.size() + run.framework.size() +
                    run.host.size() + run.device.size();
  for (const auto& [name, value] : run.settings) out += name.size() + value.size();
  return out;
}

}  // namespace

// The run of a table that a row belongs to: the one of the same name, network, settings, … and samples per
// iteration. It moves to the end of the list, where the least recently used are not.
Group& track::Tables::group_of(const Moment& m, const RunTrack& row, Phase phase, std::int64_t samples) {
  const Event& e = m.event;
  std::string key = kept_text(e.text(Field::run), track::kMaxText);
  for (const std::string_view part :
       {std::string_view(row.run.network), std::string_view(row.run.framework), e.text(Field::device),
        e.text(Field::devices), e.text(Field::host), e.text(Field::precision), e.text(Field::iter_size)})
    key.append("\x1f").append(kept_text(part, track::kMaxText));
  for (const FieldValue& v : e.values())
    if (v.field == Field::key || v.field == Field::value)
      key.append("\x1f").append(kept_text(v.text, track::kMaxText));
  // From the last one back, which most rows continue.
  const auto found = std::find_if(state_.groups.rbegin(), state_.groups.rend(), [&](const Group& g) {
    const PhaseSummary& sums = phase == Phase::train ? g.run.train : g.run.test;
    return g.key == key && sums.samples_per_iteration.value_or(samples) == samples;
  });
  if (found != state_.groups.rend()) {
    std::rotate(found.base() - 1, found.base(), state_.groups.end());
    return state_.groups.back();
  }
  Group begun{std::move(key), all_.values.with_labels(row)};
  begun.run.ordinal = all_.runs.take_ordinal();
  begun.run.started_at = m.now;
  make_room_for(begun, m.out);
  return state_.groups.emplace_back(std::move(begun));
}

// Those whose rows came longest ago are over.
void track::Tables::make_room_for(const Group& begun, Records& out) {
  std::size_t groups = state_.groups.size() + 1, bytes = bytes_of(begun);
  for (const Group& each : state_.groups) bytes += bytes_of(each);
  auto kept = state_.groups.begin();
  for (; kept != state_.groups.end() && (groups > track::kMaxGroups || bytes > track::kMaxGroupBytes);
       ++kept, --groups) {
    if (kept->dirty) out.runs.push_back(kept->run);
    bytes -= bytes_of(*kept);
  }
  state_.groups.erase(state_.groups.begin(), kept);
}

// A complete measurement, as a table has them: a row says all, and rows of several runs may alternate.
void track::Tables::segment(const Moment& m) {
  const auto n = positive_of(m.event, Field::iterations);
  const auto took = positive_seconds(m.event.number(Field::seconds));
  if (!n || !took) {
    ++m.out.rejected;
    return;
  }
  RunTrack row;  // gathers the row's values
  row.run.framework = all_.context.framework;
  row.run.job = phase_of(m.event, Job::train) == Phase::test ? Job::test : Job::train;
  row.run.state = RunState::finished;
  all_.values.take(row, m.event);
  take_settings(row, m.event);
  const Phase phase = phase_of(m.event, row.run.job);
  const std::int64_t samples = all_.values.samples(row, phase);
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
  const PhaseSummary before = sums;
  take_costs(sums, m.event);
  if (!add_to(run, s)) {
    sums = before;
    ++m.out.rejected;
    return;
  }
  if (phase == Phase::train || run.job == Job::test) run.iteration = s.first_iteration + s.iterations;
  m.out.segments.push_back({run.ordinal, s});
}

void track::Tables::flush(Records& out) {
  for (Group& group : state_.groups)
    if (std::exchange(group.dirty, false)) out.runs.push_back(group.run);
}

void track::Tables::sample(const Moment& m) {
  const auto value = m.event.number(Field::value);
  const std::string series = kept_text(m.event.text(Field::series), track::kMaxText);
  if (!m.now || !value || !std::isfinite(*value) || series.empty()) {
    ++m.out.rejected;
    return;
  }
  m.out.add_sample({series, kept_text(m.event.text(Field::label), track::kMaxText),
                    kept_text(m.event.text(Field::unit), track::kMaxText)},
                   *m.now, *value);
}

}  // namespace etad
