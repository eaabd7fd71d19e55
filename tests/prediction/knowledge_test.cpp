// Who answers from all the history, and when nobody should.
#include "prediction/knowledge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace etad::prediction {
namespace {

// A power of the batch size, which a straight line follows within the noise where runs are, and not far
// beyond.
std::shared_ptr<const Knowledge> nearly_straight() {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.06);
  Knowledge::Data data;
  std::int64_t id = 0;
  for (int network = 0; network < 6; ++network) {
    ModelKey key;
    key.network = "net" + std::to_string(network);
    key.device = "K80";
    key.phase = Phase::train;
    std::vector<RunData> runs;
    for (const int batch : {16, 32, 64, 128, 256, 512}) {
      RunData run;
      run.run_id = ++id;
      run.iterations = 100;
      run.samples_per_iteration = batch;
      run.duration = from_seconds(std::pow(batch, 0.9) * std::exp(noise(random)));
      runs.push_back(run);
    }
    data[key] = data_of(key, runs);
  }
  return Knowledge::of(data, nullptr, [] {});
}

TEST(Knowledge, GoodEstimatorsThatContradictEachOtherAreToldFarOutOnly) {
  const auto knowledge = nearly_straight();
  estimators::Case what = knowledge->data().begin()->second.front().what;
  what.samples = 700;
  const auto near = knowledge->ask(what, 0.9);
  ASSERT_TRUE(near);
  EXPECT_TRUE(near->contradicted_by.empty()) << near->contradicted_by;
  what.samples = 1e12;
  const auto far = knowledge->ask(what, 0.9);
  ASSERT_TRUE(far);
  EXPECT_FALSE(far->contradicted_by.empty());
  EXPECT_GT(std::abs(std::log(far->contradicted_value / far->value)), 0.5);
}

}  // namespace
}  // namespace etad::prediction
