#include "parsers/log/rivals.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace etad {
namespace {

constexpr std::size_t kMostRivals = 5;
// What was found before it won is saved at each commit. Of what is more every second one goes: of points, and where no
// line has said what a generic format needs, so that it may never win, of measurements, too. Else two of these become one
// where the second goes on as the first did. (All that one look finds is kept as it is.)
constexpr std::size_t kMostPoints = 4096, kMostUnbelieved = 256, kMostSegments = 16384;

constexpr std::int64_t kMeasured = 3;                 // a run of fewer segments is a short one
constexpr std::size_t kMany = 128, kMostRuns = 1024;  // that are over and stay though a later one has begun

// All of a run from its beginning, as its end says of all of it.
bool measures_whole(const Segment& all) {
  return all.first_iteration == 0 && all.iterations > 1;
}

// Of a log's runs before it won the last one is the winner's to tell: another one it may have seen ended
// before anybody knew that it counts. A generic format is believed only at the end of a batch of lines, in
// which several runs may have passed: of those that it measured it tells as well, however little it was.
void keep_runs(const Reading& reading, Records& found) {
  const std::int64_t last = reading.next_ordinal() - 1;
  std::set<std::int64_t> kept;
  if (reading.format().is_generic()) {
    std::set<std::int64_t> measured;
    for (const auto& record : found.segments) measured.insert(record.run);
    for (const Run& run : found.runs)
      if (run.ordinal < last && kept.size() < kMostRuns && measured.contains(run.ordinal))
        kept.insert(run.ordinal);
  }
  const auto older = [&](const auto& record) { return record.run < last && !kept.contains(record.run); };
  std::erase_if(found.segments, older);
  std::erase_if(found.points, older);
  std::erase_if(found.layers, older);
  std::erase_if(found.layer_times, older);
  std::erase_if(found.runs,
                [&](const Run& run) { return run.ordinal < last && !kept.contains(run.ordinal); });
  found.sampled.clear();
}

template <class T>
void thin_out(std::vector<T>& records, std::size_t most) {
  if (records.size() <= most) return;
  std::size_t kept = 0;
  for (std::size_t i = 1; i < records.size(); i += 2) records[kept++] = std::move(records[i]);
  records.erase(records.begin() + static_cast<std::ptrdiff_t>(kept), records.end());
}

bool goes_on(const Records::Of<Segment>& first, const Records::Of<Segment>& then) {
  const Segment &a = first.value, &b = then.value;
  return first.run == then.run && a.phase == b.phase && a.samples_per_iteration == b.samples_per_iteration &&
         a.first_iteration + a.iterations == b.first_iteration;
}

void join(std::vector<Records::Of<Segment>>& segments, std::size_t most) {
  if (segments.size() <= most) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    segments[kept] = segments[i];
    if (i + 1 < segments.size() && goes_on(segments[i], segments[i + 1])) {
      segments[kept].value.iterations += segments[i + 1].value.iterations;
      segments[kept].value.duration += segments[i + 1].value.duration;
      ++i;
    }
    ++kept;
  }
  segments.resize(kept);
  thin_out(segments, most / 4 * 3);  // those of which few go on
}

// Runs that are over and were measured in one piece each, by what their ends say of all of them. Another may go on that has
// not measured anything yet.
bool measured_whole(const Rival& r) {
  const auto& segments = r.found.segments;
  const auto is_in_pieces = [](const auto& a, const auto& b) { return a.run == b.run; };
  const auto is_whole = [](const auto& segment) { return measures_whole(segment.value); };
  if (segments.empty() || !std::all_of(segments.begin(), segments.end(), is_whole)) return false;
  if (std::adjacent_find(segments.begin(), segments.end(), is_in_pieces) != segments.end()) return false;
  const auto is_told = [&](const Run& run) { return run.ordinal == segments.back().run; };
  return !r.reading.running() || std::any_of(r.found.runs.begin(), r.found.runs.end(), is_told);
}

// However few steps a log shows: they count from the first to the total it tells of, each with its time.
bool measured_from_first_to_last(const Rival& r) {
  constexpr std::size_t kCounted = 2;
  const auto& segments = r.found.segments;
  const auto is_open = [&](const auto& segment) { return segment.run == r.reading.next_ordinal() - 1; };
  return r.reading.plan_done() && segments.size() >= kCounted &&
         std::all_of(segments.begin(), segments.end(), is_open) &&
         segments.front().value.first_iteration <= segments.front().value.iterations;
}

struct Explained {
  std::size_t measurements = 0;
  std::int64_t iterations = 0;
  double seconds = 0;
  bool trains = false;
};

Explained explained(const Rival& r) {
  Explained out;
  out.measurements = r.found.segments.size();
  for (const auto& segment : r.found.segments) {
    out.iterations += segment.value.iterations;
    out.seconds += to_seconds(segment.value.duration);
    out.trains = out.trains || segment.value.phase == Phase::train;
  }
  return out;
}

// Which of two readings has explained more of the log: a training and not its tests alone; or by more measurements, and
// where these are of the same time, such as those of epochs and of the steps in them, by the smaller steps.
bool explains_more(const Rival& a, const Rival& b) {
  constexpr double kSame = 0.9;
  const Explained x = explained(a), y = explained(b);
  if (x.trains != y.trains) return x.trains;
  const auto [fewer, more] = std::minmax(x.iterations, y.iterations);
  const bool same_steps = static_cast<double>(fewer) > kSame * static_cast<double>(more);
  const bool same_time = std::min(x.seconds, y.seconds) > kSame * std::max(x.seconds, y.seconds);
  if (x.measurements == y.measurements || (same_time && !same_steps)) return x.iterations > y.iterations;
  return x.measurements > y.measurements;
}

}  // namespace

