// What one line of a log says, independent of the framework that wrote it.
//
// The matcher makes events from lines by a format's rules; the run tracker makes records from events.
// An event's values are views into the line it came from and live no longer than that line.
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "parsers/base/time.h"

namespace etad {

// The meaning of a line for the tracker. docs/events.md describes each with the fields it takes.
enum class EventKind : std::uint8_t {
  none,         // nothing for us: no rule matched, or a rule that says "known, and of no interest"
  run_start,    // a run begins (or, before any progress, more is learnt of the one just begun)
  run_end,      // the log says the run is over: outcome = finished | stopped
  setting,      // a named value: any settings field, or key = …, value = …
  argument,     // what the program was started with: it holds for all runs that begin behind it
  section,      // what follows describes the solver or a net: section = solver | train_net | test_net | net
  layer,        // a layer is being set up: layer = …
  shape,        // the shape of the current layer's next output: dims = "64 20 24 24"
  progress,     // `iteration` iterations of training are done; may state loss, lapse, rate, …
  test_start,   // a test phase begins
  test_result,  // one of its results: the first ends the test phase
  epoch,        // an epoch begins or (with seconds) ends
  step_time,    // one step, or `iterations` of them, took `seconds`
  throughput,   // samples_per_second over the last `iterations` steps
  segment,      // a complete measurement: phase, batch_size, iterations, seconds (and network, run, …)
  layer_time,   // a layer's time in a timing run: layer, direction = forward | backward, seconds
  total_time,   // a timing run's average or total: direction = forward | backward | both | total, seconds
  stall,        // the run waited for its input
  snapshot,     // the run saved its state; that time is not training
  resume,       // the run goes on from a saved state; may state iteration
  error,        // the run failed: message
  date,         // the log's own date line: fixes the year of timestamps without one
  sample,       // a point of a monitoring trace: series = …, value = …
};

// The values an event may carry. A rule's named groups and `set` keys bear these names; docs/events.md
// gives each its unit. Numbers are decimal; a rule may scale them (unit = { seconds = "ms" }). The durations
// (seconds, lapse, eta, elapsed, duration) may also be written with a unit or as a clock: "26ms", "1:02:03".
enum class Field : std::uint8_t {
  // Where the run stands.
  iteration,
  iterations,
  epoch,
  epochs,
  batch,
  batches,
  position,

  // What the line measured.
  loss,
  rate,
  lapse,
  seconds,
  samples_per_second,
  eta,
  elapsed,
  duration,  // of what, the line does not say
  energy_joules,
  peak_memory_bytes,

  // What kind of thing it speaks of.
  job,
  outcome,
  phase,
  section,
  message,

  // What it says that of, and with which settings.
  key,
  value,
  network,
  framework,
  device,
  device_index,
  devices,
  host,
  run,
  batch_size,
  global_batch_size,
  iter_size,
  max_iter,
  test_iter,
  test_interval,
  test_batch_size,
  sequence_length,
  steps_per_epoch,
  dataset_size,
  display,
  solver_type,
  precision,

  // Layers and nets.
  layer,
  type,
  dims,
  direction,
  net,
  file,

  // A date, a sample, a mean, and what is not in one.
  year,
  month,
  day,
  series,
  unit,
  label,
  since,  // what a stated mean is over: all since the "start" of the run or of the "epoch"
  pause,  // within `seconds`, and no training
  count_  // not a field: how many there are
};

std::string_view name_of(EventKind kind);
std::string_view name_of(Field field);
std::optional<EventKind> event_kind(std::string_view name);
std::optional<Field> field(std::string_view name);

// A captured or set value. `scale` turns the written number into the field's unit (0.001 for "26ms").
struct FieldValue {
  Field field = Field::count_;
  double scale = 1;
  std::string_view text;
  // The value as an integer, once it was asked for: a line's steps and their total are asked for again and again.
  enum class Whole : std::uint8_t { unasked, none, kept };
  mutable Whole whole = Whole::unasked;
  mutable std::int64_t integer = 0;
};

// Made for every line of every log: what a line does not say costs nothing here, to make, to ask for or to copy.
class Event {
 public:
  static constexpr std::size_t kMaxValues = 28;
  static constexpr std::uint16_t kNoRule = 0xffff;
  using Values = boost::container::static_vector<FieldValue, kMaxValues>;

  EventKind kind = EventKind::none;
  bool headed = false;           // the line bears the format's line header (so it is no continuation line)
  bool quiet = false;            // the line is known not to say how its program ended (may_tell_end)
  std::uint16_t rule = kNoRule;  // index of the rule within its format, for counters and messages
  std::optional<Instant> time;   // the line's own timestamp
  std::uint64_t speaker = 0;     // which of a launcher's processes wrote the line; 0: it does not say
  std::string_view message;      // the line without that header

  // In the order in which they were added; a field may stand there more than once, and then the first counts.
  const Values& values() const { return values_; }

  bool has(Field f) const { return (present_ & bit(f)) != 0; }
  const FieldValue* find(Field f) const { return has(f) ? &values_[index_of(f)] : nullptr; }
  std::string_view text(Field f) const {  // empty where absent
    return has(f) ? values_[index_of(f)].text : std::string_view{};
  }
  // Scaled; absent, malformed: nullopt; "nan", "inf": those.
  std::optional<double> number(Field f) const { return kept<double>(f); }
  std::optional<std::int64_t> integer(Field f) const { return kept<std::int64_t>(f); }

  // The same into `value`; false where there is none. An optional that is copied whole as soon as it is made has the
  // processor wait for its parts to reach the cache, which takes longer than to read the digits.
  bool read(Field f, double& value) const { return has(f) && read_number(values_[index_of(f)], value); }
  bool read(Field f, std::int64_t& value) const {
    if (!has(f)) return false;
    const FieldValue& v = values_[index_of(f)];
    if (v.whole == FieldValue::Whole::unasked)
      v.whole = find_integer(v, v.integer) ? FieldValue::Whole::kept : FieldValue::Whole::none;
    if (v.whole == FieldValue::Whole::none) return false;
    value = v.integer;
    return true;
  }

  // False where the event is full.
  bool add(Field f, double scale, std::string_view text) {
    if (values_.size() == kMaxValues) return false;
    FieldValue& added = values_.emplace_back();
    added.field = f;
    added.scale = scale;
    added.text = text;
    present_ |= bit(f);
    return true;
  }
  bool add(const FieldValue& v) { return add(v.field, v.scale, v.text); }
  void remove(Field f);  // the first of that field, if there is one

  // Copies: one that says this of the field in place of what it said, if there is room for it; one that says nothing of
  // those fields.
  [[nodiscard]] Event with(Field f, std::string_view text, double scale = 1) const;
  [[nodiscard]] Event without(std::initializer_list<Field> fields) const;
  void rename(Field from, Field to);
  void clear_values();

 private:
  static_assert(static_cast<std::size_t>(Field::count_) < 64);
  static constexpr std::uint64_t bit(Field f) { return std::uint64_t{1} << static_cast<unsigned>(f); }
  std::size_t index_of(Field f) const {  // that it has
    std::size_t i = 0;
    while (values_[i].field != f) ++i;
    return i;
  }
  template <class T>
  std::optional<T> kept(Field f) const {
    T value{};
    if (!read(f, value)) return std::nullopt;
    return value;
  }
  static bool read_number(const FieldValue& v, double& value);
  static bool find_integer(const FieldValue& v, std::int64_t& value);
  void note_present();

  std::uint64_t present_ = 0;  // a bit for each field in values_
  Values values_;
};

}  // namespace etad
