// Logs that say how far the training is in samples, tokens or epochs instead of iterations.
#include <algorithm>
#include <cmath>
#include <utility>

#include "parsers/training/tracker_parts.h"

namespace etad {

using track::Anchor;
using track::Moment;
using track::RunTrack;

namespace {

// How many samples an epoch has. Planned steps that are as many for each of the epochs tell it rightly where the last
// batch of each is left out, or not whole.
double samples_of_epoch(const RunTrack& r, std::int64_t samples) {
  const auto size = static_cast<double>(r.known.dataset_size);
  const std::int64_t epochs = number_set(r.run, "epochs");
  const std::int64_t planned = r.run.max_iterations.value_or(0);
  if (epochs <= 0 || planned <= 0 || planned % epochs != 0) return size;
  const auto by_plan = static_cast<double>(product_or_zero(planned / epochs, samples));
  return std::abs(by_plan - size) <= 0.5 * size ? by_plan : size;  // or the plan is another one
}

// Before the first such line nothing was done: since the block begins that it names, or the epoch, or the run.
Anchor where_it_began(const RunTrack& r, const Moment& m, bool begins) {
  Anchor beginning;
  beginning.at = begins ? m.now : r.epochs.began ? r.epochs.began : r.run.started_at;
  beginning.dated = m.event.time.has_value();
  return beginning;
}

}  // namespace

// Where a run stands that counts samples, tokens or epochs, as the line (`unit`) or the log (setting
// position_unit) says.
std::optional<std::int64_t> track::Windows::iteration_at(const RunTrack& r, const Event& event) const {
  const auto position = event.number(Field::position);
  const std::int64_t samples = all_.values.train_samples(r);
  if (!position || samples <= 0) return {};
  const std::string_view unit =
      event.has(Field::unit) ? event.text(Field::unit) : setting_of(r.run, "position_unit");
  double per_unit = unit == "sample" ? 1 : 0;
  const bool names_epoch = unit == "epoch_number";  // the first one is 1
  if (unit == "epoch" || names_epoch) per_unit = samples_of_epoch(r, samples);
  if (const auto tokens = whole_number(setting_of(r.run, "sequence_length")); unit == "token" && tokens > 0)
    per_unit = 1 / static_cast<double>(*tokens);
  const double n = (*position - (names_epoch ? 1 : 0)) * per_unit / static_cast<double>(samples);
  if (per_unit <= 0 || !(n >= 0 && n < static_cast<double>(track::kMaxCount))) return {};
  return std::llround(n);
}

// A line that numbers its epoch among all of them, in a run that counts nothing else. What the first such line showed was
// taken for a step.
bool track::Windows::epoch_of_all(RunTrack& r, const Moment& m) {
  const auto of = positive_of(m.event, Field::batches);
  const bool first = r.run.train.segments == 0 && r.epochs.numbers_epochs(m.event);
  const bool again = r.epochs.numbered && of && m.event.has(Field::epoch) && r.run.max_iterations == of;
  if (!first && !again) return false;
  if (first) {
    r.run.first_iteration = r.run.iteration = r.epochs.line.batch;
    if (r.window.from) r.window.from->iteration = *r.epochs.line.batch;
    r.run.max_iterations = of;
    r.epochs = {};
    r.epochs.numbered = true;
    count_epochs(r);
  }
  Event of_all = m.event.without({Field::epoch}).with(Field::unit, name_of(Field::epoch));
  of_all.rename(Field::batch, Field::iteration);
  of_all.rename(Field::batches, Field::max_iter);
  progress_of(m.with(of_all));
  return true;
}

// Such positions are the run's own count from its beginning, and say nothing where they do not grow. Where
// blocks are named by what they begin with (since = "start"), the first one begins with nothing done.
void track::Windows::position(RunTrack& r, const Moment& m) {
  const bool beside_bar = r.window.from && r.window.from->elapsed;
  if (beside_bar) {
    all_.runs.add_loss(r, r.window.from->iteration, m);  // the bar shows where it stands, and no loss
    if (m.event.has(Field::loss)) ++r.training.beside_bar.lines;
    r.dirty = r.dirty || r.training.beside_bar.steps_behind() > 0;
  }
  if (beside_bar || !m.event.time) return;
  const bool begins = m.event.text(Field::since) == "start";
  auto iteration = iteration_at(r, m.event);
  if (!iteration) return all_.epochs.begin_block(r, m);
  if (!r.window.from && r.headed && !r.resumed) {
    r.window.from = where_it_began(r, m, begins);
    if (begins) return;
  }
  // What lies between a block's end and the next one's beginning, or a step's line and what an evaluation came to behind
  // it, is no training.
  const bool tested = m.event.text(Field::key) == "validation";
  if ((begins || tested) && r.window.from && *iteration == r.window.from->iteration) {
    Anchor here = *r.window.from;
    here.at = m.now;
    return begin_window(r, here, m.out);
  }
  if (!r.window.from || *iteration > r.window.from->iteration) train_progress(r, m, *iteration);
}

// How many lines have told a loss beside their part of the epochs, since those began, and what the evaluations between them
// took; the same again is said twice.
void track::Windows::count_logged(const Event& event) {
  constexpr double kRounding = 0.01;  // an evaluation's part may have fewer decimals
  const auto position = event.number(Field::position);
  const auto tested = positive_seconds(event.number(Field::seconds));
  if (!position || !(tested || event.has(Field::loss))) return;
  track::Logged& logged = state_.logged;
  if (*position + kRounding < logged.position) logged = {};
  logged.position = *position;
  if (event.has(Field::loss)) {
    ++logged.lines;
  } else if (const double took = to_seconds(*tested); took != std::exchange(logged.test, took)) {
    logged.tests = std::min(logged.tests + took, track::kMaxSeconds);
  }
}

// A size of the data set that a line tells when the training is done (since = "end") is the number of samples or
// tokens that it went through, and measures it where nothing else does. False: the training has not begun.
bool track::Windows::went_through(const Moment& m) {
  RunTrack* const over = all_.runs.ended();
  RunTrack* const r = over ? over : all_.runs.open();
  if (!r || !r->declared() || !(r->window.from || r->epochs.announced)) return false;
  if (!m.event.time || (over && (!r->run.ended_at || *m.event.time > *r->run.ended_at))) return false;
  if (r->run.train.segments > 0) return true;
  Event all = m.event;
  all.rename(Field::dataset_size, Field::position);
  if (setting_of(r->run, "position_unit") != "token") all.add(Field::unit, 1, "sample");
  const auto iteration = iteration_at(*r, all);
  if (!iteration || *iteration <= 0) return true;
  if (!r->window.from) r->window.from = where_it_began(*r, m, false);
  train_progress(*r, m, *iteration);
  return true;
}

// Of a run that is known: what a line of positions counts, and its batch.
void track::Windows::position_of_known(const Moment& m) {
  count_logged(m.event);
  if (RunTrack* const known = all_.runs.open(); known && known->declared()) position(*known, m);
  if (RunTrack* const over = all_.runs.ended(); over && m.event.has(Field::loss))
    over->training.trained_behind = true;
}

namespace {

// What may be samples or steps is samples as long as the first count above 0 is so many batches and no part of one.
bool counts_samples(RunTrack& r, const Event& event, std::int64_t batch) {
  if (event.text(Field::unit) != "sample_or_step" || batch <= 1) return false;
  const std::int64_t shown = count_of(event, Field::batch).value_or(0);
  if (shown > 0 && !r.training.by_samples) r.training.by_samples = shown % batch == 0;
  return r.training.by_samples.value_or(true);
}

}  // namespace

// Samples out of so many of an epoch. Where the log says no batch, the first such line of a run is that of its first step;
// not a bar's, which may be drawn first when several steps are done.
std::optional<track::OfStep> track::Windows::counted_in_samples(RunTrack& r, const Event& event) const {
  std::int64_t each = all_.values.train_samples(r);
  const std::int64_t all = positive_of(event, Field::batches).value_or(0);
  if (counts_samples(r, event, each))
    return OfStep{each, (all + each - 1) / each};  // the last one is smaller
  if (event.text(Field::unit) != "sample" || (each <= 0 && event.has(Field::elapsed))) return {};
  if (each <= 0 && !r.progressed()) {
    each = count_of(event, Field::batch).value_or(0);
    r.known.global_batch_size = each;
    note_derived(r.run, "batch: the first count of samples");
  }
  return OfStep{each, each > 0 ? all / each : 0};
}

}  // namespace etad
