// Which runs are given where there are more than are asked for.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

TEST_F(HistoryTest, OfManyOwnersRunsEachHasItsShare) {
  for (int i = 0; i < 7; ++i) {
    SourceCommit source = source_with_run("/logs/" + std::to_string(i), 1);
    source.source.owner = i == 0 ? 1001 : 1002;
    commit(source);
  }
  RunFilter filter;
  filter.state = RunState::running;
  filter.limit = 3;
  filter.fair = true;
  std::vector<std::int64_t> ids;
  for (const RunRow& row : must(reader().runs(filter))) ids.push_back(row.id);
  EXPECT_EQ(ids, (std::vector<std::int64_t>{7, 6, 1}));
  filter.limit = 7;
  EXPECT_EQ(must(reader().runs(filter)).size(), 7U) << "where there is room nobody is cut";
  filter.after_id = 5;
  EXPECT_EQ(must(reader().runs(filter)).size(), 2U) << "what came since";
}

TEST_F(HistoryTest, OfManyOwnersUnrecognisedFilesEachHasItsShare) {
  for (int i = 0; i < 4; ++i) {
    SourceCommit source;
    source.source.path = "/logs/" + std::to_string(i);
    source.source.kind = "file";
    source.source.lines = 7;
    source.source.owner = i == 0 ? 1001 : 1002;
    commit(source);
  }
  const auto found = must(reader().unrecognised_sources(2));
  EXPECT_EQ(found.count, 4);
  EXPECT_EQ(found.paths, (std::vector<std::string>{"/logs/3", "/logs/0"}));
}

TEST_F(HistoryTest, RunsUnderWayAreCountedByNetwork) {
  etad::Run over = lenet(1);
  over.state = RunState::finished;
  etad::Run other = lenet(2);
  other.network = "AlexNet";
  SourceCommit source = source_with_run("/logs/a", 1);
  source.records.runs.insert(source.records.runs.end(), {over, other, lenet(3)});
  commit(source);
  SourceCommit pending = source_with_run("/logs/import", 1);
  pending.source.kind = "import";
  pending.source.pending = true;
  commit(pending);
  const auto counts = must(reader().running());
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].network, "AlexNet");
  EXPECT_EQ(counts[0].runs, 1);
  EXPECT_EQ(counts[1].runs, 2);
}

}  // namespace
}  // namespace etad::test
