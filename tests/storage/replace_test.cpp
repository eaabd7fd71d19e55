// A log that was read again takes the old reading's place: whose is what its user said, and what was predicted?
#include <gmock/gmock.h>

#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using ::testing::ElementsAre;

class Replacing : public HistoryTest {
 protected:
  struct Said {
    std::string network;
    std::optional<Instant> started_at;
    std::optional<std::int64_t> iteration = 1000;
  };

  // A reading of one log; its runs' ids begin behind those that there are.
  SourceCommit read(const std::vector<Said>& runs, bool pending) {
    SourceCommit log;
    log.source.path = "/a.log";
    log.source.pending = pending;
    for (const Said& said : runs) {
      etad::Run run = lenet(static_cast<std::int64_t>(log.records.runs.size()));
      run.network = said.network;
      run.started_at = said.started_at;
      run.iteration = said.iteration;
      log.records.runs.push_back(run);
    }
    return commit(std::move(log));
  }
  // The log as it was read, each run labelled by its network's name and predicted.
  void first_reading(const std::vector<Said>& runs) {
    old_ = read(runs, false).source.id;
    for (const RunRow& row : must(reader().runs({}))) {
      must(writer().set_labels(row.id, {{"job", row.run.network}}));
      PredictionRow prediction;
      prediction.run_id = row.id;
      must(writer().put_predictions({prediction}));
    }
  }
  // Of each run of the second reading, which takes its place: "network label predictions".
  std::vector<std::string> second_reading(const std::vector<Said>& runs) {
    must(writer().replace_source(old_, read(runs, true).source.id));
    std::vector<std::string> out;
    for (const RunRow& row : must(reader().runs({}))) {
      const auto job = row.labels.find("job");
      out.push_back(row.run.network + " " + (job == row.labels.end() ? "-" : job->second) + " " +
                    std::to_string(must(reader().predictions(row.id)).size()));
    }
    std::ranges::reverse(out);
    return out;
  }

  std::int64_t old_ = 0;
};

TEST_F(Replacing, ARunKeepsItsOwnWhenRunsBeforeItAreKnownNow) {
  first_reading({{"ResNet", after(100)}});
  EXPECT_THAT(second_reading({{"VGG", after(0)}, {"ResNet", after(100)}}),
              ElementsAre("VGG - 0", "ResNet ResNet 1"));
}

TEST_F(Replacing, NothingIsMadeOfIterationsThatNeitherShows) {
  first_reading({{"ResNet", after(100), std::nullopt}});
  EXPECT_THAT(second_reading({{"VGG", after(0), std::nullopt}}), ElementsAre("VGG - 0"));
}

TEST_F(Replacing, RunsOfOneStartKeepTheirOrder) {
  first_reading({{"A", after(0)}, {"B", after(0)}});
  EXPECT_THAT(second_reading({{"A", after(0)}, {"B", after(0)}}), ElementsAre("A A 1", "B B 1"));
}

TEST_F(Replacing, RunsOfALogWithoutTimesAreKnownByTheirOrdinalsWhereTheyAreAsMany) {
  first_reading({{"A", after(0)}, {"B", after(50), 77}});
  EXPECT_THAT(second_reading({{"A", std::nullopt}, {"B", after(70), 77}}), ElementsAre("A A 1", "B B 1"));
}

TEST_F(Replacing, RunsOfALogWithoutTimesAreNotKnownWhereTheyAreMore) {
  first_reading({{"B", after(50)}});
  EXPECT_THAT(second_reading({{"A", std::nullopt}, {"B", std::nullopt}}), ElementsAre("A - 0", "B - 0"));
}

TEST_F(Replacing, WhatWasForgottenIsForgottenAgain) {
  first_reading({{"A", after(0)}, {"B", after(50)}, {"C", after(100)}});
  must(writer().forget_run(2));
  const std::vector<Said> all{{"new", after(-9)}, {"A", after(0)}, {"B", after(50)}, {"C", after(100)}};
  EXPECT_THAT(second_reading(all), ElementsAre("new - 0", "A A 1", "C C 1"));
  old_ = must(reader().sources()).at(0).id;
  EXPECT_THAT(second_reading(all), ElementsAre("new - 0", "A A 1", "C C 1"))
      << "and so when it is read once more";
}

}  // namespace
}  // namespace etad::test
