// MLPerf's logs of v2.0 and later, benchmark by benchmark: what each counts, and in what order its lines come.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"
#include "tests/parsers/mlperf_lines.h"

namespace etad::test {
namespace {

using mlperf::end;
using mlperf::expect_finished;
using mlperf::head;
using mlperf::number;
using mlperf::run_of;
using mlperf::said;
using mlperf::step_of;

// SSD's three epochs, one each so many seconds, of which its training takes some.
std::vector<std::string> ssd(int samples, double each, double training) {
  auto lines = head("ssd", 256, samples);
  lines.insert(lines.begin() + 1, said(-8, "local_batch_size", "32"));
  for (int epoch = 0; epoch < 3; ++epoch) {
    lines.push_back(said(each * epoch, "epoch_start", "0", number("epoch_num", epoch)));
    lines.push_back(said(each * epoch + training, "epoch_stop", "0", number("epoch_num", epoch)));
  }
  lines.push_back(end(3 * each));
  return lines;
}

// Its lines say to the millisecond when they were written; an environment's stamp says when they came, to the second.
TEST(MlPerf, ItsOwnTimesCountBehindAStamp) {
  auto lines = ssd(40, 1.25, 1);
  for (std::string& line : lines) line.insert(0, "Nov 14 22:13:20 ");
  expect_finished(run_of(lines), "ssd", 120, 0.025);
}

TEST(MlPerf, SsdsTrainSamplesAreBatches) {
  const auto run = run_of(ssd(4500, 1300, 1260));
  expect_finished(run, "ssd", 13500, 0.28);
  EXPECT_EQ(run.train.samples_per_iteration, 256);
}

TEST(MlPerf, RnntsEpochsAreItsSamplesByItsBatch) {
  auto lines = head("rnnt", 2048, 278528);
  for (int epoch = 1; epoch <= 3; ++epoch) {
    lines.push_back(said(20.0 * epoch, "epoch_start", "null", number("epoch_num", epoch)));
    lines.push_back(said(20.0 * epoch + 13.6, "epoch_stop", "null", number("epoch_num", epoch)));
    lines.push_back(said(20.0 * epoch + 13.6, "eval_start", "null", number("epoch_num", epoch)));
    lines.push_back(said(20.0 * epoch + 15, "eval_stop", "null", number("epoch_num", epoch)));
  }
  lines.push_back(end(80));
  expect_finished(run_of(lines), "rnnt", 3 * 136, 0.1);
}

// MLPerf HPC: evaluations lie within DeepCAM's epochs, and OpenFold numbers its own by the samples at their end.
TEST(MlPerf, HpcsEpochsAndNodes) {
  auto lines = head("deepcam", 144, 14400);
  lines.insert(lines.begin() + 1,
               {said(-8, "number_of_nodes", "18"), said(-8, "accelerators_per_node", "2")});
  for (int epoch = 1; epoch <= 3; ++epoch) {
    lines.push_back(said(60.0 * epoch, "epoch_start", "null", number("epoch_num", epoch)));
    lines.push_back(said(60.0 * epoch + 42, "eval_start", "null", number("epoch_num", epoch)));
    lines.push_back(said(60.0 * epoch + 58, "eval_stop", "null", number("epoch_num", epoch)));
    lines.push_back(said(60.0 * epoch + 58, "epoch_stop", "null", number("epoch_num", epoch)));
  }
  lines.push_back(end(240));
  const auto run = run_of(lines);
  expect_finished(run, "deepcam", 300, 0.42);
  EXPECT_EQ(run.devices, 36);

  lines = head("openfold", 128, 594595);
  lines.insert(lines.begin() + 1,
               {said(-8, "number_of_nodes", "256"), said(-8, "accelerators_per_node", "8")});
  for (int block = 1; block <= 3; ++block) {
    const std::string samples = number("epoch_num", 5120 * block);
    lines.push_back(said(90.0 * block, "epoch_start", "null", samples));
    lines.push_back(said(90.0 * block + 72, "epoch_stop", "null", samples));
    lines.push_back(said(90.0 * block + 72, "eval_start", "null", samples));
    lines.push_back(said(90.0 * block + 90, "eval_stop", "null", samples));
  }
  lines.push_back(end(360));
  const auto folded = run_of(lines);
  EXPECT_EQ(folded.iteration, 120);
  EXPECT_EQ(folded.devices, 2048);
}

TEST(MlPerf, MaskrcnnsStepsStandBetween) {
  auto lines = head("maskrcnn", 96, 40000);
  for (int step = 50; step <= 200; step += 50)
    lines.push_back(
        "2022-06-22 00:46:00,125 maskrcnn_benchmark.trainer INFO: eta: 1:12:30  iter: " +
        std::to_string(step) +
        "  time: 0.1469 (0.1502)  data: 0.0001 (0.0100)  loss: 1.2500 (2.5000)  loss_objectness: 0.5");
  lines.push_back(end(80));
  const auto run = run_of(lines);
  EXPECT_EQ(run.iteration, 200);
  EXPECT_NEAR(step_of(run), 0.1502, 1e-4) << "the mean, not the last one";
}

TEST(MlPerf, MaskrcnnsTrackedStatsAreMeansSinceTheLast) {
  auto lines = head("maskrcnn", 96, 40000);
  for (int step = 50; step <= 200; step += 50)
    lines.push_back(said(0.0625 * step, "tracked_stats",
                         R"({"time": 0.0625, "loss": 1.25, "throughput": 1536.0})", number("step", step)));
  lines.push_back(end(80));
  expect_finished(run_of(lines), "maskrcnn", 200, 0.0625);
}

// Gaudi's ResNet: blocks of two and of four epochs, whose evaluations lie within them, and no epoch between.
// Where epochs are told as well, it is they that count.
TEST(MlPerf, BlocksOfEpochs) {
  for (const bool shows_epochs : {false, true}) {
    auto lines = head("resnet", 100, 1000);
    double at = 0;
    int epoch = 1;
    for (const int epochs : {2, 4, 4, 4}) {
      const std::string block = number("first_epoch_num", epoch);
      lines.push_back(said(at, "block_start", "null", block + ", " + number("epoch_count", epochs)));
      for (int i = 0; i < epochs; ++i, ++epoch, at += 5) {
        if (!shows_epochs) continue;
        lines.push_back(said(at, "epoch_start", "null", number("epoch_num", epoch)));
        lines.push_back(said(at + 5, "epoch_stop", "null", number("epoch_num", epoch)));
      }
      lines.push_back(said(at, "eval_start", "null", number("epoch_num", epoch - 1)));
      lines.push_back(said(at + 3, "eval_stop", "null", number("epoch_num", epoch - 1)));
      at += 3;
      lines.push_back(said(at, "block_stop", "null", block + ", " + number("epoch_count", epochs)));
    }
    lines.push_back(end(at));
    const auto run = run_of(lines);
    expect_finished(run, "resnet", 140, 0.5);
    EXPECT_EQ(run.train.segments, shows_epochs ? 14 : 4);
    EXPECT_EQ(run.test.segments, 0);
  }
}

// Five blocks of Stable Diffusion's, one each so many seconds, that train for 14.5 of them.
void train_blocks(std::vector<std::string>& lines, double each) {
  for (int block = 0; block < 5; ++block) {
    const double at = each * block;
    lines.push_back(said(at, "block_start", R"("training_step")", number("samples_count", 102400 * block)));
    lines.push_back(
        said(at + 14.5, "block_stop", R"("training_step")", number("samples_count", 102400 * (block + 1))));
  }
}

// Stable Diffusion tests its snapshots when the training is over, and then says when it had met its target.
TEST(MlPerf, ARunMayEndBeforeItsLastLines) {
  auto lines = head("stable_diffusion", 1024, 6513144);
  train_blocks(lines, 14.5);
  lines.push_back(said(400, "eval_start", "null", number("samples_count", 102400)));
  lines.push_back(said(500, "eval_stop", "null", number("samples_count", 102400)));
  lines.push_back(end(60));
  expect_finished(run_of(lines), "stable_diffusion", 500, 0.145);
}

TEST(MlPerf, GptsBlocksCountTokensAndNothingComesAfterItsEnd) {
  const int tokens = 2048;
  std::vector<std::string> lines = {said(-9, "global_batch_size", "1536"),
                                    said(-8, "max_sequence_length", "2048"),
                                    said(-7, "submission_benchmark", R"("gpt3")"), said(0, "run_start"),
                                    said(0, "epoch_start", "null", number("epoch_num", 0))};
  for (int block = 0; block < 4; ++block) {
    lines.push_back(said(
        100.0 * block, "block_start", "null",
        number("first_epoch_num", 24576 * tokens * block) + ", " + number("epoch_count", 24576 * tokens)));
    lines.push_back(
        said(100.0 * block + 80, "block_stop", "null", number("first_epoch_num", 24576 * tokens * block)));
    lines.push_back(
        said(100.0 * block + 80, "eval_start", "null", number("epoch_num", 24576 * tokens * (block + 1))));
    lines.push_back(
        said(100.0 * block + 100, "eval_stop", "null", number("epoch_num", 24576 * tokens * (block + 1))));
  }
  lines.push_back(end(400));
  lines.push_back(said(400, "train_samples", "201326592"));
  lines.push_back(said(400, "epoch_stop", "null", number("epoch_num", 201326592)));
  const auto run = run_of(lines);
  expect_finished(run, "gpt3", 64, 5.0);
  EXPECT_EQ(run.train.samples_per_iteration, 1536);
}

// Logs of several processes that were sorted: what names the run comes last, or its start behind its first epoch.
TEST(MlPerf, LinesMayBeSortedOtherwise) {
  auto lines = head("rnnt", 2048, 278528);
  std::swap(lines[0], lines[3]);
  lines.insert(lines.end() - 1, said(0, "epoch_start", "null", number("epoch_num", 1)));
  lines.push_back(said(13.6, "epoch_stop", "null", number("epoch_num", 1)));
  lines.push_back(said(20, "epoch_start", "null", number("epoch_num", 2)));
  lines.push_back(said(33.6, "epoch_stop", "null", number("epoch_num", 2)));
  lines.push_back(end(34));
  expect_finished(run_of(lines), "rnnt", 2 * 136, 0.1);
}

TEST(MlPerf, WhatLiesBetweenTwoBlocksIsNoTraining) {  // it saves what it will test
  auto lines = head("stable_diffusion", 1024, 6513144);
  train_blocks(lines, 20);
  lines.push_back(end(100));
  expect_finished(run_of(lines), "stable_diffusion", 500, 0.145);
}

// BERT's that evaluates amid one epoch without saying where: all samples, told at the end, by the whole time.
TEST(MlPerf, SamplesToldAtTheEndMeasureTheRun) {
  std::vector<std::string> lines = {said(-9, "submission_benchmark", R"("bert")"),
                                    said(-8, "global_batch_size", "256"), said(0, "run_start"),
                                    said(1, "epoch_start", "null", number("epoch_num", 1)),
                                    said(1, "block_start", "null", number("first_epoch_num", 1))};
  for (int test = 1; test <= 4; ++test)
    lines.push_back(said(50.0 * test, "eval_accuracy", "0.5", number("epoch_num", 1)));
  lines.push_back(said(201, "epoch_stop", "null", number("epoch_num", 1)));
  lines.push_back(said(201, "train_samples", "204800"));
  lines.push_back(end(201));
  const auto run = run_of(lines);
  expect_finished(run, "bert", 800, 0.25);
  EXPECT_FALSE(run.settings.contains("dataset_size")) << "it is no size of the data set";
}

// DLRM's, which tells them behind the end, and not when its last evaluation ended.
TEST(MlPerf, SamplesToldBehindTheEndMeasureTheRun) {
  std::vector<std::string> lines = {said(-9, "submission_benchmark", R"("dlrm")"),
                                    said(-8, "global_batch_size", "50000"), said(0, "run_start"),
                                    said(0, "epoch_start", "null", number("epoch_num", 1))};
  for (int test = 1; test <= 4; ++test) {
    const std::string share = R"("epoch_num": 1.)" + std::to_string(2 * test);
    lines.push_back(said(12.0 * test - 2, "eval_start", "null", share));
    if (test < 4) lines.push_back(said(12.0 * test, "eval_stop", "null", share));
  }
  lines.push_back(said(48, "epoch_stop", "null", number("epoch_num", 1)));
  lines.push_back(end(48));
  lines.push_back(said(48, "train_samples", "400000000"));
  expect_finished(run_of(lines), "dlrm", 8000, 0.005);
}

TEST(MlPerf, DlrmsSharesCountFromTheFirstEpochsNumber) {
  auto lines = head("dlrm", 50000, 400000000);
  lines.push_back(said(0, "epoch_start", "null", number("epoch_num", 1)));
  for (int test = 1; test <= 4; ++test) {
    const std::string share = R"("epoch_num": 1.)" + std::to_string(2 * test);
    lines.push_back(said(10.0 * test - 2, "eval_start", "null", share));
    lines.push_back(said(10.0 * test, "eval_stop", "null", share));
  }
  lines.push_back(end(40));
  expect_finished(run_of(lines), "dlrm", 6400, 0.005);
}

TEST(MlPerf, MinigosRoundsAreWhatIsCounted) {
  std::vector<std::string> lines = {said(-9, "submission_benchmark", R"("minigo")"), said(0, "run_start")};
  for (int round = 18; round < 24; ++round) {
    const double at = 240.0 * (round - 18);
    lines.push_back(said(at, "epoch_start", "null", number("epoch_num", round)));
    lines.push_back(said(at + 240, "epoch_stop", "null", number("epoch_num", round)));
  }
  lines.push_back(end(1500));
  const auto run = run_of(lines);
  EXPECT_EQ(run.train.iterations, 6);
  EXPECT_NEAR(step_of(run), 240, 0.1);
}

// The last of an epoch's batches are not displayed: how many there are, the data set and the batch say.
TEST(MlPerf, EpochsOfMxnetAreAsLongAsTheDataSet) {
  std::vector<std::string> lines = head("resnet", 512, 40'000);  // 78.125 batches
  for (int epoch = 0; epoch < 10; ++epoch) {
    lines.push_back(said(60 * epoch, "epoch_start", "null", number("epoch_num", epoch + 1)));
    for (int batch = 20; batch <= 60; batch += 20)
      lines.push_back("Node[0] Epoch[" + std::to_string(epoch) + "] Batch [" + std::to_string(batch - 20) +
                      "-" + std::to_string(batch) + "]\tSpeed: 1024.00 samples/sec\taccuracy=nan");
    lines.push_back(said(60 * epoch + 40, "epoch_stop", "null", number("epoch_num", epoch + 1)));
  }
  lines.push_back(end(600));
  const etad::Run run = run_of(lines);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(static_cast<double>(run.iteration.value_or(0)), 780, 20);
  EXPECT_NEAR(step_of(run), 0.5, 0.001);
}

// HugeCTR's own lines come first, and what they say is said once more behind them, from the beginning.
TEST(MlPerf, WhatATrainingShowedIsToldAgainBehindIt) {
  std::vector<std::string> lines = {said(-60, "cache_clear", "true")};
  for (int n = 1; n <= 40; ++n)
    lines.push_back("[HUGECTR][15:54:16][INFO][RANK0]: Iter: " + std::to_string(1000 * n) +
                    " Time(1000 iters): 1.250000s Loss: 0.000000");
  lines.push_back(said(200, "submission_benchmark", "\"dlrm\""));
  lines.push_back(said(200, "global_batch_size", "51200"));
  for (const char* key : {"init_stop", "run_start"}) lines.push_back(said(0, key));
  lines.push_back(said(0.04, "epoch_start", "null", number("epoch_num", 1)));
  for (int n = 1; n <= 5; ++n) {
    const std::string place = "\"epoch_num\": " + std::to_string(1 + 0.05 * n);
    lines.push_back(said(10 * n, "eval_start", "null", place));
    lines.push_back(said(10 * n + 0.5, "eval_stop", "null", place));
  }
  lines.push_back(said(51, "epoch_stop", "null", number("epoch_num", 1)));
  lines.push_back(end(51));
  const etad::Run run = run_of(lines);
  expect_finished(run, "dlrm", 40'000, 0.00125);
  EXPECT_EQ(run.train.samples_per_iteration, 51'200);
}

// A bert of three evaluations behind `before`, which stands above all.
etad::Run bert_behind(const std::vector<std::string>& before) {
  std::vector<std::string> lines = before;
  for (const std::string& line : head("bert", 256, 25'600)) lines.push_back(line);
  for (int i = 1; i <= 4; ++i)
    lines.push_back(said(100 * i, "eval_accuracy", "0.5", number("epoch_num", 25'600 * i)));
  lines.push_back(end(401));
  return run_of(lines);
}

// Each process says that it begins, and which seed it has taken; one alone may speak for all.
TEST(MLPerf, CountsTheDevicesByWhatEachProcessSays) {
  const auto of_each = [](int begun, int seeds, int launched) {
    std::vector<std::string> lines(static_cast<std::size_t>(launched),
                                   "STARTING TIMING RUN AT 2023-11-14 10:13:20 PM");
    lines.insert(lines.end(), static_cast<std::size_t>(begun), said(-20, "init_start"));
    lines.insert(lines.end(), static_cast<std::size_t>(seeds), said(-19, "seed", "4242"));
    return bert_behind(lines).devices;
  };
  EXPECT_EQ(of_each(1, 1, 1), 0) << "unknown";
  EXPECT_EQ(of_each(16, 1, 1), 16);
  EXPECT_EQ(of_each(1, 16, 0), 16);
  EXPECT_EQ(of_each(1, 1, 8), 8);
  EXPECT_EQ(of_each(8, 1, 16), 8) << "the script that starts a process may say so twice";
}

TEST(MLPerf, KnowsTheDevicesByTheSubmittersNameOfTheMachine) {
  const auto of_platform = [](const std::string& name) {
    return bert_behind({said(-20, "submission_platform", '"' + name + '"')});
  };
  EXPECT_EQ(of_platform("16xNVIDIA DGX H100").devices, 128);
  EXPECT_EQ(of_platform("16xNVIDIA DGX H100").device, "H100");
  EXPECT_EQ(of_platform("2xBoxx4H100-SXM-80GB").devices, 8);
  EXPECT_EQ(of_platform("box_8xMI300X").devices, 8);
  EXPECT_EQ(of_platform("4xMI300X").devices, 32) << "nodes of eight";
  EXPECT_EQ(of_platform("tpu-v4-2048").devices, 1024) << "two cores a chip";
  EXPECT_EQ(of_platform("2xBox").devices, 0) << "unknown";
  EXPECT_EQ(of_platform("2xBox").settings.at("platform"), "2xBox");
}

}  // namespace
}  // namespace etad::test
