// Windows of training.
//
// A window runs from one displayed iteration to the next. How long it took is asked where it ends
// (closed_windows.cpp).
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "parsers/base/text.h"
#include "parsers/training/bar_states.h"
#include "parsers/training/line_numbers.h"
#include "parsers/training/stated_window.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::Anchor;
using track::beginning_of_bar;
using track::ends_bar;
using track::RunTrack;
using track::see_wait;
using track::Stage;
using track::sums_its_steps;
using track::tells_no_time_yet;
using track::Window;

namespace {

// The batch, where the lines of progress themselves say it: as such, or by the samples of all iterations so
// far.
void take_shown_batch(track::Quantities& known, const Event& event, std::int64_t iteration) {
  drop_batch_of_options(known, event);
  if (const auto n = positive_of(event, Field::global_batch_size)) known.global_batch_size = n;
  if (const auto n = positive_of(event, Field::batch_size)) known.batch_size = n;
  if (const auto n = positive_of(event, Field::devices)) known.devices = n;
  if (event.text(Field::key) != "samples" || known.global_batch_size || iteration <= 0) return;
  const auto samples = positive_of(event, Field::value);
  if (samples && *samples % iteration == 0) known.global_batch_size = *samples / iteration;
}

// The tokens of a step, where a line tells those of all of them so far.
void take_shown_tokens(RunTrack& r, const Event& event, std::int64_t iteration) {
  if (event.text(Field::key) != "tokens" || r.known.tokens_per_iteration > 0 || iteration <= 0) return;
  const auto tokens = positive_of(event, Field::value);
  if (!tokens || *tokens % iteration != 0) return;
  take_setting(r, "tokens_per_iteration", std::to_string(*tokens / iteration));
  note_sizes(r);
}

// Where several processes each draw a bar of the same run, one may come in behind the others' next line, or
// all of it behind the end of another's.
bool is_of_another_process(const RunTrack& r, const Anchor& to) {
  const Anchor& from = *r.window.from;
  if (!to.elapsed || !from.elapsed || from.dated || to.dated || to.iteration >= from.iteration) return false;
  if (r.headed && from.iteration == r.run.max_iterations) return true;
  return to.iteration > 0 && to.iteration + r.training.stride >= from.iteration;
}

// Amid a window that is open since a line before that of this iteration: the time that it shows now is not that of the
// iteration, and would end the window.
bool is_drawn_again(const RunTrack& r, const Anchor& to) {
  const Anchor& from = *r.window.from;
  return to.elapsed && from.elapsed && !to.dated && to.iteration > from.iteration &&
         to.iteration == r.run.iteration;
}

// "step:12K": a count in thousands without decimals.
bool counts_thousands(const Event& event) {
  const FieldValue* const count = event.find(Field::iteration);
  return count && count->scale >= 1000 && count->text.find('.') == std::string_view::npos;
}

Anchor anchor_of(track::EpochCount& epochs, const track::Moment& m, std::int64_t iteration) {
  Anchor here;
  here.iteration = iteration;
  here.at = m.now;
  here.dated = m.event.time.has_value();
  if (counts_thousands(m.event)) here.changed = false;
  if (const auto elapsed = epochs.elapsed(m.event)) {
    here.elapsed = elapsed->seconds;
    here.error = elapsed->error;
    here.epoch = elapsed->epoch;
    here.steps = elapsed->steps;
  }
  return here;
}

// The time so far by samples or tokens a second, of which a step holds so many, that are the mean since the run's
// beginning.
void count_by_throughput(Anchor& here, const Event& event, std::int64_t each) {
  const auto rate = rounded(event, Field::samples_per_second);
  if (here.elapsed || each <= 0 || !rate || rate->first <= 0) return;
  here.elapsed = static_cast<double>(product_or_zero(each, here.iteration)) / rate->first;
  here.error = *here.elapsed * rate->second / rate->first;
}

// Where the run's steps begin, and how long its start took.
void see_beginning(RunTrack& r, const Anchor& here) {
  if (!r.run.first_iteration) r.run.first_iteration = r.headed && !r.resumed ? 0 : here.iteration;
  // What was resumed came to nothing where a line shows less.
  r.run.first_iteration = std::min(*r.run.first_iteration, here.iteration);
  const bool begun = !r.window.from && r.headed && r.run.started_at && here.at;
  if (!begun || r.run.startup || r.training.until_progress) return;
  r.run.startup = r.training.first_progress(between(*r.run.started_at, *here.at),
                                            here.iteration - *r.run.first_iteration);
}

// The first line shows far more steps than there are between it and the second: all but so many were done before, by a
// training that was gone on with. Where lines count the time, that of the first one is about that of those few.
void see_gone_on(RunTrack& r, const Anchor& here) {
  constexpr std::int64_t kFar = 20;
  constexpr double kOtherPace = 3;
  const auto& from = r.window.from;
  if (!from || from->epoch || here.epoch || r.resumed) return;
  const bool by_elapsed = from->elapsed && here.elapsed;  // others in between may tell no time
  const bool second = r.training.stride == 0 || (by_elapsed && r.run.first_iteration == from->iteration);
  const std::int64_t steps = second ? here.iteration - from->iteration : 0;
  if (steps <= 0 || from->iteration / kFar < steps) return;
  if (by_elapsed) {
    const double ratio = *from->elapsed / (*here.elapsed - *from->elapsed);
    if (r.run.max_iterations || !(ratio < kOtherPace) || ratio * kOtherPace < 1) return;  // a bar may be cut
  } else if (r.run.first_iteration != 0) {
    return;
  }
  r.run.first_iteration = from->iteration - steps;
  r.training.done_until_progress = steps;
}

// What a line says but for its numbers ("1e-05" has a letter, too).
std::string words_of(std::string_view line) {
  constexpr std::size_t kMost = 200;
  std::string out;
  for (std::size_t at = 0; at < line.size() && out.size() < kMost;) {
    const auto end = std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), is_letter);
    const auto length = static_cast<std::size_t>(end - line.begin()) - at;
    if (length > 1) out.append(line.substr(at, length)) += ' ';
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

// The run's first line came again, later than any step of it takes: a training that came no further was started anew.
void see_start_anew(RunTrack& r, const Anchor& to) {
  const auto& again = r.window.said_again;
  if (!again || r.run.train.segments > 0 || !to.dated || !r.window.from->at) return;
  if (r.window.from->changed) return;  // "12K" comes again and again
  if (between(*r.window.from->at, *again) > between(*again, *to.at)) r.window.from->at = again;
}

// Of sums that a program always divides by the steps between two of its lines (`display`), as many as there are since the
// line before: fewer at an epoch's end.
double share_of_divisor(const RunTrack& r, const Event& event, std::int64_t iteration) {
  if (!sums_its_steps(event)) return 1;
  const std::int64_t by = number_set(r.run, name_of(Field::display));
  const std::int64_t steps = iteration - r.run.iteration.value_or(r.run.first_iteration.value_or(0));
  return steps > 0 && steps < by ? static_cast<double>(steps) / static_cast<double>(by) : 1;
}

Event of_fewer_steps(const Event& event, double share, std::string_view samples) {
  Event out = event.without({Field::batch_size});
  if (!samples.empty()) out.add(Field::batch_size, 1, samples);
  const FieldValue* const mean = event.find(Field::seconds);
  return mean ? out.with(Field::seconds, mean->text, mean->scale / share) : out;
}

}  // namespace

