// Of lines that take long to understand few are read at once, so that others' logs have their turn.
#include <gtest/gtest.h>

#include <string>

#include "parsers/base/timestamp.h"
#include "tests/daemon/followed_files.h"
#include "tests/places.h"

namespace etad {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class InTurns : public FollowedFiles {
 protected:
  // By whose clock each batch has taken so long.
  static IngestOptions taking(milliseconds time) {
    IngestOptions options = usual_options();
    options.spent = [time, spent = milliseconds(0)]() mutable { return spent += time; };
    return options;
  }

  // Lines that the next tick reads.
  std::int64_t next_lines() {
    const std::int64_t before = ingest_->counters().lines;
    const auto ticked = tick_after(seconds(1));
    EXPECT_TRUE(ticked);
    return ingest_->counters().lines - before;
  }
};

// Lines of no format may need a thousand times as long as others.
TEST_F(InTurns, WhatHasTakenLongIsCommittedAndAnothersFileHasItsTurn) {
  for (int i = 0; i < 64; ++i) append("long.log", std::string(65'535, 'x').append("\n"));
  append("other.log", content_of(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log"));
  start_ingest(taking(milliseconds(250)));
  ASSERT_TRUE(tick_after(seconds(5)));
  EXPECT_LT(ingest_->counters().bytes, 2 << 20);
  EXPECT_TRUE(ingest_->is_catching_up()) << "it goes on at once";
  ASSERT_TRUE(tick_after(seconds(5)));
  EXPECT_EQ(runs().size(), 1U);
}

TEST_F(InTurns, OfDearLinesFewerAreReadAtOnce) {
  std::string lines;
  for (int i = 0; i < 40'000; ++i) lines += "a line of no format\n";
  append("dear.log", lines);
  start_ingest(taking(milliseconds(250)));
  EXPECT_EQ(next_lines(), 16'384);
  EXPECT_EQ(next_lines(), 4'096);
  EXPECT_EQ(next_lines(), 1'024);
  EXPECT_EQ(next_lines(), 256);
  EXPECT_EQ(next_lines(), 128);
  EXPECT_EQ(next_lines(), 128);
}

// A log that nobody knows yet may be dear: so it is with a few lines.
TEST_F(InTurns, OfANewLogFewLinesAreReadAtFirst) {
  std::string lines;
  for (int i = 0; i < 4'000; ++i) lines += "a line of no format\n";
  append("new.log", lines);
  follow::Options options;
  options.first_lines = 256;
  start_ingest(taking(milliseconds(1)), "*.log", 0, options);
  EXPECT_EQ(next_lines(), 4'000) << "256, then more as they are cheap";
}

// What a line's samples take is spent when they are committed: each hour of a series makes rows of its own.
TEST_F(InTurns, OfATraceOfManyHoursFewLinesAreReadAtOnce) {
  std::string trace = "timestamp, index, utilization.gpu [%], memory.used [MiB], temperature.gpu\n";
  constexpr int kHours = 20'000;
  const Instant begun = from_rfc3339("2024-01-01T00:00:00Z").value();
  for (int i = 0; i < kHours; ++i) {
    const Instant at = begun + std::chrono::hours(i);
    trace += to_rfc3339(at).substr(0, 19) + ", 0, 50 %, 1000 MiB, 60\n";
  }
  append("hours.csv", trace);
  append("other.log", content_of(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log"));
  follow::Options options;
  options.first_lines = 256;
  start_ingest(taking(milliseconds(1)), "*", 0, options);
  ASSERT_TRUE(tick_after(seconds(1)));
  EXPECT_LT(ingest_->counters().samples, 12'000) << "8,192, and the rest of the last lines read at once";
  EXPECT_EQ(runs().size(), 1U) << "another's file has its turn";
}

}  // namespace
}  // namespace etad
