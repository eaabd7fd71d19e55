// What could have been said at an instant, the machine's shared effect of then included.
#include "prediction/as_of.h"

#include <gtest/gtest.h>

#include "prediction/estimate.h"
#include "prediction/knowledge.h"

namespace etad::prediction {
namespace {

constexpr Instant kBegin{std::chrono::hours{24 * 365 * 50}};

// Forty runs of half a minute one after the other, of which blocks of five are slow and fast in turn.
std::shared_ptr<const ModelSet> slow_and_fast_in_turn() {
  ModelKey key;
  key.network = "LeNet";
  key.framework = "caffe";
  key.host = "vm";
  key.device = "CPU";
  key.phase = Phase::train;
  std::vector<RunData> runs;
  for (int i = 0; i < 40; ++i) {
    RunData run;
    run.run_id = i + 1;
    run.iterations = 1000;
    run.samples_per_iteration = i % 2 == 0 ? 16 : 64;
    const double seconds = (i % 2 == 0 ? 25 : 35) * (i / 5 % 2 == 0 ? 0.9 : 1.1);
    run.duration = from_seconds(seconds);
    run.started_at = kBegin + std::chrono::seconds{40 * i};
    run.ended_at = *run.started_at + std::chrono::duration_cast<Instant::duration>(run.duration);
    runs.push_back(run);
  }
  auto out = std::make_shared<ModelSet>();
  out->knowledge = Knowledge::of({{key, data_of(key, runs)}}, nullptr, [] {});
  return out;
}

Question question_at(Instant at) {
  Question out;
  out.network = "LeNet";
  out.iterations = 1000;
  out.batch_size = 16;
  out.at = at;
  return out;
}

TEST(AsOf, TheMachinesSharedEffectOfThenIsCountedIn) {
  const auto models = slow_and_fast_in_turn();
  const Instant today = kBegin + std::chrono::hours{24 * 300};
  const auto asked_at_run = [&](int run) {
    return estimate(models, question_at(kBegin + std::chrono::seconds{40 * run}), today);
  };
  const auto slow = asked_at_run(30), fast = asked_at_run(35);
  ASSERT_TRUE(slow);
  ASSERT_TRUE(fast);
  EXPECT_GT(slow->sum.shared_effect, 1.01) << "five slow runs had just ended";
  EXPECT_LT(fast->sum.shared_effect, 0.99) << "five fast ones";
  const auto later = estimate(models, question_at(today), today);
  ASSERT_TRUE(later);
  EXPECT_NEAR(later->sum.shared_effect, 1, 1e-3);
}

}  // namespace
}  // namespace etad::prediction
