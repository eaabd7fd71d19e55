// The run tracker: events in, records out. One for each source; its whole state can be saved and restored, so
// that a restarted daemon goes on in the middle of a run as if nothing had happened.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/base/device_count.h"
#include "parsers/base/error.h"
#include "parsers/base/event.h"
#include "parsers/base/record.h"

namespace etad {

// What is known of a source beside its lines.
struct SourceContext {
  std::string framework;                      // the format's
  std::string host;                           // where the log was written, unless the log says
  std::string section_body;                   // Format::section_body()
  std::map<std::string, std::string> labels;  // values the log may lack, by Field name; the log wins
};

// What a line says of a training beside its events.
struct Surroundings {
  std::string_view precision;        // what is computed in (precision_in); empty: it does not say
  std::int64_t devices = 0;          // on how many (devices_in); 0: it does not say
  std::int64_t processes = 0;        // how many such as the one that writes (jax_processes_in); 0: likewise
  std::int64_t local_devices = 0;    // and how many that one has (local_devices_in); 0: likewise
  std::optional<std::int64_t> rank;  // of the process that wrote it (rank_in)
  std::optional<OfEachProcess> of_each;  // whether each of its processes writes such a line (of_each_process)
  Event options;  // what its program was started with (add_arguments); no values: nothing

  bool say_options_at_most() const {
    return precision.empty() && devices == 0 && processes == 0 && local_devices == 0 && !rank && !of_each;
  }
  bool say_nothing() const { return say_options_at_most() && options.values().empty(); }
};

class Tracker {
 public:
  explicit Tracker(SourceContext context);
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  // Takes one line and the event it gave; appends what it completes to `out`.
  // `arrival` is when the line was seen, given only when followed live; it dates lines without a time.
  void feed(std::string_view line, const Event& event, const std::optional<Instant>& arrival, Records& out);

  // Whether a row, about to be fed, stands before where its run is, so that it begins another one, and no line has said so.
  bool begins_anew(const Event& event) const;

  // Whether a line that says nothing but when it was written shows no more than that the run goes on, and such a one.
  bool may_pass_over() const;
  void pass_over(const std::optional<Instant>& time, const std::optional<Instant>& arrival, Records& out);

  // Whether a line of this kind, about to be fed, may say of a training's surroundings, and what it says.
  bool hears_surroundings(EventKind kind) const;
  void surroundings(const Surroundings& said);

  // Nothing more will come (for now): an open run becomes lost, its held-back records are given out.
  // A run that goes on after all (idle, then alive again) is taken up again by the next feed.
  void close(Records& out);

  // Appends the latest state of every run that changed since the last call. Once per batch of lines.
  void flush(Records& out);

  // Dates the beginning of the open run by a stamp: its first lines bear none, and were seen long after they were
  // written.
  void date_beginning(Instant at);

  bool running() const;            // there is an open run
  bool plan_done() const;          // … and it has shown all that it planned
  bool is_in_first_epoch() const;  // … of which the log has announced the first epoch and told no end
  std::optional<Instant> last_time() const;  // of the last line with a time

  // Runs are numbered from `first` on, the current one included. For a tracker that nobody has heard of yet, but for the
  // runs of `told`, which gives the number that each has got.
  void number_from(std::int64_t first, const std::map<std::int64_t, std::int64_t>& told);
  std::int64_t next_ordinal() const;  // that of the next run to be told of

  // Everything above, as text, versioned. A state of an unknown version is refused.
  std::string save() const;
  static Result<Tracker> restore(SourceContext context, std::string_view state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace etad