void track::Windows::train_progress(RunTrack& r, const Moment& m, std::int64_t iteration) {
  if (const double share = share_of_divisor(r, m.event, iteration); share < 1) {
    const double batch = m.event.number(Field::batch_size).value_or(0) / share;
    const bool known = batch > 0 && batch < static_cast<double>(track::kMaxCount);
    const std::string samples = known ? std::to_string(std::llround(batch)) : std::string();
    return show_progress(r, m.with(of_fewer_steps(m.event, share, samples)), iteration);
  }
  show_progress(r, m, iteration);
}

void track::Windows::show_progress(RunTrack& r, const Moment& m, std::int64_t iteration) {
  all_.descriptions.finish_net(r, m.out);
  take_shown_batch(r.known, m.event, iteration);
  take_shown_tokens(r, m.event, iteration);
  r.reach(Stage::progressed);
  r.dirty = true;
  if (!r.job_known) r.run.job = Job::train;
  r.job_known = true;
  if (r.run.job == Job::time) {  // a timing run's steps are no training
    r.run.iteration = iteration;
    return;
  }
  if (r.test) all_.tests.end(r, r.test->done_at, m.out);
  Anchor here = anchor_of(r.epochs, m, iteration);
  if (m.event.text(Field::since) == "start") count_by_throughput(here, m.event, samples_of_step(r, m.event));
  see_wait(r, m.event, here);
  if (r.window.from && r.window.from->epoch != here.epoch) {
    // What shows no bar may be another writer's, amid a bar that goes on.
    if (!here.epoch && r.window.from->elapsed > 0) r.window.last_state.reset();
    end_bar(r, m.out);
  }
  see_beginning(r, here);
  see_gone_on(r, here);
  if (const auto beginning = beginning_of_bar(m.event, here, r.window.from)) {
    begin_window(r, *beginning, m.out);
    r.window.test_time = std::exchange(r.training.bar_stood, {});
  }
  go_to(r, m, here);
}

