// Saving and restoring. What is being looked for is part of the state: a daemon that was killed amid it finds
// the same format at the same line.
#include "parsers/base/saved_record.h"
#include "parsers/log/log_parser.h"
#include "parsers/log/log_state.h"

namespace etad {

ETAD_SAVED(HeldLine, text, arrival)
ETAD_SAVED(TableState, header, lines)
ETAD_SAVED(ChosenProcess, speaker, states_times, measurements_of_others, spoke_at, met, are_labelled)
ETAD_SAVED_KEYS(ChosenProcess, {"speaker", "voice"}, {"measurements_of_others", "others"}, {"spoke_at", "at"})
ETAD_SAVED(TimeToComeState::Coarse, done, least, first_done, first_units, last_done, last_units)
ETAD_SAVED(TimeToComeState, of, first, epoch, batch, seconds, done, spent, of_last_steps, coarse)
ETAD_SAVED(StepTimesState, meaning, epoch, step, apart, took, usual_apart, usual, lines, of, sum,
           epochs_alone, of_first_step)
ETAD_SAVED(StampedTime, at, epoch, step, seconds)
ETAD_SAVED(StampedTimesState, of, lines, last)
ETAD_SAVED(UnclearTimesState, meaning, told, told_scale, told_so_far, told_steps, told_rate, bar,
           epoch_of_bar, first, last, rises, epoch, step, epoch_at, times_stated, steps, counts_steps,
           stamped, to_come)
ETAD_SAVED(ReadingState, format, last, carried, year, tracker, table, measured, first_ordinal, chosen,
           unclear, needs_are_met, comes_late, zone, offset, lines, begun, other_phase)
ETAD_SAVED_KEYS(ReadingState, {"chosen", "voices"})
ETAD_SAVED(RivalState, reading, runs, segments, points, layers, layer_times, rejected, matched)
ETAD_SAVED(SearchState, looked_at, silent, no_trace, rivals, held, held_first, forgotten)
ETAD_SAVED(TraceState, header, label_sets, last, scan, first_row, complaint)
ETAD_SAVED(StatedOptions, format, labels)
ETAD_SAVED(LogState, own, format, last, year, trace, traced, columns, search, stated)
ETAD_SAVED_KEYS(LogState, {"stated", "told"})

namespace {

constexpr std::int64_t kVersion = 2;

}  // namespace

std::string LogParser::save() const {
  LogState state;
  if (own_) {
    state.own = own_->save();
  } else {
    state.format = format_name_;
    state.last = time_.last;
    state.year = time_.year;
  }
  if (trace_) {
    state.trace = trace_->save();
    state.traced = traced_;
    state.columns = options_.columns;
  } else {
    state.search = {looked_at_,       silent_,     !own_ && (!trial_ || trial_->over()),
                    rivals_.save(),   held_.all(), held_.first_size(),
                    held_.forgotten()};
  }
  if (options_.saves_told) state.stated = {options_.format, options_.labels};
  return saved::to_text(state, kVersion);
}

StatedOptions LogParser::stated_options(std::string_view state) {
  auto read = saved::from_text<LogState>(state, kVersion, "the saved state of this source");
  return read ? std::move(read->stated) : StatedOptions{};
}

void LogParser::restore_search(const SearchState& search) {
  looked_at_ = search.looked_at;
  silent_ = search.silent;
  held_.restore(search.held, search.held_first, search.forgotten);
  if (options_.formats) rivals_.restore(search.rivals, *options_.formats, context());
  if (!trial_ || own_) return;
  if (search.no_trace) return trial_->give_up();
  held_.for_each([&](const HeldLine& held) { trial_->consider(held.text, time_); });
}

// The columns it had are good as long as the configuration gives none.
bool LogParser::restore_trace(const LogState& state) {
  if (options_.columns.empty()) options_.columns = state.columns;
  adopt_trace(state.format);
  if (!trace_) return false;
  trace_->restore(*state.trace, time_);
  traced_ = state.traced;
  return true;
}

Result<LogParser> LogParser::restore(LogOptions options, std::string_view text) {
  LogParser parser(std::move(options));
  if (text.empty()) return parser;
  auto state = saved::from_text<LogState>(text, kVersion, "the saved state of this source");
  if (!state) {
    if (auto old = trace_state_of_version_1(text)) state = std::move(*old);
  }
  if (!state)
    return fail(state.error().kind, state.error().message, "it is read on from where it was, as a new log");
  if (state->own) {
    const std::string& name = state->own->format;
    auto format = parser.options_.formats ? parser.options_.formats->find(name) : nullptr;
    if (!format)
      return fail("no rule file describes the format '" + name + "' any more", "restore its rule file");
    auto reading = Reading::restore(std::move(format), parser.context(), *state->own);
    if (!reading) return tl::unexpected(reading.error());
    parser.own_ = std::move(*reading);
    parser.format_name_ = name;
    parser.trial_.reset();
    parser.restore_search(state->search);
    return parser;
  }
  parser.time_.last = state->last;
  parser.time_.year = state->year;
  if (!state->trace) {
    parser.restore_search(state->search);
  } else if (!parser.restore_trace(*state)) {
    return fail("no trace can be read as '" + state->format + "'", "give the source the columns that it had");
  }
  return parser;
}

}  // namespace etad
