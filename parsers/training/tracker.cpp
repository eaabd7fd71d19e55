#include "parsers/training/tracker.h"

#include <algorithm>
#include <utility>

#include "parsers/base/end_words.h"
#include "parsers/base/text.h"
#include "parsers/training/restarts.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

namespace {

// Lines that may stand between two runs, so that they do not show the first one to be alive.
bool may_be_anothers(EventKind kind) {
  return kind == EventKind::run_start || kind == EventKind::section || kind == EventKind::date;
}

// Lines by which a run shows that it goes on.
bool shows_life(EventKind kind) {
  return kind == EventKind::progress || kind == EventKind::epoch || kind == EventKind::step_time ||
         kind == EventKind::throughput || kind == EventKind::test_start || kind == EventKind::test_result;
}

// The bar's last state once more, as it is drawn when the program ends, one beside the training's, or a loss that the
// program's other stream brings late: no sign of life.
bool is_drawn_again(const Event& event, const track::RunTrack& r) {
  if (event.text(Field::key) == "beside") return true;
  if (r.last_words.message.empty()) return false;
  if (event.kind == EventKind::epoch && is_state_of_bar(event))
    return done_by_state(r, event) <= r.run.iteration;
  if (event.kind != EventKind::progress) return false;
  if (event.has(Field::position)) return r.window.from && r.window.from->elapsed;
  const auto at = count_of(event, Field::iteration);
  return at ? at == r.run.iteration
            : event.has(Field::batch) && count_of(event, Field::batch) == r.epochs.line.batch;
}

// A series beside the one that is followed shows how far the run has come.
void see_other_series(track::RunTrack& r, const Event& event) {
  track::Training& training = r.training;
  training.shown_beside = std::max(training.shown_beside, count_of(event, Field::iteration).value_or(0));
  r.dirty = r.dirty || training.shown_beside > r.run.iteration;
}

bool is_of_training(const Event& event) {
  return event.kind != EventKind::test_start && event.kind != EventKind::test_result &&
         event.text(Field::phase) != name_of(Phase::test);
}

// A bar of a whole epoch, where none is open: an evaluation's or a prediction's.
bool is_bar_of_test(const Event& event, const track::RunTrack& r) {
  return event.kind == EventKind::step_time && event.text(Field::since) == "epoch" && r.epochs.announced &&
         !r.epochs.open && event.text(Field::phase).empty();
}

// A line that says nothing of a training, half an hour and more behind the last one of a run whose own lines bear times: a
// program's that came later.
bool comes_long_after(const track::RunTrack& r, Instant now) {
  constexpr auto kLong = std::chrono::minutes(30);
  const bool dated = r.window.from && r.window.from->dated;
  return dated && r.run.ended_at && now - *r.run.ended_at > kLong;
}

// "…]srun: error: node3: task 0: Exited with exit code 1": few lines of progress end so.
bool may_end_with_sruns(std::string_view line) {
  if (is_digit(line.back())) {
    while (!line.empty() && is_digit(line.back())) line.remove_suffix(1);
    return line.ends_with(" code ");
  }
  return line.ends_with("Terminated") || line.ends_with("Killed") || line.ends_with(" fault") ||
         line.ends_with("Memory");
}

// What Slurm, the shell or Python says of a program's end right behind the last state of its bar, which ends no line.
std::string_view end_behind_bar(std::string_view line) {
  constexpr std::string_view kSlurms = "]slurmstepd: error: ", kSruns = "]srun: error: ";
  if (line.empty()) return {};
  if (line.back() == '.' || (line.back() == '*' && line.ends_with(" ***"))) {  // as Slurm's do
    const std::size_t said = line.find(kSlurms);
    if (said != line.npos) return line.substr(said + 1);
    const std::size_t stamped = line.find("] error: *** ");
    return stamped == line.npos ? std::string_view() : line.substr(stamped + 2);
  }
  if (may_end_with_sruns(line))
    if (const std::size_t said = line.find(kSruns); said != line.npos) return line.substr(said + 1);
  const std::size_t at = line.ends_with(':') || line.ends_with('d') ? line.rfind(']') : line.npos;
  if (at == line.npos) return {};
  std::string_view rest = line.substr(at + 1);
  if (rest.starts_with("^C")) rest.remove_prefix(2);
  return rest == "Killed" || rest == "Terminated" || begins_traceback(rest) ? rest : std::string_view();
}

}  // namespace

