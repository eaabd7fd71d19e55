#include "parsers/log/log_parser.h"

#include <algorithm>
#include <utility>

namespace etad {
namespace {

// Where so many bytes show no format, there is none to be found: the lines are counted and passed over,
// instead of being held against every format for ever.
constexpr std::int64_t kLookBytes = 4 * 1024 * 1024;
// Of lines that its own format knows, or that differ from those before them in nothing but digits, such as the states of a
// download's bar: they are quickly looked at, and a training may come behind a great many.
constexpr std::int64_t kAlikeInOne = 8;
// How many segments a format has to measure. (One that has ended a run, or shown one from beginning to end, needs no more
// proof either.)
//
//   To be                            a framework's        a generic one
//   believed, while none reads       kSure                kSure, where a batch ends or a framework's line comes
//   taken for the reading one's      kSure; kMuch, while  kGenericAgainst, where that one has measured nothing;
//                                    that one's run goes  kGenericAtEnd at the log's end, behind which it will
//                                    on                   measure nothing either
//   sure, and look for no others     kSure                kGenericSure
constexpr std::int64_t kSure = 3, kMuch = 16, kGenericAgainst = 12, kGenericAtEnd = 8, kGenericSure = 64;
// A sure one that knows none of so many lines, and measured nothing amid them, may have given way to another program.
constexpr std::int64_t kSilentLines = 64;
constexpr std::string_view kRejected = "rejected: ";
// What was taken for a trace and then speaks as a training log is one, unless it was a trace for so long.
constexpr std::int64_t kSurelyTrace = 200;

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
  own_.reset();
  rivals_.clear();
}

ReadingContext LogParser::context() const {
  return {options_.host, options_.labels, options_.zone, options_.beside, options_.shapes};
}

void LogParser::adopt(std::shared_ptr<const Format> format) {
  own_.emplace(std::move(format), context());
  format_name_ = own_->name();
  trace_.reset();
  trial_.reset();
}

std::string LogParser::complaint() const {
  if (own_) return own_->complaint();
  return trace_ ? trace_->complaint() : std::string();
}

bool LogParser::is_complaint(std::string_view last_error) {
  return last_error.starts_with(kRejected);
}

void LogParser::complain(std::string& last_error) const {
  const std::string why = complaint();
  if (why.empty() || !(last_error.empty() || is_complaint(last_error))) return;
  last_error = std::string(kRejected) + why;
}

void LogParser::feed(std::string_view text, const std::optional<Instant>& arrival, Instant modified,
                     Records& out) {
  const Line line{text, arrival, modified};
  time_.reference = modified;
  if (trace_) {
    take_trace(line, out);
  } else {
    take_training(line, out);
  }
}

void LogParser::take_trace(const Line& line, Records& out) {
  const TraceLine read = trace_->read(line.text, line.arrival, time_, out);
  if (read == TraceLine::samples) ++traced_;
  if (read == TraceLine::other && traced_ < kSurelyTrace && options_.format == "auto" && options_.formats) {
    if (auto format = options_.formats->recognise(line.text)) {
      adopt(std::move(format));
      read_own(line, out);
      return;
    }
  }
  ++(read == TraceLine::samples || read == TraceLine::structure ? matched_ : unmatched_);
}

bool LogParser::read_own(const Line& line, Records& out) {
  const std::int64_t before = own_->measured();
  const bool known = own_->take(line.text, line.arrival, line.modified, out);
  ++(known ? matched_ : unmatched_);
  if (own_->measured() != before) {
    silent_ = looked_at_ = 0;
  } else if (!known) {
    ++silent_;
  }
  return known;
}

bool LogParser::is_sure() const {
  if (!own_) return false;
  const std::int64_t enough = own_->format().is_generic() ? kGenericSure : kSure;
  return own_->is_table() || own_->measured() >= enough || options_.format != "auto";
}

bool LogParser::is_looking() const {
  if (is_sure() && (own_->is_table() || (silent_ < kSilentLines && own_->running()))) return false;
  return looked_at_ < kLookBytes && options_.formats != nullptr && options_.format == "auto";
}

void LogParser::take_training(const Line& line, Records& out) {
  const bool known = own_ && read_own(line, out);
  if (is_looking()) {
    look(line, known, out);
  } else {
    if (!held_.empty() || !rivals_.empty()) stop_looking();
    if (!own_) ++unmatched_;
  }
}

// What was held is of no use any more; nor is what others make of it.
void LogParser::stop_looking() {
  if (!own_) unmatched_ += held_.size();
  held_.clear();
  rivals_.clear();
}

void LogParser::look(const Line& line, bool known, Records& out) {
  if (own_ && own_->measured() > 0) rivals_.clear_generic();  // none wins any more
  if (!rivals_.empty())
    rivals_.feed(line.text, line.arrival, line.modified, !is_of_framework(line.text, known));
  if (!known || (own_ && own_->measured() == 0)) adopt_or_admit(line, known, out);
  if (own_ && own_->is_table()) return stop_looking();
  const auto bytes = static_cast<std::int64_t>(line.text.size()) + 1;
  looked_at_ += known || held_.has_like(line.text) ? bytes / kAlikeInOne : bytes;
  hold(line);
  if (!rivals_.empty()) elect(own_ && is_sure() && own_->running() ? kMuch : kSure, out);
  if (looked_at_ >= kLookBytes || rivals_.hold_many()) elect_generic(kGenericAgainst, out);  // before it goes
  if (!own_) consider_trace(line, out);
}

// The formats that a line shows. The first one reads the log from now on, and before it the lines held, unless these are a
// training that it measures nothing of and one of no framework does; of several at once the log's next lines say which.
// Of a line that is known to one that has measured nothing it is what calls itself more specific.
void LogParser::adopt_or_admit(const Line& line, bool known, Records& out) {
  const auto shown = options_.formats->shown_by(line.text, options_.shapes, may_be_generic(),
                                                own_ ? own_->name() : std::string_view());
  if (!own_ && shown.size() == 1 && rivals_.only_generic() && !shown.front()->is_generic()) {
    std::optional<Rival> winner;
    if (!rivals_.empty() && !measures_held(shown.front(), line))
      winner = rivals_.generic_winner(kSure);  // as it would have won with the batch that ended here
    if (!winner) {
      adopt(shown.front());
      replay(line.modified, out);
      read_own(line, out);
      return;
    }
    take_over(std::move(*winner), out);
  }
  for (const auto& format : shown) {
    if ((own_ && own_->name() == format->name()) || rivals_.has(format->name())) continue;
    if (known && !format->over(own_->name())) continue;
    Rival* const rival = rivals_.add(format, context());
    if (!rival) continue;
    const auto feed = [&](std::string_view text, const std::optional<Instant>& arrival) {
      Rivals::feed(*rival, text, arrival, line.modified, !is_of_framework(text, false));
    };
    held_.for_each([&](const HeldLine& held) { feed(held.text, held.arrival); },
                   [&](std::int64_t lines) { rival->reading.count_unread(lines); });
    feed(line.text, line.arrival);
  }
}

// Whether it measures anything of the lines held and that one.
bool LogParser::measures_held(const std::shared_ptr<const Format>& format, const Line& line) const {
  Reading reading(format, context());
  Records found;
  held_.for_each([&](const HeldLine& held) { reading.take(held.text, held.arrival, line.modified, found); });
  reading.take(line.text, line.arrival, line.modified, found);
  return reading.measured() > 0;
}

// A format that has explained what the one that counts has not takes its place. A run that came to nothing
// gives it its ordinal.
void LogParser::elect(std::int64_t segments, Records& out) {
  if (auto winner = rivals_.framework_winner(own_ ? &*own_ : nullptr, segments))
    take_over(std::move(*winner), out);
}

// Whether a generic format may still take the log: none does from one that measures, nor from another generic one.
bool LogParser::may_be_generic() const {
  return !own_ || (own_->measured() == 0 && !own_->format().is_generic());
}

// Whether a framework's format reads the log, and knows or claims the line. When such a line comes is no evidence for a
// generic format: its own may yet measure what takes longer, such as whole epochs.
bool LogParser::is_of_framework(std::string_view line, bool known) const {
  if (!own_ || own_->format().is_generic()) return false;
  return known || (may_be_generic() && own_->format().recognises(line));
}

void LogParser::elect_generic(std::int64_t against, Records& out) {
  if (rivals_.empty() || !may_be_generic()) return;
  auto winner = rivals_.generic_winner(own_ ? against : kSure);
  if (winner) take_over(std::move(*winner), out);
}

// The ordinal of the winner's first run. Where the one that counts so far has measured nothing, the winner tells of its
// runs anew; of a generic format's, of those that have begun since the winner's did.
std::int64_t LogParser::first_of(const Rival& winner) const {
  if (own_->measured() == 0) return own_->first_ordinal();
  if (!own_->format().is_generic() || winner.reading.format().is_generic()) return own_->next_ordinal();
  return own_->first_run_within(winner.reading.lines_of_run());
}

// Behind a generic format one that is of a framework may still show itself, and then wants what stands above.
void LogParser::take_over(Rival winner, Records& out) {
  std::int64_t first = 0;
  const std::int64_t told = own_ ? own_->next_ordinal() : 0;
  if (own_) {
    first = first_of(winner);
    if (own_->measured() > 0 && first < told) out.withdraw(first);
    if (first == told) {
      own_->close(out);
      own_->flush(out);
    }
  } else {
    const std::int64_t known = std::min(winner.matched, held_.size());  // those forgotten are counted
    matched_ += known;
    unmatched_ += held_.size() - known;
  }
  winner.take_over(first, out);
  if (winner.reading.next_ordinal() < told) out.withdraw(winner.reading.next_ordinal());
  own_ = std::move(winner.reading);
  format_name_ = own_->name();
  trial_.reset();
  silent_ = looked_at_ = 0;
  if (own_->format().is_generic()) {
    rivals_.clear_generic();
  } else {
    stop_looking();
  }
}

// While no format is known, held lines are in no count yet.
void LogParser::hold(const Line& line) {
  const std::int64_t forgotten = held_.add({std::string(line.text), line.arrival});
  if (!own_) unmatched_ += forgotten;
}

void LogParser::consider_trace(const Line& line, Records& out) {
  if (!trial_) return;
  const auto trace = trial_->consider(line.text, time_);
  if (trace.empty()) return;
  adopt_trace(std::string(trace));
  replay(line.modified, out);
}

// A training's stay held: another format that shows itself later has not read them.
void LogParser::replay(Instant modified, Records& out) {
  held_.for_each([&](const HeldLine& held) {
    const Line line{held.text, held.arrival, modified};
    if (trace_) {
      take_trace(line, out);
    } else {
      read_own(line, out);
    }
  });
  if (trace_) held_.clear();
}

void LogParser::settle(Records& out) {
  if (!own_ || own_->measured() == 0) {  // nor does it matter then what it calls itself more specific than
    if (auto winner = rivals_.framework_winner(nullptr, 1)) take_over(std::move(*winner), out);
  }
  elect_generic(kGenericAtEnd, out);
  if (own_ || !trial_ || trial_->likely().empty()) return;
  adopt_trace(std::string(trial_->likely()));
  replay(time_.reference, out);
}

void LogParser::flush(Records& out) {
  if (!own_ || !own_->is_in_first_epoch()) elect_generic(kGenericAgainst, out);
  if (own_) own_->flush(out);
}

void LogParser::close(Records& out) {
  if (own_) own_->close(out);
}

}  // namespace etad
