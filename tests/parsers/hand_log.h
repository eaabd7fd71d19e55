// A log made by hand: events given to a tracker one after the other, for the tests of the tracker alone.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parsers/training/tracker.h"

namespace etad::test {

using Values = std::initializer_list<std::pair<Field, std::string_view>>;

// An event that a line with a header gave, at `seconds` since an arbitrary beginning; nullopt: the line shows
// no time.
inline Instant hand_instant(double seconds) {
  return Instant(std::chrono::microseconds(1'600'000'000'000'000 + static_cast<std::int64_t>(seconds * 1e6)));
}
inline Event hand_event(std::optional<double> seconds, EventKind kind,
                        const std::vector<std::pair<Field, std::string_view>>& values) {
  Event event;
  event.kind = kind;
  event.headed = true;
  if (seconds) event.time = hand_instant(*seconds);
  for (const auto& [f, text] : values) event.add(f, 1, text);
  return event;
}

class HandLog {
 public:
  explicit HandLog(std::map<std::string, std::string> labels = {})
      : tracker_({"hand", "testhost", "prototext", std::move(labels)}) {}

  // `seconds` since an arbitrary beginning; nullopt: the line shows no time.
  HandLog& line(std::optional<double> seconds, EventKind kind, Values values = {}, std::uint16_t rule = 0) {
    return line(seconds, kind, std::vector(values), rule);
  }
  HandLog& line(std::optional<double> seconds, EventKind kind,
                const std::vector<std::pair<Field, std::string_view>>& values, std::uint16_t rule = 0) {
    Event event = hand_event(seconds, kind, values);
    event.rule = rule;
    tracker_.feed("", event, arrival_, records_);
    return *this;
  }

  // A line of the description that a section line began.
  HandLog& body(std::string_view text) {
    tracker_.feed(text, Event{}, {}, records_);
    return *this;
  }

  HandLog& iteration(std::optional<double> seconds, std::string_view n, Values more = {}) {
    std::vector<std::pair<Field, std::string_view>> values = {{Field::iteration, n}};
    values.insert(values.end(), more.begin(), more.end());
    return line(seconds, EventKind::progress, values);
  }

  HandLog& arrives(double seconds) {
    arrival_ = hand_instant(seconds);
    return *this;
  }

  // The log ends here.
  const Records& end() {
    tracker_.close(records_);
    tracker_.flush(records_);
    return records_;
  }

  static Instant instant(double seconds) { return hand_instant(seconds); }

  Tracker& tracker() { return tracker_; }
  Records& records() { return records_; }

 private:
  Tracker tracker_;
  Records records_;
  std::optional<Instant> arrival_;
};

inline std::vector<Segment> segments_of(const Records& records, Phase phase) {
  std::vector<Segment> out;
  for (const auto& [run, segment] : records.segments)
    if (segment.phase == phase) out.push_back(segment);
  return out;
}

inline double total_seconds(const std::vector<Segment>& segments) {
  Duration sum{};
  for (const Segment& s : segments) sum += s.duration;
  return to_seconds(sum);
}

}  // namespace etad::test
