// A test phase: of a training, or a testing job's. Internal to parsers/training.
#pragma once

#include <cstdint>
#include <optional>

#include "parsers/base/event.h"
#include "parsers/base/record.h"

namespace etad::track {

// The line says itself that it is a testing job's, and no training's.
bool is_of_testing_job(const Event& event);

struct TestPhase {
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

  // Some batches of it, with their time.
  struct Batches {
    std::int64_t first = 0;  // as a segment counts
    std::int64_t count = 0;
    Duration took{};
    std::optional<Instant> since;
  };

  // When it ends whose end a line shows that follows it at `line`: where its batches are displayed at that line, or else
  // with the last of its results.
  std::optional<Instant> end_before(std::optional<Instant> line) const;
  // One of its results, of which more may follow. Where a line told when it began, it lasted until here.
  void tell_result(std::optional<Instant> at);
  bool is_clocked() const { return since || done_at; }  // a line's time shows its beginning
  bool states_mean() const { return stated > 0; }  // its lines state the mean over all batches, or their time
  // It was announced, is of this net, and shows no batches: it has not begun.
  bool is_announcement_of(std::int64_t test_net) const;

  // The training goes on while it is open: how long it waited, by now. Nothing where it did not wait, or
  // where that cannot be told.
  std::optional<Duration> go_on_beside(std::optional<Instant> now);

  // Batch `batch` is the first one of another test: most of this one's were displayed already.
  bool is_followed_by(std::int64_t batch) const;
  // How many of its batches a line shows to be done. `from_one`: where in doubt, they count from 1. Nothing
  // where it shows no more than the lines before.
  std::optional<std::int64_t> batches_shown(const Event& event, bool from_one);
  void take_mean(const Event& event, std::optional<Instant> now, std::int64_t shown);
  // The batches since those displayed before, by the two lines' times; nothing where they show none.
  std::optional<Batches> since_last(std::optional<Instant> now, std::int64_t shown, bool job) const;
  void display(std::int64_t shown, std::optional<Instant> at);

  // The batches displayed of a test whose lines state their mean, once. One of many says nothing of the
  // others: it waited for the data. `job`: it is a testing job's.
  std::optional<Batches> take_stated(bool job);
};

}  // namespace etad::track