track::Part::Part(Parts& all) : all_(all), state_(all.state) {}

track::Parts::Parts(SourceContext given)
    : context(std::move(given)), labels(LabelledValues::of(context.labels)) {}

// The parts of feed() are inline: each line of each log goes through them.
//
// Within a description all lines are its body's up to one that bears the log's header. True: the line is such.
inline bool Tracker::Impl::describe(track::RunTrack& r, std::string_view line, const Event& event) {
  if (r.description.body == track::Body::none) return false;
  if (event.headed) {
    descriptions.end_body(r);
  } else if (event.kind == EventKind::none) {
    descriptions.body_line(r, line);
    return true;
  }
  return false;
}

inline Tracker::Impl::Before Tracker::Impl::hear(std::string_view line, const track::Moment& m) {
  Before before;
  track::RunTrack* const r = runs.open();
  if (!r) return before;
  const Event& event = m.event;
  if (event.kind == EventKind::none && event.has(Field::series))
    see_other_series(*r, event);
  else if (event.kind == EventKind::none && (!event.quiet || r->last_words.traceback))
    r->last_words.hear(line);
  if (r->declared()) before.ordinal = r->run.ordinal;
  before.drawn_again = is_drawn_again(event, *r);
  before.of_test = is_bar_of_test(event, *r);
  if (m.now && event.kind != EventKind::epoch) epochs.date_heading(*r, *m.now, m.out);
  before.open = runs.open() != nullptr;
  return before;
}

// What begins another run is no life of the one before: that was over, and its last words say how it ended.
inline void Tracker::Impl::note_life(std::string_view line, const track::Moment& m, const Before& before) {
  const Event& event = m.event;
  const bool same = state.current && (!before.ordinal || before.ordinal == state.current->run.ordinal);
  if (same && before.open && m.now && !may_be_anothers(event.kind) &&
      !(event.kind == EventKind::none && comes_long_after(*state.current, *m.now))) {
    state.current->run.ended_at = *m.now;
    state.current->dirty = true;
  }
  track::RunTrack* const r = runs.open();
  if (!r) return;
  if (same && shows_life(event.kind) && !before.drawn_again)
    r->last_words.forget(is_of_training(event) && !before.of_test);
  if (event.kind == EventKind::progress) {
    r->last_words.joined_again = false;
    r->last_words.hear(end_behind_bar(line));
    if (event.text(Field::outcome) == "ended") r->last_words.done = true;
  }
  if (event.time) r->window.see_line(*event.time);
}

void Tracker::Impl::feed(std::string_view line, const Event& event, const std::optional<Instant>& arrival,
                         Records& out) {
  if (event.time) state.last_time = *event.time;
  if (track::RunTrack* const r = runs.open()) {
    if (r->run.state != RunState::running) {  // it goes on after all
      r->run.state = RunState::running;
      r->dirty = true;
    }
    if (describe(*r, line, event)) return;
  }
  const track::Moment m(event, event.time ? event.time : arrival, out);
  const Before before = hear(line, m);
  if (event.kind != EventKind::none) dispatch(m);
  note_life(line, m, before);
}

