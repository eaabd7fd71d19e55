// Forms of today's logs: the last epoch of a training whose end only its last words tell.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

TEST(RecentForms, TheLastEpochIsOverWhereTheProgramSaysThatItIsDone) {
  for (const bool done : {false, true}) {
    Lines lines;
    for (int epoch = 1; epoch <= 10; ++epoch) {
      lines.push_back(written("2026-03-04 05:%02d:00,250 - INFO - Starting epoch %d/10", epoch, epoch));
      lines.push_back(written("2026-03-04 05:%02d:45,250 - INFO - Validation loss: 1.125", epoch));
    }
    if (done) lines.emplace_back("2026-03-04 05:11:30,250 - INFO - Finetuning completed successfully!");
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, done ? 10 : 9);
    EXPECT_NEAR(step_time(run), 60, 0.1);
    EXPECT_EQ(run.state, done ? RunState::finished : RunState::lost);
  }
}

}  // namespace
}  // namespace etad::test
