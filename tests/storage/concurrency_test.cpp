// Readers beside the writer see whole commits, in order, and hold nobody up.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

// The one suite of this room with threads: what the thread sanitizer runs.
class Concurrency : public HistoryTest {};

// Each commit brings one segment, one point and one sample, and moves the source's offset by one: a reader
// that ever sees them disagree has seen half a commit.
TEST_F(Concurrency, ReadersSeeWholeCommitsWhileTheWriterGoesOn) {
  constexpr std::int64_t kCommits = 150;
  writer();
  std::atomic<bool> done{false};
  std::vector<std::string> complaints(2);
  std::vector<std::jthread> readers;
  for (std::string& complaint : complaints) {
    readers.emplace_back([this, &done, &complaint] {
      auto reader = Reader::open(path());
      if (!reader) {
        complaint = reader.error().text();
        return;
      }
      std::int64_t last = 0;
      for (bool finished = false; !finished && complaint.empty();) {
        finished = done.load();
        const auto size = (*reader)->size();
        const auto row = (*reader)->run(1);
        if (!size || !row) {
          complaint = size ? row.error().text() : size.error().text();
        } else if (size->segments != size->points || size->segments != size->samples ||
                   size->segments < last) {
          complaint = "half a commit";
        } else if (size->segments > 0 && (*row)->run.train.segments < size->segments) {
          complaint = "a run behind its segments";
        } else {
          last = size->segments;
        }
      }
      if (complaint.empty() && last != kCommits) complaint = "not all at the end";
    });
  }
  auto source = source_with_run("/a.log", 0);
  etad::Run run = lenet();
  for (std::int64_t n = 0; n < kCommits; ++n) {
    source.records.clear();
    source.records.segments = {{0, window(run, n)}};
    source.records.points = {{0, {n, kNow, 1}}};
    source.records.add_sample({"gpu.power", "gpu=0", "W"}, after(static_cast<double>(n)), 1);
    source.records.runs = {run};
    commit(source);
    if (n % 20 == 0) must(writer().maintain(after(3700.0 * static_cast<double>(n))));
  }
  done = true;
  readers.clear();
  for (const std::string& complaint : complaints) EXPECT_EQ(complaint, "");
}

// Nobody waits for a backup: readers read and the writer commits while it is made, and it holds the history
// as it was at one instant.
TEST_F(Concurrency, ABackupIsTakenWhileOthersReadAndWrite) {
  auto source = source_with_run("/a.log", 2000);
  etad::Run run = source.records.runs.front();
  commit(source);
  reader();
  std::atomic<bool> done{false};
  std::string complaint;
  std::jthread reading([&] {
    do {
      const auto segments = reader_->segments(1, 0, 5000);
      if (!segments || segments->size() < 2000) complaint = "segments are missing";
    } while (!done.load() && complaint.empty());
  });
  std::string backup_complaint;
  std::jthread copying([&] {
    for (int i = 0; i < 5 && backup_complaint.empty(); ++i) {
      const auto copied = backup_history(path(), dir_.file("backup" + std::to_string(i) + ".db"));
      if (!copied) backup_complaint = copied.error().text();
    }
    done = true;
  });
  for (std::int64_t n = 2000; !done.load() || n == 2000; ++n) {
    source.records.clear();
    source.records.clear();
    source.records.segments = {{0, window(run, n)}};
    source.records.runs = {run};
    commit(source);
    must(writer().maintain(kNow));
  }
  copying.join();
  reading.join();
  EXPECT_EQ(complaint, "");
  EXPECT_EQ(backup_complaint, "");
  for (int i = 0; i < 5; ++i) {
    const auto copy = must(Reader::open(dir_.file("backup" + std::to_string(i) + ".db")));
    const auto segments = must(copy->size()).segments;
    EXPECT_GE(segments, 2000);
    EXPECT_EQ(must(copy->run(1))->run.train.segments, segments) << "of one instant";
  }
}

}  // namespace
}  // namespace etad::test
