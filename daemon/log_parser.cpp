#include "daemon/log_parser.h"

#include <boost/json.hpp>
#include <utility>

namespace etad {
namespace {

namespace json = boost::json;

// Lines kept until the format is known, so that a header above the first telling line is not lost.
constexpr std::size_t kPendingBytes = 64 * 1024;
// A file that shows no known format in this many bytes is taken for something else: its lines are counted
// and passed over, at the cost of a newline search, instead of being held against every format for ever.
constexpr std::int64_t kRecogniseBytes = 4 * 1024 * 1024;
constexpr int kStateVersion = 1;
constexpr std::string_view kRejected = "rejected: ";
// What was taken for a trace and then speaks as a training log is one, unless it was a trace for so long.
constexpr std::int64_t kSurelyTrace = 200;

json::value instant_json(std::optional<Instant> at) {
  return at ? json::value(at->time_since_epoch().count()) : json::value(nullptr);
}

std::optional<Instant> instant_of(const json::value& value) {
  if (!value.is_int64()) return std::nullopt;
  return Instant(std::chrono::microseconds(value.get_int64()));
}

}  // namespace

LogParser::LogParser(LogOptions options) : options_(std::move(options)) {
  time_.zone = options_.zone;
  if (options_.format == "auto") {
    trial_.emplace(trace_settings());
    return;
  }
  auto format = options_.formats ? options_.formats->find(options_.format) : nullptr;
  if (format) {
    adopt(std::move(format));
  } else if (is_trace_format(options_.format)) {
    adopt_trace(options_.format);
  }
}

// What is wrong with labels or columns was told where they were given; here the lines count.
TraceOptions LogParser::trace_settings() {
  auto settings = trace_options(options_.labels, options_.columns, options_.zone);
  TraceOptions out = settings ? std::move(*settings) : TraceOptions{};
  out.own_host = options_.host;
  return out;
}

void LogParser::adopt_trace(std::string_view format) {
  auto reader = make_trace_reader(format, trace_settings());
  if (!reader) return;
  trace_ = std::move(*reader);
  format_name_ = format;
  trial_.reset();
}

std::string LogParser::complaint() const {
  if (table_) return table_->complaint();
  return trace_ ? trace_->complaint() : std::string();
}

SourceContext LogParser::context() const {
  return {format_->framework(), options_.host, std::string(format_->section_body()), options_.labels};
}

void LogParser::adopt(std::shared_ptr<const Format> format) {
  format_ = std::move(format);
  format_name_ = format_->name();
  tracker_.emplace(context());
  table_.reset();
  if (format_->is_table()) table_.emplace();
  trace_.reset();
  trial_.reset();
}

bool LogParser::is_complaint(std::string_view last_error) {
  return last_error.starts_with(kRejected);
}

void LogParser::complain(std::string& last_error) const {
  const std::string why = complaint();
  if (why.empty() || !(last_error.empty() || is_complaint(last_error))) return;
  last_error = std::string(kRejected) + why;
}

void LogParser::feed(std::string_view line, std::optional<Instant> arrival, Instant modified, Records& out) {
  time_.reference = modified;
  if (tracker_) {
    take(line, arrival, out);
  } else if (trace_) {
    take_trace(line, arrival, out);
  } else {
    recognise(line, arrival, out);
  }
}

void LogParser::take_trace(std::string_view line, std::optional<Instant> arrival, Records& out) {
  const TraceLine read = trace_->read(line, arrival, time_, out);
  if (read == TraceLine::samples) ++traced_;
  if (read == TraceLine::other && traced_ < kSurelyTrace && options_.format == "auto" && options_.formats) {
    if (auto format = options_.formats->recognise(line)) {
      adopt(std::move(format));
      take(line, arrival, out);
      return;
    }
  }
  ++(read == TraceLine::samples || read == TraceLine::structure ? matched_ : unmatched_);
}

void LogParser::replay(Records& out) {
  for (const Pending& held : std::exchange(pending_, {})) {
    if (tracker_) take(held.text, held.arrival, out);
    if (trace_) take_trace(held.text, held.arrival, out);
  }
  pending_bytes_ = 0;
}

void LogParser::take(std::string_view line, std::optional<Instant> arrival, Records& out) {
  const std::int64_t bad_rows = table_ ? table_->bad_rows() : 0;
  const Event event = table_ ? table_->read(line) : format_->match(line, time_);
  if (table_) out.rejected += table_->bad_rows() - bad_rows;
  ++(event.kind == EventKind::none ? unmatched_ : matched_);
  tracker_->feed(line, event, arrival, out);
}

void LogParser::recognise(std::string_view line, std::optional<Instant> arrival, Records& out) {
  auto format = looked_at_ < kRecogniseBytes && options_.formats != nullptr
                    ? options_.formats->recognise(line)
                    : nullptr;
  if (format) {
    adopt(std::move(format));
    replay(out);
    take(line, arrival, out);
    return;
  }
  looked_at_ += static_cast<std::int64_t>(line.size()) + 1;
  pending_.push_back({std::string(line), arrival});
  pending_bytes_ += line.size() + 1;
  while (pending_bytes_ > kPendingBytes) {
    pending_bytes_ -= pending_.front().text.size() + 1;
    pending_.pop_front();
    ++unmatched_;
  }
  if (const auto trace = trial_ ? trial_->consider(line, time_) : std::string_view(); !trace.empty()) {
    adopt_trace(std::string(trace));
    replay(out);
  }
}

void LogParser::settle(Records& out) {
  if (!trial_ || trial_->likely().empty()) return;
  adopt_trace(std::string(trial_->likely()));
  replay(out);
}

void LogParser::flush(Records& out) {
  if (tracker_) tracker_->flush(out);
}

void LogParser::close(Records& out) {
  if (tracker_) tracker_->close(out);
}

std::string LogParser::save() const {
  json::object state;
  state["version"] = kStateVersion;
  state["format"] = format_name_;
  state["last"] = instant_json(time_.last);
  if (time_.year) state["year"] = *time_.year;
  if (tracker_) {
    state["tracker"] = tracker_->save();
    if (table_) state["table"] = {{"header", table_->header()}, {"lines", table_->lines()}};
  } else if (trace_) {
    state["trace"] = trace_->save();
    state["traced"] = traced_;
    if (!options_.columns.empty())
      state["columns"] = json::array(options_.columns.begin(), options_.columns.end());
  } else {
    json::array lines;
    for (const Pending& held : pending_) lines.push_back({held.text, instant_json(held.arrival)});
    state["pending"] = std::move(lines);
    state["looked_at"] = looked_at_;
    state["no_trace"] = !trial_ || trial_->over();
  }
  return json::serialize(state);
}

// The saved state's lines from before the format was known.
void LogParser::restore_pending(const boost::json::object& state) {
  if (const auto* lines = state.if_contains("pending"); lines && lines->is_array()) {
    for (const json::value& line : lines->get_array()) {
      if (!line.is_array() || line.get_array().size() != 2 || !line.at(0).is_string()) continue;
      pending_.push_back({std::string(line.at(0).get_string()), instant_of(line.at(1))});
      pending_bytes_ += pending_.back().text.size() + 1;
    }
  }
  if (const auto* bytes = state.if_contains("looked_at"); bytes && bytes->is_int64()) {
    looked_at_ = bytes->get_int64();
  }
  const auto* none = state.if_contains("no_trace");
  if (!trial_) return;
  if (!none || !none->is_bool() || none->get_bool()) return trial_->give_up();
  for (const Pending& held : pending_) trial_->consider(held.text, time_);
}

void LogParser::restore_table(const boost::json::object& state) {
  const auto* table = table_ ? state.if_contains("table") : nullptr;
  const auto* kept = table ? table->if_object() : nullptr;
  const auto* header = kept ? kept->if_contains("header") : nullptr;
  const auto* lines = kept ? kept->if_contains("lines") : nullptr;
  if (header && header->is_string() && lines && lines->is_int64())
    table_->restore(header->get_string(), lines->get_int64());
}

// The columns it had are good as long as the configuration gives none.
bool LogParser::restore_trace(const boost::json::object& state) {
  const auto* columns = state.if_contains("columns");
  if (options_.columns.empty() && columns && columns->is_array()) {
    for (const json::value& column : columns->get_array()) {
      if (column.is_string()) options_.columns.emplace_back(column.get_string());
    }
  }
  adopt_trace(std::string(state.at("format").as_string()));
  if (!trace_) return false;
  trace_->restore(state.at("trace").as_object(), time_);
  if (const auto* traced = state.if_contains("traced"); traced && traced->is_int64())
    traced_ = traced->get_int64();
  return true;
}

Result<LogParser> LogParser::restore(LogOptions options, std::string_view text) {
  LogParser parser(std::move(options));
  if (text.empty()) return parser;
  json::parse_options lenient;
  lenient.allow_invalid_utf8 = true;  // held lines are bytes as they came
  boost::system::error_code error;
  const json::value parsed = json::parse(text, error, {}, lenient);
  const json::object* state = error ? nullptr : parsed.if_object();
  if (state == nullptr || !state->contains("version") || state->at("version") != kStateVersion) {
    return fail("the saved state of this source can't be read", "it is read again from its beginning");
  }
  if (const auto* last = state->if_contains("last")) parser.time_.last = instant_of(*last);
  if (const auto* year = state->if_contains("year"); year && year->is_int64()) {
    parser.time_.year = static_cast<int>(year->get_int64());
  }
  if (const auto* tracker = state->if_contains("tracker"); tracker && tracker->is_string()) {
    const std::string name(state->at("format").as_string());
    auto format = parser.options_.formats ? parser.options_.formats->find(name) : nullptr;
    if (!format)
      return fail("no rule file describes the format '" + name + "' any more", "restore its rule file");
    parser.adopt(std::move(format));
    auto restored = Tracker::restore(parser.context(), tracker->get_string());
    if (!restored) return tl::unexpected(restored.error());
    parser.tracker_ = std::move(*restored);
    parser.restore_table(*state);
    return parser;
  }
  if (const auto* trace = state->if_contains("trace"); trace && trace->is_object()) {
    if (!parser.restore_trace(*state))
      return fail("no trace can be read as '" + std::string(state->at("format").as_string()) + "'",
                  "give the source the columns that it had");
    return parser;
  }
  parser.restore_pending(*state);
  return parser;
}

}  // namespace etad
