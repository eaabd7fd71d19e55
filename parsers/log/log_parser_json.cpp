// Saving and restoring. What is being looked for is part of the state: a daemon that was killed amid it finds
// the same format at the same line.
#include <boost/json.hpp>

#include "parsers/log/log_parser.h"

namespace etad {
namespace {

namespace json = boost::json;

constexpr int kStateVersion = 1;

json::value instant_json(std::optional<Instant> at) {
  return at ? json::value(at->time_since_epoch().count()) : json::value(nullptr);
}

std::optional<Instant> instant_of(const json::value& value) {
  if (!value.is_int64()) return std::nullopt;
  return Instant(std::chrono::microseconds(value.get_int64()));
}

void restore_number(const json::object& state, std::string_view key, std::int64_t& number) {
  if (const auto* found = state.if_contains(key); found && found->is_int64()) number = found->get_int64();
}

}  // namespace

std::string LogParser::save() const {
  json::object state;
  if (own_) {
    state = own_->save();
  } else {
    state["format"] = format_name_;
    state["last"] = instant_json(time_.last);
    if (time_.year) state["year"] = *time_.year;
  }
  state["version"] = kStateVersion;
  if (trace_) {
    state["trace"] = trace_->save();
    state["traced"] = traced_;
    if (!options_.columns.empty())
      state["columns"] = json::array(options_.columns.begin(), options_.columns.end());
  } else {
    save_looking(state);
  }
  return json::serialize(state);
}

void LogParser::save_looking(json::object& state) const {
  state["looked_at"] = looked_at_;
  state["silent"] = silent_;
  if (!own_) state["no_trace"] = !trial_ || trial_->over();
  if (!rivals_.empty()) state["rivals"] = rivals_.save();
  if (held_.empty()) return;
  json::array lines;
  for (const Held& held : held_) lines.push_back({held.text, instant_json(held.arrival)});
  state["pending"] = std::move(lines);
}

void LogParser::restore_looking(const json::object& state) {
  restore_number(state, "looked_at", looked_at_);
  restore_number(state, "silent", silent_);
  if (const auto* lines = state.if_contains("pending"); lines && lines->is_array()) {
    for (const json::value& line : lines->get_array()) {
      if (!line.is_array() || line.get_array().size() != 2 || !line.at(0).is_string()) continue;
      held_.push_back({std::string(line.at(0).get_string()), instant_of(line.at(1))});
      held_bytes_ += held_.back().text.size() + 1;
    }
  }
  if (const auto* rivals = state.if_contains("rivals"); rivals && rivals->is_array() && options_.formats)
    rivals_.restore(rivals->get_array(), *options_.formats, context());
  const auto* none = state.if_contains("no_trace");
  if (!trial_ || own_) return;
  if (!none || !none->is_bool() || none->get_bool()) return trial_->give_up();
  for (const Held& held : held_) trial_->consider(held.text, time_);
}

// The columns it had are good as long as the configuration gives none.
bool LogParser::restore_trace(const json::object& state) {
  const auto* columns = state.if_contains("columns");
  if (options_.columns.empty() && columns && columns->is_array()) {
    for (const json::value& column : columns->get_array()) {
      if (column.is_string()) options_.columns.emplace_back(column.get_string());
    }
  }
  adopt_trace(std::string(state.at("format").as_string()));
  if (!trace_) return false;
  trace_->restore(state.at("trace").as_object(), time_);
  restore_number(state, "traced", traced_);
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
  if (const auto* tracker = state->if_contains("tracker"); tracker && tracker->is_string()) {
    const std::string name(state->at("format").as_string());
    auto format = parser.options_.formats ? parser.options_.formats->find(name) : nullptr;
    if (!format)
      return fail("no rule file describes the format '" + name + "' any more", "restore its rule file");
    auto reading = Reading::restore(std::move(format), parser.context(), *state);
    if (!reading) return tl::unexpected(reading.error());
    parser.own_ = std::move(*reading);
    parser.format_name_ = name;
    parser.trial_.reset();
    parser.restore_looking(*state);
    return parser;
  }
  if (const auto* last = state->if_contains("last")) parser.time_.last = instant_of(*last);
  if (const auto* year = state->if_contains("year"); year && year->is_int64()) {
    parser.time_.year = static_cast<int>(year->get_int64());
  }
  if (const auto* trace = state->if_contains("trace"); trace && trace->is_object()) {
    if (!parser.restore_trace(*state))
      return fail("no trace can be read as '" + std::string(state->at("format").as_string()) + "'",
                  "give the source the columns that it had");
    return parser;
  }
  parser.restore_looking(*state);
  return parser;
}

}  // namespace etad
