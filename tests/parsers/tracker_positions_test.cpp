// Logs that count samples, tokens or shares of epochs instead of steps, and steps that are counted from 0.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/parsers/hand_log.h"

namespace etad::test {
namespace {

// A run that begins at second 100 and counts in `unit`.
HandLog begun(std::string_view unit, std::string_view batch) {
  HandLog log;
  log.line(0, EventKind::setting, {{Field::key, "position_unit"}, {Field::value, unit}});
  log.line(0, EventKind::setting, {{Field::global_batch_size, batch}});
  log.line(90, EventKind::run_start, {{Field::job, "train"}});
  log.line(100, EventKind::epoch, {{Field::epoch, "1"}});
  return log;
}

HandLog& at(HandLog& log, double seconds, std::string_view position) {
  return log.line(seconds, EventKind::progress, {{Field::position, position}});
}

TEST(Positions, SamplesAreStepsByTheBatch) {
  HandLog log = begun("sample", "64");
  at(log, 120, "640");
  at(log, 121, "640");  // said again
  at(log, 150, "1920");
  const Records& records = log.end();
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(train[0].iterations, 10);
  EXPECT_EQ(to_seconds(train[0].duration), 20) << "from where the epoch began";
  EXPECT_EQ(train[1].iterations, 20);
  EXPECT_EQ(to_seconds(train[1].duration), 30);
  EXPECT_EQ(records.runs.at(0).iteration, 30);
}

TEST(Positions, TokensByTheSequenceAndEpochsByTheDataSet) {
  HandLog tokens = begun("token", "4");
  tokens.line(100, EventKind::setting, {{Field::key, "sequence_length"}, {Field::value, "2048"}});
  at(tokens, 120, "81920");
  EXPECT_EQ(tokens.end().runs.at(0).iteration, 10);
  HandLog shares = begun("epoch", "100");
  shares.line(100, EventKind::setting, {{Field::dataset_size, "20000"}});
  at(shares, 120, "0.25");
  EXPECT_EQ(shares.end().runs.at(0).iteration, 50);
}

TEST(Positions, WhereSeveralDevicesShareASampleNoneHasABatch) {  // a model that lies on 16 of them
  const auto batch = [](std::string_view samples) {
    HandLog log = begun("sample", samples);
    log.line(100, EventKind::setting, {{Field::devices, "16"}});
    at(log, 120, "640");
    return log.end().runs.at(0).train.batch_size;
  };
  EXPECT_EQ(batch("32"), 2);
  EXPECT_EQ(batch("4"), std::nullopt);
}

TEST(Positions, PlannedStepsTellAnEpochsOwn) {
  const auto reached = [](std::string_view planned, std::string_view epochs) {
    HandLog log = begun("epoch", "64");
    log.line(100, EventKind::setting, {{Field::dataset_size, "500"}});
    log.line(100, EventKind::setting, {{Field::max_iter, planned}, {Field::epochs, epochs}});
    at(log, 120, "10");
    return log.end().runs.at(0).iteration.value_or(0);
  };
  EXPECT_EQ(reached("700", "100"), 70) << "the last 52 samples of each are left out";
  EXPECT_EQ(reached("705", "100"), 78) << "no whole number of steps each";
  EXPECT_EQ(reached("100", "100"), 78) << "another plan";
}

TEST(Positions, OfASettingThatIsSaidAgainTheFirstMayCount) {
  HandLog log = begun("epoch", "100");
  for (const std::string_view size : {"20,000", "500"})
    log.line(100, EventKind::setting,
             {{Field::key, "dataset_size"}, {Field::value, size}, {Field::since, "start"}});
  at(log, 120, "0.25");
  EXPECT_EQ(log.end().runs.at(0).iteration, 50);
}

TEST(Positions, BesideABarOrWithoutATimeTheySayNothing) {
  HandLog log = begun("sample", "64");
  log.line(120, EventKind::progress, {{Field::iteration, "10"}, {Field::elapsed, "20"}});
  at(log, 121, "704");
  log.line(140, EventKind::progress, {{Field::iteration, "20"}, {Field::elapsed, "40"}});
  const auto train = segments_of(log.end(), Phase::train);
  ASSERT_EQ(train.size(), 1u);
  EXPECT_EQ(train[0].iterations, 10);
}

TEST(Positions, AnEvaluationThatSaysWhereItStandsEndsAStretch) {
  HandLog log = begun("sample", "64");
  log.line(120, EventKind::test_start, {{Field::position, "640"}});
  log.line(125, EventKind::test_result);
  log.line(145, EventKind::test_start, {{Field::position, "1280"}});
  const auto train = segments_of(log.end(), Phase::train);
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(to_seconds(train[1].duration), 20) << "the evaluation is taken out";
}

TEST(Positions, WithoutAUnitOrARunTheySayNothing) {
  HandLog unknown;
  unknown.line(0, EventKind::run_start, {{Field::job, "train"}, {Field::global_batch_size, "64"}});
  at(unknown, 20, "640");
  EXPECT_TRUE(unknown.end().segments.empty());
  HandLog ended = begun("sample", "64");
  at(ended, 120, "640").line(130, EventKind::run_end, {{Field::outcome, "finished"}});
  at(ended, 140, "1280");
  EXPECT_EQ(ended.end().runs.size(), 1u) << "a line behind the end begins no run";
}

TEST(Positions, AStartToldLateBeginsNoSecondRun) {
  HandLog log;
  log.line(100, EventKind::epoch, {{Field::epoch, "1"}});
  log.line(90, EventKind::run_start, {{Field::job, "train"}, {Field::since, "start"}});
  EXPECT_EQ(log.end().runs.back().ordinal, 0);
}

TEST(Positions, AnEpochThatBeginsAmidATestLosesNothingToIt) {
  HandLog log;
  log.line(0, EventKind::run_start, {{Field::job, "train"}, {Field::steps_per_epoch, "100"}});
  log.line(0, EventKind::epoch, {{Field::epoch, "0"}});
  log.line(50, EventKind::epoch, {{Field::epoch, "0"}, {Field::outcome, "finished"}});
  log.line(50, EventKind::test_start);
  log.line(60, EventKind::epoch, {{Field::epoch, "1"}});
  log.line(65, EventKind::test_result);
  log.line(110, EventKind::epoch, {{Field::epoch, "1"}, {Field::outcome, "finished"}});
  const auto train = segments_of(log.end(), Phase::train);
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(to_seconds(train[1].duration), 50);
}

TEST(Positions, AnEpochCutShortIsNoEpoch) {
  HandLog log;
  log.line(0, EventKind::run_start, {{Field::job, "train"}, {Field::steps_per_epoch, "100"}});
  for (const auto& [n, began, ended] :
       {std::tuple{"0", 0.0, 50.0}, {"1", 60.0, 110.0}, {"2", 120.0, 125.0}}) {
    log.line(began, EventKind::epoch, {{Field::epoch, n}});
    log.line(ended, EventKind::epoch, {{Field::epoch, n}, {Field::outcome, "finished"}});
  }
  const Records& records = log.end();
  EXPECT_EQ(records.runs.at(0).iteration, 200);
  EXPECT_EQ(to_seconds(records.runs[0].train.duration), 100);
}

// The first two compile, or fill a cache.
TEST(Positions, EpochsThatStayFarShorterAreFasterAndNotCutShort) {
  HandLog log;
  log.line(0, EventKind::run_start, {{Field::job, "train"}, {Field::steps_per_epoch, "100"}});
  double now = 0;
  for (int n = 0; n < 22; ++n) {
    const std::string number = std::to_string(n);
    log.line(now, EventKind::epoch, {{Field::epoch, number}});
    now += n < 2 ? 100 : n < 21 ? 20 : 5;  // and the last one reaches its target
    log.line(now, EventKind::epoch, {{Field::epoch, number}, {Field::outcome, "finished"}});
  }
  const Records& records = log.end();
  EXPECT_EQ(records.runs.at(0).iteration, 2100);
  EXPECT_EQ(records.runs[0].train.iterations, 2000) << "the first of them is in doubt";
  EXPECT_EQ(to_seconds(records.runs[0].train.duration), 200 + 18 * 20);
}

TEST(Steps, AStepZeroThatTookTimeIsTheFirst) {
  HandLog log;
  const auto step = [&log](std::string_view n, std::string_view took) {
    log.line({}, EventKind::step_time,
             {{Field::iteration, n}, {Field::max_iter, "3"}, {Field::seconds, took}});
  };
  step("0", "40");  // compiles
  step("1", "0.5");
  step("2", "0.5");
  step("0", "30");  // and again
  const Records& records = log.end();
  EXPECT_EQ(to_seconds(segments_of(records, Phase::train).at(0).duration), 0.5);
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs[0].iteration, 3);
  EXPECT_EQ(records.runs[0].state, RunState::finished);
  EXPECT_EQ(records.runs[1].iteration, 1);
}

TEST(Steps, ProcessesThatSayTheSameLateMakeOneRun) {
  HandLog log;
  const auto says = [&log](std::string_view n, std::string_view elapsed) {
    log.iteration({}, n, {{Field::elapsed, elapsed}});
  };
  says("100", "1000");
  says("110", "1100");
  says("100", "1150");  // the other one
  says("120", "1200");
  const Records& records = log.end();
  ASSERT_EQ(records.runs.size(), 1u);
  EXPECT_EQ(records.runs[0].train.iterations, 20);
  EXPECT_EQ(to_seconds(records.runs[0].train.duration), 200);
}

TEST(Steps, ARateOfTokensIsNoClockThatWasSet) {
  HandLog log;
  log.line(0, EventKind::run_start, {{Field::global_batch_size, "128"}});
  for (const auto& [seconds, n] : {std::pair{10.0, "10"}, {13.0, "20"}, {16.0, "30"}})
    log.iteration(seconds, n, {{Field::samples_per_second, "32000"}});
  EXPECT_EQ(to_seconds(log.end().runs.at(0).train.duration), 6);
}

// PaddleSeg's, several trainings in one file.
TEST(Steps, BehindAPlanThatIsDoneAnotherPlanIsAnotherTraining) {
  HandLog log;
  const auto step = [&log](double seconds, std::string_view iteration, std::string_view of) {
    log.line(seconds, EventKind::progress,
             {{Field::iteration, iteration}, {Field::max_iter, of}, {Field::seconds, "0.5"}});
  };
  step(0, "80", "100");
  step(10, "100", "100");
  log.line(600, EventKind::setting, {{Field::devices, "2"}});
  step(700, "120", "900");  // resumed
  step(710, "140", "900");
  const Records& records = log.end();
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs.at(0).state, RunState::finished);
  EXPECT_EQ(records.runs.at(0).devices, 0);
  EXPECT_EQ(records.runs.at(0).train.iterations, 20);
  EXPECT_EQ(records.runs.at(1).devices, 2);
  EXPECT_EQ(records.runs.at(1).iteration, 140);
  EXPECT_EQ(records.runs.at(1).max_iterations, 900);
  EXPECT_EQ(records.runs.at(1).train.iterations, 20);
}

TEST(Steps, AtThePlansEndTheRoundingsCancelOut) {
  HandLog log;
  const auto step = [&log](std::string_view iteration, std::string_view elapsed) {
    log.line({}, EventKind::progress,
             {{Field::iteration, iteration}, {Field::max_iter, "100"}, {Field::elapsed, elapsed}});
  };
  step("20", "0:20");
  step("90", "1:30");
  step("96", "1:36");  // too soon to tell
  step("100", "1:40");
  const etad::Run run = log.end().runs.at(0);
  EXPECT_EQ(run.train.iterations, 100);
  EXPECT_EQ(to_seconds(run.train.duration), 100);
}

TEST(Steps, WhatFailsBehindADoneRunIsAnotherProgram) {
  HandLog log;
  log.iteration(0, "50", {{Field::max_iter, "100"}}).iteration(50, "100", {{Field::max_iter, "100"}});
  log.line(60, EventKind::error, {{Field::message, "no such file"}});
  EXPECT_EQ(log.end().runs.at(0).state, RunState::finished);
}

}  // namespace
}  // namespace etad::test
