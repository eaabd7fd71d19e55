// Tests whose lines state the mean over their batches so far, as PyTorch's ImageNet example prints them, and
// what they show of the epochs between them.
#include <gtest/gtest.h>

#include "tests/parsers/hand_log.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

HandLog& train(HandLog& log, std::string_view epoch, std::string_view batch, std::string_view mean,
               std::string_view of = "20") {
  return log.line({}, EventKind::progress,
                  {{Field::epoch, epoch},
                   {Field::batch, batch},
                   {Field::batches, of},
                   {Field::seconds, mean},
                   {Field::since, "epoch"}});
}

HandLog& tested(HandLog& log, std::string_view batch, std::string_view mean, std::string_view of = "12") {
  return log.line({}, EventKind::progress,
                  {{Field::phase, "test"},
                   {Field::batch, batch},
                   {Field::batches, of},
                   {Field::seconds, mean},
                   {Field::since, "epoch"}});
}

// One epoch of twenty steps and its test.
HandLog& epoch_with_test(HandLog& log, std::string_view epoch) {
  for (const std::string_view batch : {"1", "11"}) train(log, epoch, batch, "0.500");
  tested(log, "1", "2.000");
  return tested(log, "11", "0.400");
}

TEST(StatedTests, TheMeanOverAllBatchesIsTheirTimeTheFirstOneIncluded) {
  HandLog log(std::map<std::string, std::string>{{"test_batch_size", "50"}});
  epoch_with_test(log, "0").line({}, EventKind::test_result);
  const auto test = segments_of(log.records(), Phase::test);
  ASSERT_EQ(test.size(), 1u) << "told at the test's end";
  EXPECT_EQ(test[0].iterations, 11);
  EXPECT_EQ(to_seconds(test[0].duration), 4.4);
  EXPECT_EQ(test[0].samples_per_iteration, 50);
  EXPECT_EQ(test[0].first_iteration, 20);
  EXPECT_EQ(segments_of(log.end(), Phase::test).size(), 1u) << "and once";
}

TEST(StatedTests, BatchesAreCountedFromWhereTheFirstOneShows) {
  const auto iterations = [](std::string_view first, std::string_view last) {
    HandLog log;
    train(log, "0", first, "0.500");
    tested(log, first, "0.400");
    tested(log, last, "0.400");
    return segments_of(log.end(), Phase::test).at(0).iterations;
  };
  EXPECT_EQ(iterations("0", "10"), 11);
  EXPECT_EQ(iterations("1", "11"), 11);
  HandLog sparse;  // the first line shows the tenth of both: as in training
  train(sparse, "0", "1", "0.500");
  tested(sparse, "10", "0.400");
  EXPECT_EQ(segments_of(sparse.end(), Phase::test).at(0).iterations, 10);
}

TEST(StatedTests, WhatSaysTooLittleIsNoMeasurement) {
  HandLog alone;  // the first batch waited for the data, and nothing is known of the others
  tested(alone, "0", "2.000");
  EXPECT_TRUE(segments_of(alone.end(), Phase::test).empty());
  HandLog rounded;
  tested(rounded, "0", "0.001");
  tested(rounded, "10", "0.001");
  EXPECT_TRUE(segments_of(rounded.end(), Phase::test).empty()) << "0.0005 to 0.0015";
  HandLog nothing;  // a meter that nobody feeds
  tested(nothing, "0", "0.000");
  tested(nothing, "10", "0.000");
  EXPECT_TRUE(segments_of(nothing.end(), Phase::test).empty());
}

TEST(StatedTests, ATestBehindAnEpochsLastLineEndsTheEpoch) {
  HandLog log(std::map<std::string, std::string>{{"batch_size", "32"}});
  log.line({}, EventKind::setting, {{Field::epochs, "2"}});
  epoch_with_test(log, "0");
  epoch_with_test(log, "1").line({}, EventKind::test_result);
  const Records& records = log.end();
  const etad::Run& run = records.runs.back();
  EXPECT_EQ(run.iteration, 40) << "36 to 40 were never displayed";
  EXPECT_EQ(run.max_iterations, 40);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.settings.at("test_interval"), "20");
  EXPECT_EQ(run.settings.at("test_iter"), "12");
  const auto test = segments_of(records, Phase::test);
  ASSERT_EQ(test.size(), 2u);
  EXPECT_EQ(test[1].first_iteration, 40);
  EXPECT_EQ(total_seconds(segments_of(records, Phase::train)), 10.5)
      << "two stretches of ten steps and the second one's first, no test in them";
}

