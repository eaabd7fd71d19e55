// A test phase: of a training, or a testing job's. Internal to parsers/training.
#pragma once

#include <cstdint>
#include <optional>

#include "parsers/base/event.h"
#include "parsers/base/record.h"

namespace etad::track {

// What is known of it.
struct OpenTest {
  std::int64_t iteration = 0;  // of the training, or the first batch of a testing job
  std::int64_t net = 0;        // which test net
  std::optional<Instant> since;
  std::int64_t announced = 0;  // iterations it will take, where its own lines say so
  std::int64_t done = 0;       // batches displayed so far
  std::optional<Instant> done_at;
  bool shows_batches = false;
  std::optional<std::int64_t> first_batch;  // the first one displayed: do they count from 0 or from 1?
  std::optional<Instant> began;             // before the first of them, by the mean
  double stated = 0;                        // seconds of the batches displayed, where the lines say so
  double stated_error = 0;                  // by how much their rounding may be off
  bool beside = false;                      // the training has gone on meanwhile
  std::int64_t given = 0;                   // of those batches, how many have been given out as segments
  double given_seconds = 0;                 // and their time
};

// The one that is open, if there is one.
class TestPhase {
 public:
  // Some batches of it, with their time.
  struct Batches {
    std::int64_t first = 0;  // as a segment counts
    std::int64_t count = 0;
    Duration took{};
    std::optional<Instant> since;
  };

  bool open() const { return state_.has_value(); }
  void begin(const OpenTest& with) { state_ = with; }
  void drop() { state_.reset(); }
  OpenTest take();  // what was known of it (of none: nothing); no longer open

  // What follows is asked of an open one only, but where it says otherwise.

  std::int64_t net() const { return state_->net; }
  const std::optional<Instant>& last_batch_at() const { return state_->done_at; }
  // When it ends whose end a line shows that follows it at `line`: only where its batches are displayed is
  // the line before the last thing known of it.
  std::optional<Instant> end_before(std::optional<Instant> line) const;
  bool is_clocked() const;                                 // open, and a line's time shows its beginning
  bool states_mean() const { return state_->stated > 0; }  // its lines state the mean over all batches
  void announce(std::int64_t iterations) { state_->announced = iterations; }
  // Where a test of this net is open that was announced and shows no batches, it had not begun: it is
  // dropped, and this is how many iterations it will take. None open: nothing.
  std::optional<std::int64_t> take_announcement(std::int64_t net);

  // The training goes on while it is open: how long it waited, by now. Nothing where it did not wait, or
  // where that cannot be told. None open: nothing.
  std::optional<Duration> go_on_beside(std::optional<Instant> now);

  // Batch `batch` is the first one of another test: most of this one's were displayed already. None open:
  // false.
  bool is_followed_by(std::int64_t batch) const;
  // How many of its batches a line shows to be done. `from_one`: where in doubt, they count from 1. Nothing
  // where it shows no more than the lines before.
  std::optional<std::int64_t> batches_shown(const Event& event, bool from_one);
  void take_mean(const Event& event, std::optional<Instant> now, std::int64_t shown);
  // The batches since those displayed before, by the two lines' times; nothing where they show none.
  std::optional<Batches> since_last(std::optional<Instant> now, std::int64_t shown, bool job) const;
  void display(std::int64_t shown, std::optional<Instant> at);

  // The batches displayed of a test whose lines state their mean, once. One of many says nothing of the
  // others: it waited for the data. None open: nothing.
  std::optional<Batches> take_stated();

  const std::optional<OpenTest>& state() const { return state_; }  // to save and restore it
  std::optional<OpenTest>& state() { return state_; }

 private:
  std::optional<OpenTest> state_;
};

}  // namespace etad::track
