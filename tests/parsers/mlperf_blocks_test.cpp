// MLPerf's logs whose trainings go by blocks with evaluations between or within them: LoRA's and U-Net's; HugeCTR's.
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

TEST(MlPerf, BlocksOfSamples) {  // Llama 2 with LoRA; a block ends where the test behind it begins
  auto lines = head("llama2_70b_lora", 8, 3901);
  for (int block = 0; block < 4; ++block) {
    const double at = 200.0 * block;
    lines.push_back(said(at, "block_start", "null", number("samples_count", 400 * block)));
    lines.push_back(said(at + 165, "block_stop", "null", number("samples_count", 400 * (block + 1))));
    lines.push_back(said(at + 165, "eval_start", "null", number("samples_count", 400 * (block + 1))));
    lines.push_back(said(at + 200, "eval_stop", "null", number("samples_count", 400 * (block + 1))));
  }
  lines.push_back(end(800));
  expect_finished(run_of(lines), "llama2_70b_lora", 200, 3.3);
}

// The reference's LoRA ends a block behind its evaluation, at other steps than those at which it tells its loss; the first
// block is longer.
TEST(MlPerf, EvaluationsWithinTheReferencesBlocks) {
  auto lines = head("llama2_70b_lora", 8, 3901);
  const auto add = [&](double second, const char* key, int samples) {
    std::string line = said(second, key, "1.25", number("samples_count", samples));
    line.replace(line.find("a.py"), 4, "mlperf_logging_utils.py");
    lines.push_back(line);
  };
  double at = 0;
  for (int step = 1; step <= 96; ++step) {
    at += 2;
    if (step % 10 == 0) add(at, "train_loss", 8 * step);
    if (step % 12 != 0 || step < 36) continue;
    at += 9;
    for (const char* key : {"block_stop", "eval_accuracy"}) add(at, key, 8 * step);
    add(at, "block_start", step / 8);
  }
  lines.push_back(end(at));
  expect_finished(run_of(lines), "llama2_70b_lora", 96, 2);
}

TEST(MlPerf, HugectrNamesItsDevices) {
  auto lines = head("dlrm_dcnv2", 65536, 41951976);
  for (int device = 0; device < 4; ++device)
    lines.push_back(written("[HCTR][05:06:07.%d25][INFO][RK0][main]: Device %d: NVIDIA A10", device, device));
  for (int step = 100; step <= 400; step += 100)
    lines.push_back(
        written("[HCTR][05:06:08.125][INFO][RK0][main]: Iter: %d Time(100 iters): 0.5000s Loss: 0.125 "
                "lr:0.005",
                step));
  lines.push_back(end(4));
  EXPECT_EQ(run_of(lines).device, "NVIDIA A10");
  EXPECT_EQ(run_of(lines).devices, 4);
}

// LoRA's first block begins with what is done once; the rate that it tells behind it is of its steps alone.
TEST(MlPerf, LorasFirstBlockIsAsFastAsItSays) {
  auto lines = head("llama2_70b_lora", 8, 3901);
  const auto block = [&](double at, double took, int from, int to, double rate) {
    lines.push_back(said(at, "block_start", "null", number("samples_count", from)));
    std::string told = said(at + took, "tracked_stats", R"({"throughput": )" + std::to_string(rate) + "}",
                            number("step", to));
    told.replace(told.find("a.py"), 4, "/workspace/ft-llm/custom_callbacks.py");
    lines.push_back(told);
    lines.push_back(said(at + took, "block_stop", "null", number("samples_count", to)));
    lines.push_back(said(at + took, "eval_start", "null", number("samples_count", to)));
    lines.push_back(said(at + took + 20, "eval_stop", "null", number("samples_count", to)));
  };
  block(0, 128, 0, 1536, 16);  // 96 seconds of steps
  block(148, 24, 1536, 1920, 16);
  block(192, 24, 1920, 2304, 16);
  lines.push_back(end(236));
  expect_finished(run_of(lines), "llama2_70b_lora", 288, 0.5);
}