// From where the last window ended to where this line stands.
void track::Windows::go_to(RunTrack& r, const Moment& m, Anchor here) {
  const auto& from = r.window.from;
  // Of the parts of a bar that has come to its end, and of a plan, the roundings cancel out.
  const bool ends =
      r.training.by_lines && (ends_bar(m.event, here) || here.iteration == r.run.max_iterations);
  if (ends && from && from->epoch == here.epoch) r.window.from->error = here.error = 0;
  const bool of_all = from && from->elapsed == 0 && from->epoch == here.epoch && ends_bar(m.event, here);
  if (of_all) r.window.from->error = std::min(from->error, here.error);  // by its rate
  if (from && here.iteration == from->iteration) return show_again(r, m, here);
  if (from && (is_of_another_process(r, here) || is_drawn_again(r, here))) return;
  reach(r, m, here.iteration);
  if (r.run.train.segments == 0) hold_stated_alone(r, m.event, here);
  if (from && here.iteration > from->iteration) {
    if (here.changed) here.changed = from->changed.has_value();
    if (from->changed == false) r.window.holds_unknown_gap = true;
    if (tells_no_time_yet(m.event, *from, here)) {
      if (here.elapsed && here.epoch) r.window.last_state = here;
      r.window.bar_over = false;
      return;
    }
    if (m.event.text(Field::key) == "validation") r.window.holds_unmeasured_test = true;
    see_start_anew(r, here);
    close_window(r, m, here);
  }
  // Turned back without a word: another training writes here as well, or this one went on from elsewhere.
  // What comes next may belong to either.
  const bool turned_back = from && here.iteration < from->iteration;
  begin_window(r, here, m.out);
  if (r.run.train.segments == 0) r.window.words = words_of(m.event.message);
  r.window.holds_unknown_gap = r.window.turned_back = turned_back;
}

// The iteration shown before is shown once more.
void track::Windows::show_again(RunTrack& r, const Moment& m, const Anchor& here) {
  const Anchor& from = *r.window.from;
  const bool tests = m.event.text(Field::key) == "validation";
  if (tests) all_.tests.since_progress(r, m);
  if (!tests && here.dated) {
    r.window.shown_again = here.at;
    if (r.window.words && r.window.words == words_of(m.event.message)) r.window.said_again = here.at;
  }
  // An epoch that begins behind one of unknown length, or a stamp behind the same without one: from here on there is
  // something to measure.
  const bool stamps = here.dated && !from.at && !from.elapsed;
  if (stamps || (r.window.holds_unknown_gap && count_of(m.event, Field::batch) == 0))
    begin_window(r, here, m.out);
}

namespace {

// Of a run of whose plan nothing is told: it ends with the epoch that the line is of, by the time that it says is left.
std::optional<std::int64_t> end_of_last_epoch(RunTrack& r, const Event& event, double left,
                                              std::int64_t iteration) {
  const auto batch = count_of(event, Field::batch), batches = positive_of(event, Field::batches);
  const double step_time = event.number(Field::seconds).value_or(0);
  if (!batch || !batches || *batch > *batches || !(step_time > 0)) return {};
  const std::int64_t steps = *batches - *batch;
  if (!r.training.sees_last_epoch(left, step_time, steps, *batches)) return {};
  return iteration + steps;
}

// A run that has gone beyond what was planned has another plan than the one told. One of whose plan nothing is told, and
// whose lines say that no more than a step is left, has come to it.
void see_plan(RunTrack& r, const Event& event, std::int64_t iteration) {
  auto& plan = r.run.max_iterations;
  const auto left = event.number(Field::eta);
  if (left && !plan) plan = end_of_last_epoch(r, event, *left, iteration);
  const bool record = event.text(Field::key) == "record";  // the only one of a run may say so, or a first one
  if (left && (r.training.sees_the_end(*left, event.number(Field::seconds)) || (record && *left <= 0))) {
    if (!plan || iteration > *plan) plan = iteration;
  } else if (plan && iteration > *plan + (record ? 0 : r.training.stride)) {
    plan.reset();
  }
}

}  // namespace

// The run has come so far, with the loss that the line shows.
void track::Windows::reach(RunTrack& r, const Moment& m, std::int64_t iteration) {
  if (r.run.iteration && iteration > *r.run.iteration) {
    r.training.stride = iteration - *r.run.iteration;
    if (m.event.has(Field::elapsed)) r.training.beside_bar.see_bar(r.training.stride);
  }
  r.run.iteration = iteration;
  see_plan(r, m.event, iteration);
  if (m.event.text(Field::key) == "tests" && !r.training.tests_of_bar) r.training.tests_of_bar.emplace();
  const bool lossy = m.event.has(Field::loss);
  r.training.shows_loss = r.training.shows_loss || lossy;
  const auto loss = m.event.number(Field::loss);  // none where something was printed into it
  if (iteration == 0 && lossy) {
    r.training.zero_trained = true;
    r.training.zero_of_plan = m.event.has(Field::max_iter) || m.event.has(Field::batches);
  }
  if (loss && !std::isfinite(*loss)) r.run.loss_is_nan = true;
  all_.values.derive_batch_size(r, m.event);
  auto& point = m.out.points.emplace_back();
  point.run = r.run.ordinal;
  point.value.iteration = iteration;
  point.value.at = m.now;
  point.value.loss = loss.value_or(std::nan(""));
}

void track::Windows::begin_window(RunTrack& r, const Anchor& from, Records& out) {
  all_.tests.release(r, out);
  r.window.begin(from);
}

}  // namespace etad
