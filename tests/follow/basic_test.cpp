// Growth, new files, rotation, truncation, restart: the everyday of following.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;

TEST(Following, Growth) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\ntwo\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
  etad.files.write(kLog, "three\nfo");
  etad.poll();
  etad.files.write(kLog, "ur\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(etad.positions[kLog].offset, 19);
  EXPECT_TRUE(etad.caught_up);
}

TEST(Following, NewFilesByGlob) {
  Harness etad(watching("/logs/*.log"));
  etad.poll();
  etad.files.write("/logs/a.log", "a1\n");
  etad.files.write("/logs/b.txt", "no\n");
  etad.poll();
  etad.files.write("/logs/c.log", "c1\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("a1", "c1"));
}

TEST(Following, PatternsInDirectories) {
  Harness etad(watching("/data/*/logs/train*.log"));
  etad.files.write("/data/a/logs/train1.log", "a\n");
  etad.files.write("/data/b/logs/train2.log", "b\n");
  etad.files.write("/data/b/logs/test.log", "no\n");
  etad.files.write("/data/.hidden/logs/train.log", "no\n");
  etad.files.write("/data/c", "a file and no folder");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("a", "b"));
}

TEST(Following, RenameRotation) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.write(kLog, "two\n");
  etad.files.rename(kLog, "/logs/train.log.1");
  etad.files.write("/logs/train.log.1", "three\n");  // the writer has not noticed yet
  etad.poll();
  etad.files.write(kLog, "four\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(etad.ended, 1);
}

TEST(Following, RestartGoesOnAtTheCommittedOffset) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\ntwo\n");
  etad.poll();
  etad.restart();
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

TEST(Following, TheLastOfSeveralPositionsOfAPathCounts) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  const Position first = etad.positions[kLog];
  etad.files.write(kLog, "two\n");
  etad.poll();
  Follower again(etad.files, nullptr, watching(kLog));
  again.restore({first, etad.positions[kLog]}, {});
  for (const Batch& batch : again.poll(etad.now, etad.wall, etad.budget)) EXPECT_TRUE(batch.lines.empty());
}

// A log that was gone for long is none of the positions at a start, but the history knows it still.
TEST(Following, RotatedFilesOfALogThatIsLongGoneAreNotReadAgain) {
  Harness etad(watching("/logs/*"));
  etad.files.write("/logs/a.log", "one\ntwo\n");
  etad.poll();
  etad.files.rename("/logs/a.log", "/logs/a.log.2");
  etad.files.create("/logs/a.log.1");
  etad.poll();
  const auto known = etad.positions;
  etad.stop();
  etad.follower = std::make_unique<Follower>(etad.files, nullptr, watching("/logs/*"));
  etad.follower->restore({}, {etad.finished.begin(), etad.finished.end()},
                         [&](const std::string& path) -> tl::expected<std::optional<Position>, int> {
                           const auto at = known.find(path);
                           return at == known.end() ? std::nullopt : std::optional(at->second);
                         });
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
  etad.files.write("/logs/a.log", "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three"));
}

TEST(Following, DeleteAndRecreate) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.remove(kLog);
  etad.files.write(kLog, "two\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
}

TEST(Following, TruncationInPlace) {
  Harness etad(watching(kLog));
  etad.files.write(kLog, "one\ntwo\n");
  etad.poll();
  etad.files.truncate(kLog);
  etad.files.write(kLog, "3\n");
  etad.poll();  // it may be being written anew
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two", "3"));
  EXPECT_EQ(etad.restarts, 1);
}

TEST(Following, SeveralBatchesAndStreamsInSmallBudgets) {
  Options options;
  options.batch_bytes = 4096;
  Harness etad(watching("/logs/*.log"), options);
  std::vector<std::string> expected;
  for (int i = 0; i < 3000; ++i) {
    expected.push_back("line " + std::to_string(i));
    etad.files.write("/logs/a.log", expected.back() + "\n");
    etad.files.write("/logs/b.log", expected.back() + "\n");
  }
  etad.budget = 5000;
  etad.poll();
  EXPECT_EQ(etad.lines_of["/logs/a.log"], expected);
  EXPECT_EQ(etad.lines_of["/logs/b.log"], expected);
}

TEST(Following, ASmallStreamIsNotStarvedByALargeOne) {
  Options options;
  options.batch_bytes = 4096;
  Harness etad(watching("/logs/*.log"), options);
  for (int i = 0; i < 3000; ++i) etad.files.write("/logs/a.log", "a line of a large backlog\n");
  etad.files.write("/logs/z.log", "small\n");
  etad.budget = 8192;
  std::size_t polls = 0;
  for (bool seen = false; !seen && polls < 20; ++polls) {
    for (const Batch& batch : etad.follower->poll(etad.now, etad.wall, etad.budget))
      seen = seen || (batch.path == "/logs/z.log" && !batch.lines.empty());
  }
  EXPECT_LE(polls, 3U);
}

}  // namespace
}  // namespace etad::follow
