// Time-Series-Library and its kin: an epoch's time on a line, its steps on a later one, and the speed of every hundredth
// step, which counts in a first epoch alone.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

void start(Lines& lines) {
  lines.insert(lines.end(), {">>>>>>>start training : 96_24_Former_custom_ftM_sl96_ll48_pl24_Exp_0>>>>>>>",
                             "train 8500", "val 2850", "test 2850"});
}

void steps(Lines& lines, int epoch, int count, double first_speed) {
  for (int step = 100; step <= count; step += 100) {
    lines.push_back(written("\titers: %d, epoch: %d | loss: 0.2512500", step, epoch));
    lines.push_back(written("\tspeed: %.4fs/iter; left time: 512.5000s", step == 100 ? first_speed : 0.125));
  }
}

void end_of_epoch(Lines& lines, int epoch, int count) {
  lines.push_back(written("Epoch: %d cost time: %.4f", epoch, 0.125 * count));
  lines.push_back(written("Epoch: %d, Steps: %d | Train Loss: 0.5125000 Vali Loss: 0.6125000", epoch, count));
  lines.emplace_back("Updating learning rate to 5e-05");
}

const std::string kArguments =
    "Namespace(is_training=1, model_id='96_24', model='Former', data='custom', itr=2, train_epochs=3, "
    "batch_size=32, use_gpu=True, gpu=0, use_multi_gpu=False, devices='0,1')";

// The first speed of an epoch holds the validation before it, that of the first one the start.
TEST(SeriesForecasts, EpochsAreMeasuredByTheirTime) {
  Lines lines = {"Args in experiment:", kArguments, "Use GPU: cuda:0"};
  for (int training = 0; training < 2; ++training) {
    start(lines);
    for (int epoch = 1; epoch <= 3; ++epoch) {
      steps(lines, epoch, 264, epoch == 1 ? 0.25 : 0.5);
      end_of_epoch(lines, epoch, 264);
    }
    lines.emplace_back(">>>>>>>testing : 96_24_Former_custom_ftM_sl96_ll48_pl24_Exp_0<<<<<<<");
    lines.emplace_back("test 2850");
  }
  for (const std::size_t restart : {std::size_t{0}, std::size_t{16}}) {
    const auto runs = runs_of(lines, restart);
    ASSERT_EQ(runs.size(), 2U);
    for (const auto& [ordinal, run] : runs) {
      EXPECT_EQ(run.iteration, 792);
      EXPECT_EQ(run.max_iterations, 792);
      EXPECT_NEAR(step_time(run), 0.125, 1e-6);
      EXPECT_EQ(run.state, RunState::finished);
      EXPECT_EQ(run.network, "Former");
    }
  }
}

// Of so few steps none is shown.
TEST(SeriesForecasts, EpochsOfFewStepsAreMeasuredToo) {
  Lines lines;
  start(lines);
  for (int epoch = 1; epoch <= 4; ++epoch) end_of_epoch(lines, epoch, 66);
  lines.emplace_back("Early stopping");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 264);
  EXPECT_NEAR(step_time(run), 0.125, 1e-6);
  EXPECT_EQ(run.state, RunState::finished);
}

// Where nothing says how many steps an epoch has, epochs are what is counted.
TEST(SeriesForecasts, EpochsOfUnknownLengthAreCountedThemselves) {
  Lines lines;
  start(lines);
  for (int epoch = 1; epoch <= 4; ++epoch) {
    steps(lines, epoch, 264, 0.5);
    lines.push_back(written("Epoch: %d cost time: 33.0", epoch));
    lines.push_back(written("Epoch: %d | Train Loss: 0.5125000 Vali Loss: 0.6125000", epoch));
  }
  lines.emplace_back("Early stopping");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 4);
  EXPECT_NEAR(step_time(run), 33, 1e-6);
}

// Behind it the program was started again.
TEST(SeriesForecasts, ARunThatBrokeOffInItsFirstEpochHasTheSpeedOfItsSteps) {
  Lines lines;
  start(lines);
  steps(lines, 1, 500, 0.25);
  lines.emplace_back("KeyboardInterrupt");
  start(lines);
  steps(lines, 1, 264, 0.25);
  end_of_epoch(lines, 1, 264);
  steps(lines, 2, 200, 0.5);
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(0).iteration, 500);
  EXPECT_EQ(runs.at(0).train.iterations, 400);
  EXPECT_NEAR(step_time(runs.at(0)), 0.125, 1e-6);
  EXPECT_EQ(runs.at(1).iteration, 464);
  EXPECT_EQ(runs.at(1).train.iterations, 264);
  EXPECT_NEAR(step_time(runs.at(1)), 0.125, 1e-6);
}

}  // namespace
}  // namespace etad::test
