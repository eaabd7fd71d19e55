// Histories as CSV: rows that name their values, and what trainings write so.
#include <gtest/gtest.h>

#include "parsers/lines/named_rows.h"
#include "parsers/log/log_parser.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

TEST(NamedRows, NameEachCell) {
  NamedRows rows;
  EXPECT_EQ(rows.line_of("1,2"), "") << "no header yet";
  rows.take_header("Epoch, \"Time (s)\" ,train/loss.avg");
  EXPECT_EQ(rows.line_of("3,62.5,0.5125"), "epoch=3, time_s=62.5, train/loss_avg=0.5125");
  EXPECT_EQ(rows.line_of("3,,\"a, b\""), "epoch=3, time_s=, train/loss_avg=a, b");
  EXPECT_EQ(rows.line_of("3,62.5"), "") << "a cell too few";
  rows.take_header("a;b, or c;d");
  EXPECT_EQ(rows.line_of("1;2;3"), "a=1, b_or_c=2, d=3");
  rows.take_header("step\tloss");
  EXPECT_EQ(rows.line_of("10\t0.5"), "step=10, loss=0.5");
}

TEST(NamedRows, WhatMayBeAHeader) {
  for (const char* line : {"epoch,loss", "\"Epoch\",loss", "_step,loss"})
    EXPECT_TRUE(NamedRows::may_be_header(line)) << line;
  for (const char* line : {"", "3,0.5", ",,0.5", "-1.5,3", "\"3\",0.5"})
    EXPECT_FALSE(NamedRows::may_be_header(line)) << line;
}

TEST(NamedRows, BoundTheirHeader) {
  NamedRows rows;
  rows.take_header("a,b");
  rows.take_header(std::string(20'000, 'c'));
  std::string wide = "c0";
  for (int i = 1; i < 600; ++i) wide += ",c" + std::to_string(i);
  rows.take_header(wide);
  EXPECT_EQ(rows.header(), "a,b");
}

TEST(Histories, OfEpochsWithTheirTimes) {
  Lines lines = {"epoch,train_loss,val_loss,epoch_time_sec"};
  for (int i = 1; i <= 5; ++i) lines.push_back(written("%d,0.8125,0.9125,62.5", i));
  const auto runs = runs_of(lines, 3);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).framework, "generic");
  EXPECT_EQ(runs.at(0).iteration, 5);
  EXPECT_EQ(runs.at(0).train.iterations, 5);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 62.5);
  EXPECT_EQ(runs.at(0).settings.at("derived"), "iterations: epochs");
}

// Lightning's: most rows are of steps, and an epoch's last one alone says its time.
TEST(Histories, OfEpochsAmidRowsOfSteps) {
  Lines lines = {"epoch,epoch_time,step,train_loss_step,val_loss"};
  for (int i = 0; i < 4; ++i) {
    lines.push_back(written("%d,,%d,0.8125,", i, 400 * i + 199));
    lines.push_back(written("%d,62.5,%d,,0.9125", i, 400 * i + 399));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 4);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 62.5);
}

TEST(Histories, OfStepsByTheHoursSoFar) {
  Lines lines = {"loss,step,learning_rate,elapsed_hours"};
  for (int i = 1; i <= 6; ++i) lines.push_back(written("0.8125,%d,0.001,%.4f", 100 * i, 0.25 * i));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 600);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 9);
  EXPECT_EQ(runs.at(0).settings.count("derived"), 0U);
}

// One that is begun anew goes on in the same file; the row before may lack its time.
TEST(Histories, OfSeveralTrainings) {
  Lines lines = {"timestamp,step,loss"};
  for (int run = 0; run < 2; ++run) {
    lines.push_back(written("2026-03-0%dT09:00:00.250000,10,0.8125", run + 1));
    for (int i = 2; i <= 5; ++i)
      lines.push_back(written("2026-03-0%dT09:00:%02d.250000,%d,0.8125", run + 1, 5 * (i - 1), 10 * i));
    lines.push_back(written(",%d,0.8125", 52));
  }
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& [ordinal, run] : runs) {
    EXPECT_EQ(run.train.iterations, 40) << ordinal;
    EXPECT_DOUBLE_EQ(step_time(run), 0.5) << ordinal;
  }
}

// A time that no column's name explains: the row's own where it does not grow, else that so far.
TEST(Histories, OfEpochsByATimeOfUnknownMeaning) {
  for (const bool grows : {false, true}) {
    Lines lines = {"Epoch;Train Loss;Time (s)"};
    for (int i = 0; i < 8; ++i) lines.push_back(written("%d;0.8125;%.1f", i, grows ? 62.5 * (i + 1) : 62.5));
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U) << grows;
    EXPECT_EQ(runs.at(0).iteration, 8) << grows;
    EXPECT_NEAR(step_time(runs.at(0)), 62.5, 1e-9) << grows;
  }
}