TEST(StatedTests, TheResultBehindTheLastEpochIsTheRunsEnd) {
  HandLog log;
  log.line({}, EventKind::setting, {{Field::epochs, "2"}});
  epoch_with_test(log, "0").line({}, EventKind::test_result);
  log.tracker().flush(log.records());
  EXPECT_EQ(log.records().runs.back().state, RunState::running);
  epoch_with_test(log, "1").line({}, EventKind::test_result);
  log.tracker().flush(log.records());
  EXPECT_EQ(log.records().runs.back().state, RunState::finished) << "without waiting for the log to rest";
  tested(log, "1", "2.000");  // another rank's, or that of averaged weights
  tested(log, "11", "0.400");
  const Records& records = log.end();
  EXPECT_EQ(records.runs.back().ordinal, 0) << "no new run";
  EXPECT_EQ(segments_of(records, Phase::test).size(), 2U);
}

TEST(StatedTests, ATestAmidAnEpochDoesNot) {
  HandLog log;
  for (const std::string_view batch : {"0", "10", "20"}) train(log, "0", batch, "0.500", "100");
  tested(log, "0", "0.500");
  tested(log, "10", "0.400");
  train(log, "0", "30", "0.500", "100");
  const etad::Run& run = log.end().runs.back();
  EXPECT_EQ(run.iteration, 30);
  EXPECT_FALSE(run.settings.contains("test_interval"));
}

TEST(StatedTests, OneTestBehindAnotherIsAnother) {
  HandLog log;
  tested(log, "0", "0.500");
  tested(log, "10", "0.400");
  tested(log, "0", "0.300", "30");
  tested(log, "20", "0.200", "30");
  const auto test = segments_of(log.end(), Phase::test);
  ASSERT_EQ(test.size(), 2u);
  EXPECT_EQ(to_seconds(test[0].duration), 4.4);
  EXPECT_EQ(test[1].iterations, 21);
  EXPECT_EQ(to_seconds(test[1].duration), 4.2);
}

TEST(StatedTests, AnEpochsMeanSaysNothingAcrossItsEnd) {
  HandLog log;  // the mean of an epoch that begins slowly exceeds all the time of the one before
  train(log, "0", "0", "0.100");
  train(log, "0", "10", "0.002");
  train(log, "1", "0", "0.900");
  train(log, "1", "10", "0.500");
  const auto segments = segments_of(log.end(), Phase::train);
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0].first_iteration, 19) << "the step that waits for the epoch's data is one of its own";
  EXPECT_EQ(segments[0].iterations, 11);
  EXPECT_EQ(to_seconds(segments[0].duration), 5.5);
}

TEST(StatedTests, ALateLineOfAnEpochOverBeginsItNotAnew) {
  HandLog log;  // two processes write to one log
  train(log, "0", "0", "0.100");
  train(log, "0", "19", "0.100");
  train(log, "1", "0", "0.900");
  train(log, "0", "19", "0.100");
  train(log, "1", "10", "0.500");
  const auto segments = segments_of(log.end(), Phase::train);
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[0].iterations + segments[1].iterations, 30) << "19 and 11";
}

TEST(StatedTests, ALogThatIsFollowedSaysWhatOneThatIsImportedDoes) {
  const auto read = [](HandLog& log, bool follow) {
    for (const std::string_view batch : {"1", "11", "20"}) {
      if (follow) log.arrives(batch == "1" ? 100 : 107);  // two lines found at one look
      train(log, "0", batch, "0.500");
    }
    if (follow) log.arrives(120);
    tested(log, "1", "0.400");
    tested(log, "11", "0.400");
    return log.end();
  };
  HandLog one, other;
  const Records followed = read(one, true), imported = read(other, false);
  for (const Phase phase : {Phase::train, Phase::test}) {
    const auto live = segments_of(followed, phase), old = segments_of(imported, phase);
    ASSERT_EQ(live.size(), old.size());
    ASSERT_EQ(live.size(), phase == Phase::train ? 2U : 1U);
    for (std::size_t i = 0; i < live.size(); ++i) {
      EXPECT_EQ(live[i].duration, old[i].duration) << i;
      EXPECT_EQ(live[i].iterations, old[i].iterations) << i;
    }
  }
  EXPECT_EQ(followed.rejected, 0);
  EXPECT_EQ(segments_of(followed, Phase::test).at(0).started_at, HandLog::instant(119.6));
}

TEST(StatedTests, WhatRoundingDrownsIsDatedByItsArrival) {
  HandLog log;
  for (const auto& [batch, at] : {std::pair{"1", 100.0}, {"1001", 104.5}, {"30001", 235.0}})
    train(log.arrives(at), "0", batch, "0.005", "50000");
  const auto segments = segments_of(log.end(), Phase::train);
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments[0].iterations, 30'000);
  EXPECT_EQ(to_seconds(segments[0].duration), 135) << "between 135 and 165, says the log";
}

TEST(StatedTests, AreOfTheStateThatIsKept) {
  HandLog whole;
  epoch_with_test(whole, "0");
  const auto restored = Tracker::restore({"hand", "testhost", "prototext", {}}, whole.tracker().save());
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->save(), whole.tracker().save());
  Tracker again = *Tracker::restore({"hand", "testhost", "prototext", {}}, whole.tracker().save());
  Records records;
  again.close(records);
  EXPECT_EQ(total_seconds(segments_of(records, Phase::test)), 4.4);
  again.close(records);
  EXPECT_EQ(segments_of(records, Phase::test).size(), 1u);
}