void Tracker::Impl::dispatch(const track::Moment& m) {
  switch (m.event.kind) {
    case EventKind::run_start:
      return runs.start(m);
    case EventKind::run_end:
      return runs.end(m);
    case EventKind::setting:
      values.setting(m);
      if (m.event.has(Field::steps_per_epoch) && m.event.text(Field::since) == "epoch") epochs.take_steps(m);
      return;
    case EventKind::argument:
      return values.argument(m.event);
    case EventKind::section:
      return descriptions.section(m);
    case EventKind::layer:
    case EventKind::shape:
      return descriptions.set_up_line(m);
    case EventKind::progress:
      return windows.progress(m);
    case EventKind::test_start:
      return tests.start(m);
    case EventKind::test_result:
      return tests.result(m);
    case EventKind::epoch:
      return epochs.epoch(m);
    case EventKind::step_time:
      return steps.step_time(m);
    case EventKind::throughput:
      return steps.throughput(m);
    case EventKind::segment:
      return tables.segment(m);
    case EventKind::layer_time:
      return steps.layer_time(m);
    case EventKind::total_time:
      return steps.total_time(m);
    case EventKind::snapshot:
      return windows.snapshot(m);
    case EventKind::resume:
      return windows.resume(m);
    case EventKind::error:
      return runs.fail(m);
    case EventKind::sample:
      return tables.sample(m);
    case EventKind::stall:
      if (track::RunTrack* const r = runs.open()) ++r->run.stalls;
      return;
    case EventKind::none:
    case EventKind::date:
      return;  // the matcher's: it fixes the year
  }
}

Tracker::Tracker(SourceContext context) : impl_(std::make_unique<Impl>(std::move(context))) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

void Tracker::feed(std::string_view line, const Event& event, const std::optional<Instant>& arrival,
                   Records& out) {
  impl_->feed(line, event, arrival, out);
}

bool Tracker::begins_anew(const Event& event) const {
  const track::RunTrack* const r = impl_->runs.open();
  return r && event.kind == EventKind::progress && track::falls_back(*r, event);
}

bool Tracker::may_pass_over() const {
  const track::RunTrack* const r = impl_->runs.under_way();
  return r && r->description.body == track::Body::none && !r->last_words.traceback;
}

void Tracker::pass_over(const std::optional<Instant>& time, const std::optional<Instant>& arrival,
                        Records& out) {
  track::RunTrack& r = *impl_->runs.open();
  if (time) {
    impl_->state.last_time = *time;
    r.window.see_line(*time);
  }
  const std::optional<Instant>& now = time ? time : arrival;
  if (!now) return;
  impl_->epochs.date_heading(r, *now, out);
  if (comes_long_after(r, *now)) return;
  r.run.ended_at = *now;
  r.dirty = true;
}

bool Tracker::hears_surroundings(EventKind kind) const {
  return impl_->values.hears_surroundings(kind);
}
void Tracker::surroundings(const Surroundings& said) {
  impl_->values.surroundings(said);
}

void Tracker::close(Records& out) {
  impl_->runs.close(out);
}
void Tracker::flush(Records& out) {
  impl_->runs.flush(out);
  impl_->tables.flush(out);
}

void Tracker::date_beginning(Instant at) {
  if (track::RunTrack* const r = impl_->runs.open(); r && r->run.started_at) r->run.started_at = at;
}

bool Tracker::running() const {
  return impl_->runs.running();
}

bool Tracker::plan_done() const {
  return impl_->runs.running() && !impl_->state.current->training.endless &&
         etad::plan_done(*impl_->state.current);
}

bool Tracker::is_in_first_epoch() const {
  const track::RunTrack* const r = impl_->runs.open();
  return r && r->epochs.open && r->epochs.announced && r->epochs.done_before(*r->epochs.announced, 1) == 0;
}

std::optional<Instant> Tracker::last_time() const {
  return impl_->state.last_time;
}

void Tracker::number_from(std::int64_t first, const std::map<std::int64_t, std::int64_t>& told) {
  impl_->runs.number_from(first, told);
}

std::int64_t Tracker::next_ordinal() const {
  return impl_->runs.next_ordinal();
}

}  // namespace etad