TEST(Histories, ByTheirNames) {
  struct Case {
    const char *header, *row;  // of the row's number, and that times what follows
    double factor, seconds;
  };
  for (const Case& c :
       {Case{"rollout/return,total/steps,total/duration", "-1.5,%d000,%.4f", 12.5, 0.0125},
        Case{"Wall time,Step,Value", "16042588%02d.25,%.0f,0.5", 10, 0.1},
        Case{"episode_reward_mean,timesteps_total,time_total_s", "-1.5,%d000,%.4f", 12.5, 0.0125},
        Case{"episode_reward_mean,timesteps_total,training_iteration,time_total_s", "-1.5,4000,%d,%.1f", 62.5,
             62.5},
        Case{"time/epoch (s),Epoch,loss", "62.5,%d,%.1f", 0, 62.5},
        Case{"Iteration,Reward,wall_clock_time", "%d,0.5,%.1f", 2.5, 2.5},
        Case{"ep,steps,loss,step_time_ms", "0,%d,%.1f,125", 0, 0.125}}) {
    Lines lines = {c.header};
    for (int i = 1; i <= 5; ++i) lines.push_back(written(c.row, i, c.factor * i));
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U) << c.header;
    EXPECT_NEAR(step_time(runs.at(0)), c.seconds, 1e-9) << c.header;
  }
}

// Keras' history has no time in it: that of the rows' arrival is known where they are followed.
TEST(Histories, WithoutAnyTimeAsTheyArrive) {
  Lines lines = {"epoch,accuracy,loss,val_accuracy,val_loss"};
  for (int i = 0; i < 6; ++i) lines.push_back(written("%d,0.75,0.8125,0.625,0.9125", i));
  EXPECT_TRUE(runs_of(lines).empty());
  LogOptions options;
  options.formats = &shipped_formats();
  LogParser parser(options);
  Records records;
  Instant now = reference_time();
  for (const std::string& line : lines) {
    parser.feed(line, now, now, records);
    parser.flush(records);
    now += std::chrono::seconds(30);
  }
  parser.close(records);
  parser.flush(records);
  ASSERT_FALSE(records.runs.empty());
  EXPECT_EQ(parser.format(), "history_csv");
  EXPECT_EQ(records.runs.back().iteration, 6);
  EXPECT_DOUBLE_EQ(step_time(records.runs.back()), 30);
}

// Where a row is an episode's, its steps are not those of the run.
TEST(Histories, OfEpisodes) {
  for (const bool timed : {false, true}) {
    Lines lines = {timed ? "episode,steps,episode_time_s,total_reward"
                         : "episode,steps,elapsed_s,total_reward"};
    for (int i = 1; i <= 6; ++i)
      lines.push_back(written("%d,%d,%.1f,-1.5", i, 300 - 7 * i, timed ? 2.5 : 2.5 * i));
    const auto runs = runs_of(lines);
    ASSERT_EQ(runs.size(), 1U) << timed;
    EXPECT_EQ(runs.at(0).iteration, 6) << timed;
    EXPECT_NEAR(step_time(runs.at(0)), 2.5, 1e-9) << timed;
  }
  Lines lines = {"total/episodes,total/steps,total/duration,rollout/return"};
  for (int i = 1; i <= 6; ++i) lines.push_back(written("%.1f,%d,%.1f,-1.5", 2.0 * i, 400 * i, 20.0 * i));
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 2400);
}

// Hugging Face's history: nothing tells the time but the sums at the end.
TEST(Histories, OfHuggingFacesTrainer) {
  Lines lines = {"loss,learning_rate,epoch,step,eval_loss,eval_runtime,train_runtime,total_flos"};
  for (int i = 1; i <= 24; ++i) lines.push_back(written("0.8125,0.001,%.3f,%d,,,,", 0.125 * i, 25 * i));
  lines.emplace_back(",,3.0,600,,,512.25,1.25e+15");
  lines.emplace_back(",,3.0,600,0.9125,12.5,,");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_EQ(runs.at(0).train.iterations, 600);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 512.25 / 600);
}

// Tables of other things: no training, or rows of a validation alone.
TEST(Histories, WhatIsNone) {
  for (const char* header :
       {"epoch,open,close,volume,time", "step,instruction,time", "phase,epoch,loss,time"}) {
    Lines lines = {header};
    for (int i = 1; i <= 6; ++i) lines.push_back(written("val,%d,0.5,%d", i, 10 * i));
    EXPECT_TRUE(runs_of(lines).empty()) << header;
  }
}

}  // namespace
}  // namespace etad::test