void Rival::take_over(std::int64_t first, Records& out) {
  keep_runs(reading, found);
  std::map<std::int64_t, std::int64_t> ordinals;  // as they were counted, and as they will be
  for (const Run& run : found.runs) ordinals.try_emplace(run.ordinal, 0);
  ordinals.try_emplace(reading.next_ordinal() - 1, 0);
  for (auto& ordinal : ordinals) ordinal.second = first++;
  // One that was told of is over, and what has begun since has shown nothing yet.
  const bool over = std::any_of(found.runs.begin(), found.runs.end(),
                                [&](const Run& run) { return run.ordinal == ordinals.rbegin()->first; });
  reading.number_from(ordinals.rbegin()->second + (over ? 1 : 0), ordinals);
  for (Run& run : found.runs) {
    run.ordinal = ordinals.at(run.ordinal);
    out.runs.push_back(std::move(run));
  }
  const auto move = [&ordinals](auto& from, auto& to) {
    for (auto& record : from)
      if (const auto at = ordinals.find(record.run); at != ordinals.end())
        to.push_back({at->second, std::move(record.value)});
  };
  move(found.segments, out.segments);
  move(found.points, out.points);
  move(found.layers, out.layers);
  move(found.layer_times, out.layer_times);
  out.rejected += found.rejected;
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

bool Rivals::hold_many() const {
  return std::any_of(rivals_.begin(), rivals_.end(), [](const Rival& r) {
    return r.found.runs.size() >= kMany && r.reading.format().is_generic();
  });
}

void Rivals::clear_generic() {
  std::erase_if(rivals_, [](const Rival& r) { return r.reading.format().is_generic(); });
}

Rival* Rivals::add(std::shared_ptr<const Format> format, const ReadingContext& context) {
  if (rivals_.size() >= kMostRivals || format->is_table()) return nullptr;
  return &rivals_.emplace_back(Rival{Reading(std::move(format), context), {}, 0});
}

void Rivals::feed(Rival& rival, std::string_view line, const std::optional<Instant>& arrival,
                  Instant modified, bool by_arrival) {
  const std::int64_t runs = rival.reading.next_ordinal();
  const bool told = by_arrival || !rival.reading.format().is_generic();
  const bool known = rival.reading.take(line, told ? arrival : std::nullopt, modified, rival.found);
  rival.matched += known ? 1 : 0;
  if (rival.reading.next_ordinal() != runs) keep_runs(rival.reading, rival.found);
  const bool may_win = rival.reading.needs_are_met();
  thin_out(rival.found.points, may_win ? kMostPoints : kMostUnbelieved);
  if (may_win) {
    join(rival.found.segments, kMostSegments);
  } else {
    thin_out(rival.found.segments, kMostUnbelieved);
  }
}

void Rivals::feed(std::string_view line, const std::optional<Instant>& arrival, Instant modified,
                  bool by_arrival) {
  for (Rival& rival : rivals_) feed(rival, line, arrival, modified, by_arrival);
}

std::optional<Rival> Rivals::framework_winner(const Reading* own, std::int64_t segments) {
  return take_best([&](const Rival& r) {
    if (r.reading.format().is_generic() || (own && own->format().over(r.reading.name()))) return false;
    const std::int64_t measured = r.segments();
    // A short run that is over, of which the one that counts has told as much already.
    const bool short_run = own && own->measured() < kMeasured;
    if (short_run && measured <= own->measured() && !measured_whole(r)) return false;
    const bool at_once = own && own->measured() == 0 && r.reading.format().over(own->name());
    return measured >= segments || (measured > 0 && (at_once || !r.reading.running()));
  });
}

std::optional<Rival> Rivals::generic_winner(std::int64_t segments) {
  return take_best([&](const Rival& r) {
    return r.reading.format().is_generic() &&
           (r.segments() >= segments || measured_whole(r) || measured_from_first_to_last(r));
  });
}

template <class MayWin>
std::optional<Rival> Rivals::take_best(const MayWin& may_win) {
  auto best = rivals_.end();
  for (auto at = rivals_.begin(); at != rivals_.end(); ++at) {
    if (!at->reading.needs_are_met() || !may_win(*at)) continue;
    const bool better = best == rivals_.end() || at->reading.format().over(best->reading.name()) ||
                        (!best->reading.format().over(at->reading.name()) && explains_more(*at, *best));
    if (better) best = at;
  }
  if (best == rivals_.end()) return {};
  Rival out = std::move(*best);
  rivals_.erase(best);
  return out;
}

std::vector<RivalState> Rivals::save() const {
  std::vector<RivalState> out;
  for (const Rival& rival : rivals_)
    out.push_back({rival.reading.save(), rival.found.runs, rival.found.segments, rival.found.points,
                   rival.found.layers, rival.found.layer_times, rival.found.rejected, rival.matched});
  return out;
}

void Rivals::restore(const std::vector<RivalState>& state, const FormatSet& formats,
                     const ReadingContext& context) {
  for (const RivalState& saved : state) {
    auto format = formats.find(saved.reading.format);
    if (!format || rivals_.size() >= kMostRivals) continue;
    auto reading = Reading::restore(std::move(format), context, saved.reading);
    if (!reading) continue;
    Rival& rival = rivals_.emplace_back(Rival{std::move(*reading), {}, 0});
    rival.found.runs = saved.runs;
    rival.found.segments = saved.segments;
    rival.found.points = saved.points;
    rival.found.layers = saved.layers;
    rival.found.layer_times = saved.layer_times;
    rival.found.rejected = saved.rejected;
    rival.matched = saved.matched;
  }
}

}  // namespace etad
