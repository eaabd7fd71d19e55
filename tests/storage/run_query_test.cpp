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
}

}  // namespace
}  // namespace etad::test