TEST(MlPerf, UnetsBlocksCountEpochs) {
  auto lines = head("unet3d", 56, 168);
  for (int block = 0; block < 4; ++block) {
    lines.push_back(said(
        3.0 * block, "block_start", "null",
        number("first_epoch_num", 20 * block + (block == 0 ? 1 : 0)) + ", " + number("epoch_count", 20)));
    lines.push_back(said(3.0 * block + 3, "block_stop", "null",
                         number("first_epoch_num", 20 * block + 20) + ", " + number("epoch_count", 20)));
  }
  lines.push_back(end(12));
  const auto run = run_of(lines);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_NEAR(step_of(run), 0.05, 0.003) << "three iterations an epoch";
}

// It is said that the target was met while the next block goes on, or before that block's end is.
TEST(MlPerf, UnetsLastBlockEndsWithTheRun) {
  for (const bool evaluated : {true, false}) {
    auto lines = head("unet3d", 56, 168);
    for (int block = 0; block < 4; ++block)
      lines.push_back(said(
          3.0 * block, "block_start", "null",
          number("first_epoch_num", 20 * block + (block == 0 ? 1 : 0)) + ", " + number("epoch_count", 20)));
    if (evaluated) {
      lines.push_back(said(12, "eval_start", "80", number("epoch_num", 80)));
      lines.push_back(said(15, "eval_stop", "80", number("epoch_num", 80)));
    }
    lines.push_back(said(evaluated ? 15 : 12, "run_stop", "null", R"("status": "success", "epoch": 80)"));
    expect_finished(run_of(lines), "unet3d", 240, 0.05);
    EXPECT_EQ(run_of(lines).train.iterations, 240);
  }
}

// Other machines evaluate while the training goes on: that takes none of its time.
TEST(MlPerf, TestsBesideTheTrainingAreNotTakenOut) {
  auto lines = head("unet3d", 56, 168);
  for (int block = 0; block < 12; ++block) {
    const double at = 3.0 * block;
    const int first = 20 * block + (block == 0 ? 1 : 0);
    lines.push_back(
        said(at, "block_start", "null", number("first_epoch_num", first) + ", " + number("epoch_count", 20)));
    if (block < 6) continue;
    lines.push_back(said(at + 0.1, "eval_start", "null", number("epoch_num", 20 * block)));
    lines.push_back(said(at + 2.7, "eval_stop", "null", number("epoch_num", 20 * block)));
  }
  lines.push_back(end(36));
  EXPECT_NEAR(step_of(run_of(lines)), 0.05, 0.001);
}

// Processes of their own test what the others train, and one of them says that the target is met.
TEST(MlPerf, AnotherProcessThatTestsEndsTheRun) {
  std::vector<std::string> lines;
  for (const std::string& line : head("unet3d", 56, 168)) lines.push_back(" 0: " + line);
  for (int block = 0; block < 12; ++block) {
    const int first = 3360 * block;
    lines.push_back(" 0: " + said(3.0 * block, "block_start", "null",
                                  number("first_epoch_num", first) + ", " + number("epoch_count", 3360)));
    lines.push_back(" 0: " + said(3.0 * block + 3, "block_stop", "null",
                                  number("first_epoch_num", first) + ", " + number("epoch_count", 3360)));
  }
  lines.push_back("56: " + end(36));
  EXPECT_EQ(run_of(lines).state, RunState::finished);
}

// The same evaluations of the same machines: the blocks are longer by them.
TEST(MlPerf, TestsBetweenTheTrainingAreTakenOut) {
  auto lines = head("unet3d", 56, 168);
  double at = 0;
  for (int block = 0; block < 12; ++block) {
    const int first = 20 * block + (block == 0 ? 1 : 0);
    lines.push_back(
        said(at, "block_start", "null", number("first_epoch_num", first) + ", " + number("epoch_count", 20)));
    at += 3;
    if (block < 6) continue;
    lines.push_back(said(at, "eval_start", "null", number("epoch_num", 20 * block + 20)));
    at += 2.6;
    lines.push_back(said(at, "eval_stop", "null", number("epoch_num", 20 * block + 20)));
  }
  lines.push_back(end(at));
  EXPECT_NEAR(step_of(run_of(lines)), 0.05, 0.001);
}

}  // namespace
}  // namespace etad::test
