#include <boost/json.hpp>

#include "parsers/log/log_state.h"

namespace etad {

namespace json = boost::json;

std::optional<LogState> trace_state_of_version_1(std::string_view text) {
  boost::system::error_code error;
  const json::value parsed = json::parse(text, error);
  const json::object* const old = error ? nullptr : parsed.if_object();
  if (!old || !old->contains("version") || old->at("version") != 1) return std::nullopt;
  const auto* const trace = old->if_contains("trace");
  if (!trace || !trace->is_object() || !old->contains("format")) return std::nullopt;
  try {
    LogState out;
    out.format = json::value_to<std::string>(old->at("format"));
    if (const auto* traced = old->if_contains("traced")) out.traced = traced->to_number<std::int64_t>();
    if (const auto* columns = old->if_contains("columns"))
      out.columns = json::value_to<std::vector<std::string>>(*columns);
    const json::object& from = trace->get_object();
    TraceState& to = out.trace.emplace();
    if (const auto* header = from.if_contains("header"))
      to.header = json::value_to<std::vector<std::string>>(*header);
    if (const auto* labels = from.if_contains("labels"))
      to.label_sets = json::value_to<std::set<std::uint64_t>>(*labels);
    if (const auto* at = from.if_contains("at"))
      to.last = Instant(Instant::duration(at->to_number<std::int64_t>()));
    if (const auto* scan = from.if_contains("scan")) to.scan = scan->to_number<std::int64_t>();
    if (const auto* first = from.if_contains("first")) to.first_row = first->to_number<std::uint64_t>();
    if (const auto* complaint = from.if_contains("complaint"))
      to.complaint = json::value_to<std::string>(*complaint);
    return out;
  } catch (const std::exception&) {  // a member of another kind
    return std::nullopt;
  }
}

}  // namespace etad
