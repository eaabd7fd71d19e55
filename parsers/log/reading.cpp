#include "parsers/log/reading.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "parsers/base/device_count.h"
#include "parsers/base/precision.h"
#include "parsers/base/text.h"
#include "parsers/lines/launcher_label.h"
#include "parsers/lines/outer_stamp.h"
#include "parsers/rules/arguments.h"
#include "parsers/rules/shape_memory.h"

namespace etad {
namespace {

constexpr std::optional<Instant> kNever;
constexpr std::size_t kMostMet = 256;  // processes of a log that are told apart

SourceContext source_context(const Format& format, const ReadingContext& context) {
  return {format.framework(), context.host, std::string(format.section_body()), context.labels};
}

// What several processes of a job may each say of the same run without doubling it.
bool is_said_by_all(EventKind kind) {
  switch (kind) {
    case EventKind::none:
    case EventKind::run_start:
    case EventKind::setting:
    case EventKind::argument:
    case EventKind::section:
    case EventKind::layer:
    case EventKind::shape:
    case EventKind::error:
    case EventKind::date:
      return true;
    default:
      return false;
  }
}

// The run's end, which one of its processes says for all, such as one of those that test what the others train.
bool is_end_for_all(const Event& event) {
  return event.kind == EventKind::run_end && event.text(Field::since) == "any";
}

// A line's stamp and its coming lie so far apart, by half hours, where the log is written in another time zone.
Duration zone_between(Instant written, Instant seen) {
  using namespace std::chrono_literals;
  using HalfHours = std::chrono::duration<std::int64_t, std::ratio<1800>>;
  const Instant::duration by = seen - written;
  if (std::chrono::abs(by) > 26h) return {};  // a log may claim any year
  const HalfHours zone = std::chrono::round<HalfHours>(by);
  return std::chrono::abs(by - zone) <= 5s ? zone : Duration{};
}

// What a process says, without what its launcher writes before it. What may be its own words stays, but among lines that
// have such labels.
std::string_view without_label(std::string_view line, bool are_labelled) {
  const auto label = launcher_label(line);
  return label && (label->certain || are_labelled) ? line.substr(label->length) : line;
}

}  // namespace

Reading::Reading(std::shared_ptr<const Format> format, const ReadingContext& context)
    : format_(std::move(format)),
      beside_(context.beside),
      shapes_(context.shapes),
      tracker_(source_context(*format_, context)) {
  time_.zone = context.zone;
  if (format_->is_table()) table_.emplace();
  if (format_->names_rows()) rows_.emplace();
}

bool Reading::take(std::string_view line, const std::optional<Instant>& arrival, Instant modified,
                   Records& out) {
  time_.reference = modified;
  ++lines_;
  const bool is_row = table_ || rows_;
  const RememberedShape* const known = is_row ? nullptr : format_->recall(line, shapes_);
  if (known && known->says_nothing && pass_over(line, *known, arrival, out)) return false;
  std::int64_t runs = next_ordinal();
  const bool is_known = take_event(line, known, arrival, out);
  for (; runs < next_ordinal(); ++runs) note_begun();
  return is_known;
}

// Whose runs were begun longer ago is not asked.
void Reading::note_begun() {
  constexpr std::size_t kMostBegun = 64;
  if (begun_.size() == kMostBegun) begun_.erase(begun_.begin());
  begun_.push_back(lines_);
}

std::int64_t Reading::first_run_within(std::int64_t lines) const {
  const auto from = std::lower_bound(begun_.begin(), begun_.end(), lines_ - lines);
  return next_ordinal() - (begun_.end() - from);
}

bool Reading::take_event(std::string_view line, const RememberedShape* shape,
                         const std::optional<Instant>& arrival, Records& out) {
  const bool is_row = table_ || rows_;
  Event event = is_row ? match_row(line, out) : format_->match(line, shape, time_, shapes_);
  std::optional<Instant> stamped;  // by its environment
  const std::optional<Instant>* came = &arrival;
  const bool says_little = event.rule == Event::kNoRule || event.kind == EventKind::argument;
  if (says_little && (may_be_stamped(line) || event.speaker != 0) && !is_row) {
    line = take_behind_stamp(line, event, stamped);
    if (stamped) came = &stamped;
  }
  if (!needs_are_met_) needs_are_met_ = format_->meets_needs(line, event);
  const bool known = event.kind != EventKind::none;
  if (event.kind != EventKind::sample && event.has(Field::series))
    event.speaker = speaker_of(event.text(Field::series));
  if (event.rule != Event::kNoRule) chosen_.are_labelled = event.speaker != 0;
  if (event.speaker != 0 && !is_of_chosen_process(event)) event.kind = EventKind::none;
  const std::size_t before = out.segments.size();
  if (known) unclear_.resolve(event);
  if (!table_ && tracker_.hears_surroundings(event.kind)) hear_surroundings(line, event);
  if (event.time) place_in_time(*event.time, *came);
  if (comes_late_ && came == &arrival) came = &kNever;
  const bool has_label = event.speaker != 0;
  const bool has_beside = beside_ && !format_->beside().empty();
  if (has_beside && tracker_.begins_anew(event)) take_beside(out);
  tracker_.feed(has_label ? without_label(line, chosen_.are_labelled) : line, event, *came, out);
  if (event.kind == EventKind::run_start && has_beside) take_beside(out);
  measured_ += static_cast<std::int64_t>(out.segments.size() - before);
  return known;
}

// Nets that are described line by line have batches of their own.
void Reading::hear_surroundings(std::string_view line, Event& event) {
  Surroundings said{precision_in(event.message),
                    devices_in(line),
                    jax_processes_in(line),
                    local_devices_in(line),
                    rank_in(line),
                    of_each_process(line),
                    {}};
  const bool other_phase = is_of_other_phase(line, event.message, other_phase_);
  if (other_phase && event.kind == EventKind::argument) event.kind = EventKind::none;
  const bool known = event.rule != Event::kNoRule;
  const bool may_tell =
      !known || (event.kind != EventKind::none && tracker_.hears_surroundings(EventKind::none));
  if (!other_phase && may_tell && format_->section_body().empty()) add_arguments(event.message, said.options);
  if (known && said.options.values().size() < 2) said.options.clear_values();  // what its rule takes it for
  if (!said.say_nothing()) tracker_.surroundings(said);
}

// Most lines of many logs: amid a run they show that it goes on, and no more.
bool Reading::pass_over(std::string_view line, const RememberedShape& known,
                        const std::optional<Instant>& arrival, Records& out) {
  std::optional<Instant> time;
  if (!needs_are_met_ || !tracker_.may_pass_over() || !format_->read_time(line, known, time_, time))
    return false;
  if (time) place_in_time(*time, arrival);
  tracker_.pass_over(time, comes_late_ ? kNever : arrival, out);
  return true;
}

Event Reading::match_row(std::string_view line, Records& out) {
  if (!table_) return format_->match(line, *rows_, time_, shapes_);
  const std::int64_t bad_rows = table_->bad_rows();
  const Event event = table_->read(line);
  out.rejected += table_->bad_rows() - bad_rows;
  return event;
}

// A line that says nothing as it stands, but for what its environment's stamp leaves of it: it has come when that says.
std::string_view Reading::take_behind_stamp(std::string_view line, Event& event,
                                            std::optional<Instant>& came) {
  const auto stamp = outer_stamp(line);
  if (!stamp || stamp->length == line.size()) return line;
  if (format_->is_generic() && !stamp->names_origin)
    return line;  // which know all forms of stamps as headers
  const std::string_view rest = line.substr(stamp->length);
  Event behind = format_->match(rest, time_, shapes_);
  const bool known = behind.rule != Event::kNoRule;
  if (event.rule != Event::kNoRule && !known) return line;
  if (event.headed && !known && !stamp->names_origin) return rest;
  if (!event.headed && !behind.headed && !behind.time)
    behind.time = event.time;  // of a header on its own line
  if (behind.speaker == 0) behind.speaker = stamp->speaker;
  event = behind;
  if (known) came = read_header(stamp->form, stamp->time, time_).time;
  return rest;
}

// The first stamp that is seen coming, and not amid a run whose others were not, says in which zone the log is written.
// What was copied here, or waits in a buffer, shows by its stamps that lines do not come when they are written: then
// their coming dates none.
void Reading::place_in_time(Instant& stamp, const std::optional<Instant>& arrival) {
  constexpr Instant::duration kLate = std::chrono::minutes(1);
  if (!arrival && !zone_ && !comes_late_) return;
  const bool first = !tracker_.last_time();
  if (!zone_ && arrival && (first || !tracker_.running())) learn_zone(stamp, *arrival);
  if (zone_) stamp += std::chrono::duration_cast<Instant::duration>(*zone_);
  if (arrival) comes_late_ = std::chrono::abs(*arrival - stamp) > kLate;
  if (first && comes_late_) tracker_.date_beginning(stamp);
}

// Another zone than this machine's is taken for one that never changes, as a container's UTC: this machine's may change
// meanwhile, by daylight saving.
void Reading::learn_zone(Instant& stamp, Instant seen) {
  zone_ = Duration{};
  const auto by = std::chrono::duration_cast<Instant::duration>(zone_between(stamp, seen));
  if (by == Instant::duration::zero()) return;
  const auto utc = std::chrono::floor<std::chrono::seconds>(stamp).time_since_epoch().count();
  const std::int32_t own = time_.zone(utc + time_.zone(utc));
  write_in(own - std::chrono::duration_cast<std::chrono::seconds>(by).count());
  stamp += by;
  if (time_.last) *time_.last += by;
  if (time_.carried) *time_.carried += by;
}

void Reading::write_in(std::int64_t offset) {
  offset_ = offset;
  time_.zone = [offset](std::int64_t) { return static_cast<std::int32_t>(offset); };
  time_.zone_cache = {};
  time_.day_cache = {};
  time_.known_time = {};
}

// What the file beside the log says of how the run was started. Its lines are settings or nothing: no file but the
// log measures. The items of a YAML list stand on lines of their own and count as their key's: "device: 0, 1".
void Reading::take_beside(Records& out) {
  // A log that is nothing but beginnings must not have it read for each of them.
  constexpr std::int64_t kFreely = 8, kMeasuredForEach = 32;
  const std::int64_t runs = next_ordinal() - first_ordinal_;
  if (runs > kFreely && runs * kMeasuredForEach > measured_) return;
  std::istringstream text(beside_(format_->beside()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    const std::string_view item = trim(line, " \t\r");
    if (!lines.empty() && item.starts_with("- ")) {
      lines.back() += lines.back().ends_with(':') ? " " : ", ";
      lines.back() += item.substr(2);
    } else {
      lines.emplace_back(trim(line, "\r"));
    }
  }
  for (const std::string& line : lines) {
    TimeContext time = time_;
    const Event event = format_->match(line, time);
    if (event.kind == EventKind::setting) tracker_.feed(line, event, {}, out);
  }
}

// Of the processes that a launcher's labels tell apart, the first to measure speaks for all of them; one that shows steps
// alone, until another one says how long they take. (Of Megatron's pipelines the first process does the former, and the
// last one the latter.) When its run is over, one that has not been heard beside it is another start's.
bool Reading::is_of_chosen_process(const Event& event) {
  // The first one says no more: another program's processes.
  constexpr std::int64_t kGone = 256;
  constexpr auto kSilent = std::chrono::minutes(10);
  if (is_said_by_all(event.kind) || is_end_for_all(event)) return true;
  if (chosen_.speaker == 0 && event.has(Field::series) && !is_of_series_that_goes_on(event)) return false;
  const bool states_time = event.kind == EventKind::progress && event.has(Field::seconds);
  const bool other = chosen_.speaker != event.speaker;
  const bool silent = other && chosen_.spoke_at && event.time && *event.time - *chosen_.spoke_at > kSilent;
  const bool states_more = states_time && !chosen_.states_times;
  const bool another_start =
      other && chosen_.speaker != 0 && !tracker_.running() && !may_have_met(event.speaker);
  if (other && (chosen_.speaker == 0 || states_more || silent || another_start ||
                ++chosen_.measurements_of_others > kGone)) {
    chosen_.speaker = event.speaker;
    chosen_.states_times = false;
    if (another_start) chosen_.met.clear();
  }
  if (chosen_.speaker != event.speaker) {
    note_met(event.speaker);
    return false;
  }
  chosen_.states_times = chosen_.states_times || states_time;
  chosen_.measurements_of_others = 0;
  if (event.time) chosen_.spoke_at = event.time;
  return true;
}

bool Reading::has_met(std::uint64_t speaker) const {
  return std::find(chosen_.met.begin(), chosen_.met.end(), speaker) != chosen_.met.end();
}

// Of too many some are not noted.
bool Reading::may_have_met(std::uint64_t speaker) const {
  return chosen_.met.size() >= kMostMet || has_met(speaker);
}

void Reading::note_met(std::uint64_t speaker) {
  if (!may_have_met(speaker)) chosen_.met.push_back(speaker);
}

// Of the series of one log the first that goes on counts: what is said once, at the beginning, leads nowhere.
bool Reading::is_of_series_that_goes_on(const Event& event) {
  if (has_met(event.speaker)) {
    chosen_.met.clear();
    return true;
  }
  note_met(event.speaker);
  return false;
}

void Reading::number_from(std::int64_t first, const std::map<std::int64_t, std::int64_t>& told) {
  std::int64_t ordinal = next_ordinal() - static_cast<std::int64_t>(begun_.size());
  for (const std::int64_t line : std::exchange(begun_, {}))
    if (told.contains(ordinal++)) begun_.push_back(line);
  first_ordinal_ = first;
  tracker_.number_from(first, told);
}

ReadingState Reading::save() const {
  ReadingState state{name(),    time_.last,     time_.carried, time_.year,       tracker_.save(), {},
                     measured_, first_ordinal_, chosen_,       unclear_.state(), needs_are_met_,  comes_late_,
                     zone_,     offset_,        lines_,        begun_,           other_phase_};
  if (table_) state.table = TableState{table_->header(), table_->lines()};
  if (rows_) state.table = TableState{rows_->header(), 0};
  return state;
}

Result<Reading> Reading::restore(std::shared_ptr<const Format> format, const ReadingContext& context,
                                 const ReadingState& state) {
  Reading reading(std::move(format), context);
  auto tracker = Tracker::restore(source_context(reading.format(), context), state.tracker);
  if (!tracker) return tl::unexpected(tracker.error());
  reading.tracker_ = std::move(*tracker);
  reading.time_.last = state.last;
  reading.time_.carried = state.carried;
  reading.time_.year = state.year;
  reading.measured_ = state.measured;
  reading.needs_are_met_ = state.needs_are_met;
  reading.comes_late_ = state.comes_late;
  reading.zone_ = state.zone;
  if (state.offset) reading.write_in(*state.offset);
  reading.lines_ = state.lines;
  reading.begun_ = state.begun;
  reading.other_phase_ = state.other_phase;
  reading.first_ordinal_ = state.first_ordinal;
  reading.chosen_ = state.chosen;
  reading.unclear_ = UnclearTimes(state.unclear);
  if (reading.table_ && state.table) reading.table_->restore(state.table->header, state.table->lines);
  if (reading.rows_ && state.table) reading.rows_->take_header(state.table->header);
  return reading;
}

}  // namespace etad
