#include "parsers/log/reading.h"

#include <boost/json.hpp>

#include <algorithm>

#include "parsers/lines/launcher_label.h"

namespace etad {
namespace {

namespace json = boost::json;

SourceContext source_context(const Format& format, const ReadingContext& context) {
  return {format.framework(), context.host, std::string(format.section_body()), context.labels};
}

std::optional<std::int64_t> number_in(const json::object& state, std::string_view key) {
  const json::value* const found = state.if_contains(key);
  return found && found->is_int64() ? std::optional(found->get_int64()) : std::nullopt;
}

// What several processes of a job may each say of the same run without doubling it.
bool is_said_by_all(EventKind kind) {
  switch (kind) {
    case EventKind::none:
    case EventKind::run_start:
    case EventKind::setting:
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

}  // namespace

Reading::Reading(std::shared_ptr<const Format> format, const ReadingContext& context)
    : format_(std::move(format)), tracker_(source_context(*format_, context)) {
  time_.zone = context.zone;
  if (format_->is_table()) table_.emplace();
}

bool Reading::take(std::string_view line, std::optional<Instant> arrival, Instant modified, Records& out) {
  time_.reference = modified;
  const std::int64_t bad_rows = table_ ? table_->bad_rows() : 0;
  Event event = table_ ? table_->read(line) : format_->match(line, time_);
  const bool known = event.kind != EventKind::none;
  if (event.kind != EventKind::sample && event.has(Field::series))
    event.speaker = speaker_of(event.text(Field::series));
  if (event.speaker != 0 && !is_heard(event)) event.kind = EventKind::none;
  if (table_) out.rejected += table_->bad_rows() - bad_rows;
  const std::size_t before = out.segments.size();
  tracker_.feed(line, event, arrival, out);
  measured_ += static_cast<std::int64_t>(out.segments.size() - before);
  return known;
}

// Of the processes that a launcher's labels tell apart, the first to measure speaks for all of them.
bool Reading::is_heard(const Event& event) {
  constexpr std::int64_t kGone = 256;  // the first one says no more: another program's processes
  if (is_said_by_all(event.kind)) return true;
  if (voice_ == 0 && event.has(Field::series) && !comes_again(event)) return false;
  if (voice_ == 0 || (voice_ != event.speaker && ++other_voices_ > kGone)) voice_ = event.speaker;
  if (voice_ != event.speaker) return false;
  other_voices_ = 0;
  return true;
}

// Of the series of one log the first that goes on counts: what is said once, at the beginning, leads nowhere.
bool Reading::comes_again(const Event& event) {
  constexpr std::size_t kMostMet = 256;
  if (std::find(met_.begin(), met_.end(), event.speaker) != met_.end()) {
    met_.clear();
    return true;
  }
  if (met_.size() < kMostMet) met_.push_back(event.speaker);
  return false;
}

void Reading::number_from(std::int64_t first) {
  first_ordinal_ = first;
  tracker_.number_from(first);
}

json::object Reading::save() const {
  json::object state;
  state["format"] = name();
  if (time_.last) state["last"] = time_.last->time_since_epoch().count();
  if (time_.year) state["year"] = *time_.year;
  state["tracker"] = tracker_.save();
  if (table_) state["table"] = {{"header", table_->header()}, {"lines", table_->lines()}};
  state["measured"] = measured_;
  state["first_ordinal"] = first_ordinal_;
  if (voice_ != 0) {
    state["voice"] = static_cast<std::int64_t>(voice_);
    state["other_voices"] = other_voices_;
  }
  json::array met;
  for (const std::uint64_t each : met_) met.push_back(static_cast<std::int64_t>(each));
  if (!met.empty()) state["met"] = std::move(met);
  return state;
}

Result<Reading> Reading::restore(std::shared_ptr<const Format> format, const ReadingContext& context,
                                 const json::object& state) {
  Reading reading(std::move(format), context);
  if (const auto last = number_in(state, "last")) reading.time_.last = Instant(Instant::duration(*last));
  if (const auto year = number_in(state, "year")) reading.time_.year = static_cast<int>(*year);
  const json::value* const kept = state.if_contains("tracker");
  if (!kept || !kept->is_string()) return fail("the saved state of a reading has no tracker");
  auto tracker = Tracker::restore(source_context(reading.format(), context), kept->get_string());
  if (!tracker) return tl::unexpected(tracker.error());
  reading.tracker_ = std::move(*tracker);
  reading.measured_ = number_in(state, "measured").value_or(0);
  reading.first_ordinal_ = number_in(state, "first_ordinal").value_or(0);
  reading.voice_ = static_cast<std::uint64_t>(number_in(state, "voice").value_or(0));
  reading.other_voices_ = number_in(state, "other_voices").value_or(0);
  if (const json::value* const met = state.if_contains("met"); met && met->is_array())
    for (const json::value& each : met->get_array())
      if (each.is_int64()) reading.met_.push_back(static_cast<std::uint64_t>(each.get_int64()));
  const json::value* const table = reading.table_ ? state.if_contains("table") : nullptr;
  if (table && table->is_object()) {
    const json::object& columns = table->get_object();
    const json::value* const header = columns.if_contains("header");
    if (const auto lines = number_in(columns, "lines"); lines && header && header->is_string())
      reading.table_->restore(header->get_string(), *lines);
  }
  return reading;
}

}  // namespace etad
