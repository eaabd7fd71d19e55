#include "parsers/traces/trace_sink.h"

#include <date/date.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "parsers/base/cells.h"
#include "parsers/base/hash.h"
#include "parsers/base/number.h"
#include "parsers/base/text.h"
#include "parsers/base/written_date.h"
#include "parsers/traces/trace_series.h"

namespace etad {
namespace {

using std::chrono::hours;

constexpr std::size_t kLongestComplaint = 200;

std::string quoted(std::string_view text) {
  return "'" + kept_text(text, 40) + "'";
}

std::optional<int> digits(std::string_view text) {
  return parse_number<int>(text, 0, std::numeric_limits<int>::max());
}

std::optional<int> month_of(std::string_view name) {
  const int month = name.size() == 3 ? month_named(name) : 0;
  return month > 0 ? std::optional(month) : std::nullopt;
}

std::string iso_day(int year, int month, int day) {
  char text[48];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
  return text;
}

// "07:12:31 PM" as "19:12:31"; anything else as it is.
std::string clock_of_24(std::string_view clock) {
  const bool pm = clock.ends_with(" PM") || clock.ends_with(" pm");
  const bool am = clock.ends_with(" AM") || clock.ends_with(" am");
  if (!(am || pm) || clock.size() < 5) return std::string(clock);
  const auto hour = digits(clock.substr(0, 2));
  if (!hour || *hour < 1 || *hour > 12) return std::string(clock);
  const int whole = *hour % 12 + (pm ? 12 : 0);
  const std::string two = whole < 10 ? "0" + std::to_string(whole) : std::to_string(whole);
  return two + std::string(clock.substr(2, clock.size() - 5));
}

std::int64_t local_day(Instant at, const ZoneOffset& zone) {
  const auto utc = std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
  const std::int64_t local = utc + zone(utc + zone(utc));
  return local >= 0 ? local / 86400 : (local - 86399) / 86400;
}

std::string day_text(std::int64_t day) {
  const date::year_month_day ymd{date::sys_days{date::days{day}}};
  return iso_day(static_cast<int>(ymd.year()), static_cast<int>(static_cast<unsigned>(ymd.month())),
                 static_cast<int>(static_cast<unsigned>(ymd.day())));
}

struct DayOfYear {
  int month, day;
};
// "23-04" and "Apr-23".
std::optional<DayOfYear> day_of_year(std::string_view date) {
  std::optional<int> day, month;
  if (date.size() == 5 && date[2] == '-') {
    day = digits(date.substr(0, 2));
    month = digits(date.substr(3));
  } else if (date.size() == 6 && date[3] == '-') {
    month = month_of(date.substr(0, 3));
    day = digits(date.substr(4));
  }
  if (!day || !month) return std::nullopt;
  return DayOfYear{*month, *day};
}

// Also "Sat Nov 23 12:23:29 2024", as C's asctime writes it.
std::optional<Instant> read_stamp(std::string_view stamp, TimeContext& time) {
  if (auto at = read_time(stamp, time)) return at;
  std::vector<std::string_view> words;
  split_words(stamp, 6, words);
  if (words.size() != 5) return std::nullopt;
  return read_worded_time(words[2], words[1], words[4], words[3], time);
}

Instant::duration apart(Instant a, Instant b) {
  return a < b ? b - a : a - b;
}

}  // namespace

std::optional<Instant> read_worded_time(std::string_view day, std::string_view month, std::string_view year,
                                        std::string_view clock, TimeContext& time) {
  const auto d = digits(day);
  const auto m = month_of(month);
  const auto y = digits(year);
  if (!d || !m || !y) return std::nullopt;
  return read_time(iso_day(*y, *m, *d) + " " + std::string(clock), time);
}

SampleSink::SampleSink(const TraceOptions& options) : options_(options) {
  if (const auto host = options_.labels.find("host"); host != options_.labels.end()) {
    if (host->second == options_.own_host) options_.labels.erase(host);
  }
}

// A time of day: the day is that of the arrival, or goes on from the last row or from where the trace is said
// to start.
std::optional<Instant> SampleSink::clock_time(std::string_view clock, std::optional<Instant> arrival,
                                              TimeContext& time) const {
  const auto base = arrival ? arrival : state_.last ? state_.last : options_.start;
  if (!base) return std::nullopt;
  const auto back = state_.last ? hours(1) : hours(0);  // as far as the change to winter time sets clocks
  const std::string of_day = " " + clock_of_24(clock);
  const std::int64_t day = local_day(*base, time.zone);
  std::optional<Instant> best;
  for (std::int64_t d = day - 1; d <= day + 1; ++d) {
    const auto at = read_time(day_text(d) + of_day, time);
    if (!at) return std::nullopt;
    if (arrival) {
      if (!best || apart(*at, *base) < apart(*best, *base)) best = at;
    } else if (!best && *at >= *base - back) {
      best = at;
    }
  }
  return best;
}

// "20210102" as "2021-01-02". A date without a year goes on from the last row or from the trace's beginning;
// where neither is known it is the latest that is not yet to come.
std::string SampleSink::whole_date(const RowTime& row, const TimeContext& time) const {
  if (row.date.size() == 8 && digits(row.date))
    return std::string(row.date.substr(0, 4)) + "-" + std::string(row.date.substr(4, 2)) + "-" +
           std::string(row.date.substr(6));
  const auto day = day_of_year(row.date);
  if (!day) return std::string(row.date);
  const auto of_year = [&](int year) { return iso_day(year, day->month, day->day); };
  const auto year_of = [](const std::string& date) { return *digits(std::string_view(date).substr(0, 4)); };
  if (const auto base = std::max(state_.last, row.since)) {
    const std::string earliest = day_text(local_day(*base - hours(24), time.zone));
    const int year = year_of(earliest);
    return of_year(of_year(year) < earliest ? year + 1 : year);
  }
  const std::string latest = day_text(local_day(time.reference + hours(24), time.zone));
  const int year = year_of(latest);
  return of_year(of_year(year) > latest ? year - 1 : year);
}

// Of a trace without times: a scan begins when what began the last one comes again.
std::optional<Instant> SampleSink::scan_time(std::uint64_t row) {
  if (state_.scan < 0) state_.first_row = row;
  if (state_.scan < 0 || row == state_.first_row) ++state_.scan;
  return *options_.start + *options_.interval * state_.scan;
}

std::optional<Instant> SampleSink::whole_time(const RowTime& row, TimeContext& time) {
  if (!row.stamp.empty()) {
    auto at = read_stamp(row.stamp, time);
    if (!at) state_.complaint = quoted(row.stamp) + " is no time";
    return at;
  }
  const auto at = read_time(whole_date(row, time) + " " + clock_of_24(row.clock), time);
  if (!at) state_.complaint = quoted(row.date) + " " + quoted(row.clock) + " is no time";
  return at;
}

std::optional<Instant> SampleSink::time_of(const RowTime& row, std::optional<Instant> arrival,
                                           TimeContext& time) {
  if (row.at) return row.at;
  if (!row.stamp.empty() || (!row.date.empty() && !row.clock.empty())) {
    if (row.stamp == stamp_ && row.date == date_ && row.clock == clock_) return scan_at_;  // of the same scan
    scan_at_ = whole_time(row, time);
    stamp_ = row.stamp;
    date_ = row.date;
    clock_ = row.clock;
    return scan_at_;
  }
  if (!row.clock.empty()) {
    auto at = clock_time(row.clock, arrival, time);
    if (!at) state_.complaint = "its lines show the time of day only: say its first day with the label start";
    return at;
  }
  if (!arrival) state_.complaint = "its lines show no time: say it with the labels start and interval";
  return arrival;
}

bool SampleSink::admit(std::uint64_t labels) {
  if (state_.label_sets.contains(labels)) return true;
  if (state_.label_sets.size() >= kMostLabelSets) {
    state_.complaint = "more than " + std::to_string(kMostLabelSets) + " different sets of labels";
    return false;
  }
  state_.label_sets.insert(labels);
  return true;
}

bool SampleSink::is_same(const LabelSet::Given& given, std::string_view value) {
  return value.size() <= kLongestLabelValue ? given.value == value : given.hash == fnv1a(value);
}

// Which of the known sets the labels are; behind the last of these: a new one, which then is `new_set_`.
std::size_t SampleSink::find_set(const TraceLabels& labels) {
  const std::size_t length = labels.length();
  const auto same = [&](const LabelSet& set) {  // of the same length together: the line gives no others
    return set.length == length && std::all_of(set.given.begin(), set.given.end(), [&](const auto& each) {
             return is_same(each, labels[each.label]);
           });
  };
  if (set_ < sets_.size() && same(sets_[sets_[set_].next])) return sets_[set_].next;
  new_set_.given.clear();
  new_set_.length = length;
  for (std::size_t i = 0; i < static_cast<std::size_t>(TraceLabel::count_); ++i) {
    const auto label = static_cast<TraceLabel>(i);
    const std::string_view value = labels[label];
    if (value.size() > kLongestLabelValue)
      new_set_.given.push_back({label, kept_text(value, kLongestLabelValue), fnv1a(value)});
    else if (!value.empty())
      new_set_.given.push_back({label, std::string(value)});
  }
  labels.write(options_.labels, new_set_.text);
  new_set_.hash = fnv1a(new_set_.text);
  const auto known = std::find_if(sets_.begin(), sets_.end(),
                                  [&](const LabelSet& set) { return set.hash == new_set_.hash; });
  if (known != sets_.end()) {
    known->given = new_set_.given;
    known->length = length;
  }
  return static_cast<std::size_t>(known - sets_.begin());
}

std::size_t SampleSink::kept_bytes() const {
  std::size_t out = column_bytes_;
  for (const LabelSet& set : sets_) {
    out += sizeof set + set.text.size();
    for (const LabelSet::Given& each : set.given) out += sizeof each + each.value.size();
  }
  return out;
}

bool SampleSink::begin(const RowTime& row, const TraceLabels& labels, std::optional<Instant> arrival,
                       TimeContext& time, Records& out, std::string_view key) {
  if (!labels[TraceLabel::host].empty() && labels[TraceLabel::host] == options_.own_host) {
    TraceLabels others = labels;
    others[TraceLabel::host] = {};
    return begin(row, others, arrival, time, out, key);
  }
  const std::size_t set = find_set(labels);
  const std::uint64_t hash = set < sets_.size() ? sets_[set].hash : new_set_.hash;
  const bool timed = row.at || !row.stamp.empty() || !row.clock.empty();
  const bool counted = !timed && options_.start && options_.interval;
  const auto at = counted ? scan_time(fnv1a(key, hash)) : time_of(row, arrival, time);
  if (!at || (set == sets_.size() && !admit(hash))) {
    ++out.rejected;
    return false;
  }
  if (set == sets_.size()) sets_.push_back(new_set_);
  if (set_ < sets_.size()) sets_[set_].next = set;
  set_ = set;
  at_ = *at;
  state_.last = at;
  return true;
}

std::shared_ptr<const Series> SampleSink::make_series(const TraceColumn& column) const {
  const LabelSet& set = sets_[set_];
  if (column.labels.empty())
    return std::make_shared<const Series>(Series{column.series, set.text, column.unit});
  TraceLabels labels;
  for (const LabelSet::Given& each : set.given) labels[each.label] = each.value;
  for (const auto& [label, value] : column.labels) labels[label] = value;
  std::string text;
  labels.write(options_.labels, text);
  return std::make_shared<const Series>(Series{column.series, std::move(text), column.unit});
}

TraceColumn::KnownSeries& SampleSink::series_of(TraceColumn& column) {
  if (set_ < column.known_series.size() && column.known_series[set_].series) return column.known_series[set_];
  if (known_series_ >= kMostKnownSeries) return lone_series_ = {make_series(column), good_below(column)};
  ++known_series_;
  if (const std::size_t before = column.known_series.capacity(); set_ >= column.known_series.size()) {
    column.known_series.resize(set_ + 1);
    column_bytes_ += (column.known_series.capacity() - before) * sizeof(TraceColumn::KnownSeries);
  }
  auto& known = column.known_series[set_] = {make_series(column), good_below(column)};
  column_bytes_ += sizeof(Series) + known.series->labels.size() + known.series->name.size();
  return known;
}

void SampleSink::add_judged(TraceColumn& column, std::string_view cell, double number, Records& out) {
  const CellValue value = std::isnan(number) ? read_cell(column, cell) : judge(column, number);
  if (value.state == CellValue::State::good) add_value(column, series_of(column), value.value, out);
  if (value.state == CellValue::State::bad)
    reject(quoted(trim(cell)) + " is no value of " + column.series, out);
}

void SampleSink::add_throttled(TraceColumn::KnownSeries& known, double reasons, Records& out) {
  if (!known.throttled)
    known.throttled =
        std::make_shared<const Series>(Series{std::string(series::kThrottled), known.series->labels, ""});
  out.add_sample(known.throttled, known.throttled_place, at_, throttled(reasons) ? 1.0 : 0.0);
}

void SampleSink::reject(std::string why, Records& out) {
  ++out.rejected;
  state_.complaint = kept_text(why, kLongestComplaint);
}

void SampleSink::restore(const TraceState& state) {
  state_ = state;
  state_.header.clear();
}

}  // namespace etad
