#include "parsers/log/rivals.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

namespace etad {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostRivals = 4;
constexpr std::size_t kMostPoints = 4096;  // displayed before it won; the last of them stay

json::value time_json(std::optional<Instant> at) {
  return at ? json::value(at->time_since_epoch().count()) : json::value(nullptr);
}

std::optional<Instant> time_in(const json::value& value) {
  return value.is_int64() ? std::optional(Instant(Instant::duration(value.get_int64()))) : std::nullopt;
}

json::array segments_json(const Records& found) {
  json::array out;
  for (const auto& [run, s] : found.segments)
    out.push_back(json::array{run, static_cast<std::int64_t>(s.phase), s.first_iteration, s.iterations,
                              s.samples_per_iteration, s.duration.count(), time_json(s.started_at)});
  return out;
}

json::array points_json(const Records& found) {
  json::array out;
  for (const auto& [run, p] : found.points)
    out.push_back(json::array{run, p.iteration, time_json(p.at),
                              std::isfinite(p.loss) ? json::value(p.loss) : json::value(nullptr)});
  return out;
}

// Whole numbers but for the places named.
bool holds_numbers(const json::value& value, std::size_t size, std::size_t numbers) {
  const json::array* const list = value.if_array();
  return list && list->size() == size &&
         std::all_of(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(numbers),
                     [](const json::value& v) { return v.is_int64(); });
}

void restore_found(const json::object& state, Records& found) {
  if (const json::value* const list = state.if_contains("segments"); list && list->is_array())
    for (const json::value& v : list->get_array()) {
      if (!holds_numbers(v, 7, 6)) continue;
      Segment s;
      s.phase = v.at(1).get_int64() == static_cast<std::int64_t>(Phase::test) ? Phase::test : Phase::train;
      s.first_iteration = v.at(2).get_int64();
      s.iterations = v.at(3).get_int64();
      s.samples_per_iteration = v.at(4).get_int64();
      s.duration = Duration(v.at(5).get_int64());
      s.started_at = time_in(v.at(6));
      found.segments.push_back({v.at(0).get_int64(), s});
    }
  if (const json::value* const list = state.if_contains("points"); list && list->is_array())
    for (const json::value& v : list->get_array()) {
      if (!holds_numbers(v, 4, 2)) continue;
      const double loss = v.at(3).is_double() ? v.at(3).get_double() : std::nan("");
      found.points.push_back({v.at(0).get_int64(), {v.at(1).get_int64(), time_in(v.at(2)), loss}});
    }
}

// Of a log's runs before it won only the last one is the winner's to tell: another one it may have seen ended
// before anybody knew that it counts.
void keep_last_run(const Reading& reading, Records& found) {
  const std::int64_t last = reading.next_ordinal() - 1;
  const auto older = [&](const auto& record) { return record.run < last; };
  std::erase_if(found.segments, older);
  std::erase_if(found.points, older);
  std::erase_if(found.layers, older);
  std::erase_if(found.layer_times, older);
  if (found.points.size() > kMostPoints)
    found.points.erase(found.points.begin(),
                       found.points.end() - static_cast<std::ptrdiff_t>(kMostPoints / 2));
  found.runs.clear();
  found.samples.clear();
}

}  // namespace

void Rival::take_over(std::int64_t first, Records& out) {
  keep_last_run(reading, found);
  reading.number_from(first);
  const auto move = [first](auto& from, auto& to) {
    for (auto& record : from) to.push_back({first, std::move(record.value)});
  };
  move(found.segments, out.segments);
  move(found.points, out.points);
  move(found.layers, out.layers);
  move(found.layer_times, out.layer_times);
  found.clear();
}

bool Rivals::has(std::string_view format) const {
  return std::any_of(rivals_.begin(), rivals_.end(),
                     [&](const Rival& r) { return r.reading.name() == format; });
}

bool Rivals::only_generic() const {
  return std::all_of(rivals_.begin(), rivals_.end(),
                     [](const Rival& r) { return r.reading.format().is_generic(); });
}

Rival* Rivals::add(std::shared_ptr<const Format> format, const ReadingContext& context) {
  if (rivals_.size() >= kMostRivals || format->is_table()) return nullptr;
  return &rivals_.emplace_back(Rival{Reading(std::move(format), context), {}});
}

void Rivals::feed(Rival& rival, std::string_view line, std::optional<Instant> arrival, Instant modified) {
  const std::int64_t runs = rival.reading.next_ordinal();
  rival.reading.take(line, arrival, modified, rival.found);
  if (rival.reading.next_ordinal() != runs || rival.found.points.size() > kMostPoints)
    keep_last_run(rival.reading, rival.found);
}

void Rivals::feed(std::string_view line, std::optional<Instant> arrival, Instant modified) {
  for (Rival& rival : rivals_) feed(rival, line, arrival, modified);
}

std::optional<Rival> Rivals::winner(const Reading* own, std::int64_t segments, bool generic) {
  const auto may_win = [&](const Rival& r) {
    const auto measured = static_cast<std::int64_t>(r.found.segments.size());
    if (r.reading.format().is_generic() != generic) return false;
    if (own && own->format().over(r.reading.name())) return false;
    if (generic) return measured >= segments;
    return measured >= segments || (measured > 0 && !r.reading.running());
  };
  auto best = rivals_.end();
  for (auto at = rivals_.begin(); at != rivals_.end(); ++at) {
    if (!may_win(*at)) continue;
    const bool better = best == rivals_.end() || at->reading.format().over(best->reading.name()) ||
                        (!best->reading.format().over(at->reading.name()) &&
                         at->found.segments.size() > best->found.segments.size());
    if (better) best = at;
  }
  if (best == rivals_.end()) return {};
  Rival out = std::move(*best);
  rivals_.erase(best);
  return out;
}

json::array Rivals::save() const {
  json::array out;
  for (const Rival& rival : rivals_) {
    json::object state = rival.reading.save();
    state["segments"] = segments_json(rival.found);
    state["points"] = points_json(rival.found);
    out.push_back(std::move(state));
  }
  return out;
}

void Rivals::restore(const json::array& state, const FormatSet& formats, const ReadingContext& context) {
  for (const json::value& value : state) {
    const json::object* const saved = value.if_object();
    const json::value* const name = saved ? saved->if_contains("format") : nullptr;
    auto format = name && name->is_string() ? formats.find(std::string_view(name->get_string())) : nullptr;
    if (!format || rivals_.size() >= kMostRivals) continue;
    auto reading = Reading::restore(std::move(format), context, *saved);
    if (!reading) continue;
    Rival& rival = rivals_.emplace_back(Rival{std::move(*reading), {}});
    restore_found(*saved, rival.found);
  }
}

}  // namespace etad