// By the shipped rules: two epochs of the ImageNet example.
TEST(StatedTests, TheImageNetExample) {
  const auto format = format_named("pytorch");
  std::string log =
      "Namespace(data='x', arch='resnet34', workers=4, epochs=2, start_epoch=0, batch_size=48)\n";
  log += "=> creating model 'resnet34'\n";
  for (const char* epoch : {"0", "1"}) {
    const std::string head = std::string("Epoch: [") + epoch + "][";
    log += head + " 1/25]\tTime  1.500 ( 1.500)\tData  1.000 ( 1.000)\tLoss 2.3000e+00 (2.3000e+00)\n";
    log += head + "11/25]\tTime  0.250 ( 0.375)\tData  0.001 ( 0.092)\tLoss 2.2000e+00 (2.2500e+00)\n";
    log += head + "21/25]\tTime  0.250 ( 0.315)\tData  0.001 ( 0.050)\tLoss 2.1000e+00 (2.2000e+00)\n";
    log += "Test: [ 1/8]\tTime  0.800 ( 0.800)\tLoss 2.2000e+00 (2.2000e+00)\n";
    log += "Test: [ 6/8]\tTime  0.100 ( 0.225)\tLoss 2.2000e+00 (2.2000e+00)\n";
    log += " *   Acc@1 12.500 Acc@5 50.000\n";
  }
  const Records records = records_of(*format, lines_of(log));
  const etad::Run& run = records.runs.back();
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.iteration, 50);
  EXPECT_EQ(run.train.samples_per_iteration, 48);
  EXPECT_EQ(run.test.samples_per_iteration, 48) << "the validation's loader takes the same batch size";
  EXPECT_EQ(run.test.segments, 2);
  EXPECT_EQ(run.test.iterations, 12);
  EXPECT_NEAR(to_seconds(run.test.duration), 2.7, 1e-9);
  EXPECT_EQ(run.train.iterations, 41);
  EXPECT_NEAR(to_seconds(run.train.duration), 2 * (21 * 0.315) - 1.5, 1e-6) << "all but the run's first step";
}

// A testing job that says itself how long it has gone on, as LLaMA-Factory's predictions do.
HandLog& predict(HandLog& log, std::string_view step, std::string_view elapsed) {
  return log.line(
      {}, EventKind::progress,
      {{Field::iteration, step}, {Field::max_iter, "18"}, {Field::elapsed, elapsed}, {Field::job, "test"}});
}

TEST(StatedTests, AJobThatTestsIsMeasuredByItsTimeSoFar) {
  HandLog log(std::map<std::string, std::string>{{"test_batch_size", "4"}});
  predict(log, "5", "0:00:20");
  EXPECT_EQ(segments_of(log.records(), Phase::test).size(), 1u) << "told while it goes on";
  predict(log, "10", "0:00:40");
  predict(log, "15", "0:01:00");
  const Records& records = log.end();
  const etad::Run& run = records.runs.back();
  EXPECT_EQ(run.job, Job::test);
  EXPECT_EQ(run.state, RunState::finished) << "the last three are fewer than it shows at once";
  EXPECT_EQ(run.iteration, 18);
  EXPECT_EQ(run.train.iterations, 0);
  const auto test = segments_of(records, Phase::test);
  ASSERT_EQ(test.size(), 3u);
  EXPECT_EQ(test[2].first_iteration, 10);
  EXPECT_EQ(test[2].iterations, 5);
  EXPECT_EQ(to_seconds(test[2].duration), 20);
  EXPECT_EQ(test[2].samples_per_iteration, 4);
}

TEST(StatedTests, AJobThatTestsIsNoneOfATrainingsRunsAndNoOther) {
  const auto steps = [](HandLog& log) {
    for (const auto& [n, elapsed] : {std::pair{"5", "0:00:20"}, {"18", "0:01:12"}})
      log.line(
          {}, EventKind::progress,
          {{Field::iteration, n}, {Field::max_iter, "18"}, {Field::elapsed, elapsed}, {Field::job, "train"}});
  };
  HandLog log;
  steps(log);
  predict(predict(log, "5", "0:00:20"), "18", "0:01:12");
  predict(log, "5", "0:00:20");
  steps(log);
  auto runs = runs_of(log.end());
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[0].state, RunState::finished);
  EXPECT_EQ(runs[0].train.iterations, 18);
  EXPECT_EQ(runs[1].job, Job::test);
  EXPECT_EQ(runs[1].test.iterations, 18);
  EXPECT_EQ(runs[2].state, RunState::lost) << "another prediction, of which five batches are shown";
  EXPECT_EQ(runs[2].test.iterations, 5);
  EXPECT_EQ(runs[3].job, Job::train);
  EXPECT_EQ(runs[3].train.iterations, 18);
}

}  // namespace
}  // namespace etad::test
