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
  if (options_.format == "auto" || options_.formats == nullptr) return;
  if (auto format = options_.formats->find(options_.format)) adopt(std::move(format));
}

SourceContext LogParser::context() const {
  return {format_->framework(), options_.host, std::string(format_->section_body()), options_.labels};
}

void LogParser::adopt(std::shared_ptr<const Format> format) {
  format_ = std::move(format);
  format_name_ = format_->name();
  tracker_.emplace(context());
}

void LogParser::feed(std::string_view line, std::optional<Instant> arrival, Instant modified, Records& out) {
  time_.reference = modified;
  if (tracker_) {
    take(line, arrival, out);
  } else {
    recognise(line, arrival, out);
  }
}

void LogParser::take(std::string_view line, std::optional<Instant> arrival, Records& out) {
  const Event event = format_->match(line, time_);
  ++(event.kind == EventKind::none ? unmatched_ : matched_);
  tracker_->feed(line, event, arrival, out);
}

void LogParser::recognise(std::string_view line, std::optional<Instant> arrival, Records& out) {
  auto format = looked_at_ < kRecogniseBytes && options_.formats != nullptr
                    ? options_.formats->recognise(line)
                    : nullptr;
  if (!format) {
    looked_at_ += static_cast<std::int64_t>(line.size()) + 1;
    pending_.push_back({std::string(line), arrival});
    pending_bytes_ += line.size() + 1;
    while (pending_bytes_ > kPendingBytes) {
      pending_bytes_ -= pending_.front().text.size() + 1;
      pending_.pop_front();
      ++unmatched_;
    }
    return;
  }
  adopt(std::move(format));
  for (const Pending& held : std::exchange(pending_, {})) take(held.text, held.arrival, out);
  pending_bytes_ = 0;
  take(line, arrival, out);
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
  } else {
    json::array lines;
    for (const Pending& held : pending_) lines.push_back({held.text, instant_json(held.arrival)});
    state["pending"] = std::move(lines);
    state["looked_at"] = looked_at_;
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
    return parser;
  }
  parser.restore_pending(*state);
  return parser;
}

}  // namespace etad
