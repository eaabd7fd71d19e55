// What the daemon says of a running run is what a replay of its log computes for the same moment.
#include "prediction/plan.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <thread>
#include <variant>
#include <vector>

#include "bench/replay/log_runs.h"
#include "daemon/service/router.h"
#include "tests/daemon/followed_log.h"
#include "tests/service/fixtures.h"

namespace etad {
namespace {

namespace json = boost::json;
using service::Outcome;
using std::chrono::seconds;

class LiveAnswer : public FollowedLog {
 protected:
  json::object ask(const RunRow& row, Instant now) {
    asked_at_ = now;
    service::Request request;
    request.method = "GET";
    request.target = "/v1/runs/" + std::to_string(row.id);
    const Outcome outcome = router_.handle(request);
    return json::parse(std::get<service::Reply>(outcome).body).as_object();
  }

  // The log so far, as a replay reads it.
  replay::ReplayRun replayed(const std::string& log) {
    const auto file = folder_ / "so_far.txt";
    std::ofstream(file, std::ios::binary) << log;
    return replay::read_runs(*shipped_formats(), file.string()).value().back();
  }

  std::optional<regression::Prediction> model_says(const etad::Run& run, Phase phase, double left) {
    for (const auto& each : fitted_models(*backend_.model_set)) {
      if (each->key.network != run.network || each->key.phase != phase) continue;
      const auto done = (phase == Phase::train ? run.train : run.test).iterations;
      return prediction::per_iteration(each->model, run, phase, static_cast<double>(done), left, 0.9);
    }
    return std::nullopt;
  }

  // Follows the log piece by piece and compares at each.
  int compare(const std::string& log) {
    int compared = 0;
    std::string so_far;
    for (const std::string& piece : pieces(log, kDisplayed)) {
      so_far += piece;
      write("live.log", piece);
      const RunRow row = newest();
      if (row.run.state != RunState::running) break;
      const replay::ReplayRun run = replayed(so_far);
      const auto plan = prediction::plan_of(run.run);
      const double left = plan.max_iterations - plan.iteration;
      const double tests = (left / plan.test_interval + 1) * plan.test_iterations;
      const auto expected =
          regression::remaining(run.intervals, plan, model_says(run.run, Phase::train, left),
                                model_says(run.run, Phase::test, tests), 0.9);
      const json::object said = ask(row, *row.run.ended_at);
      EXPECT_EQ(said.at("remaining").is_object(), expected.has_value()) << plan.iteration;
      if (!expected) continue;
      const auto number = [&](const char* name) { return said.at("remaining").at(name).to_number<double>(); };
      EXPECT_NEAR(number("seconds"), expected->seconds, 1e-6 * expected->seconds) << plan.iteration;
      EXPECT_NEAR(number("lower"), expected->lower, 1e-6 * expected->seconds) << plan.iteration;
      EXPECT_NEAR(number("upper"), expected->upper, 1e-6 * expected->upper) << plan.iteration;
      ++compared;
    }
    return compared;
  }

  service::testing::FakeBackend backend_;
  Instant asked_at_{};
  prediction::LiveRuns live_{*reader_};
  service::Router router_{
      {"1.2.3", [this] { return asked_at_; }, [] { return service::ServiceCounters{}; }, "gpu1"},
      backend_,
      *reader_,
      live_};
};

// The service and the keeper of the track record ask the same object, each on its thread.
TEST_F(LiveAnswer, IsTheSameForWhoeverAsks) {
  fit_earlier_logs();
  const auto parts = pieces(example(kExample), kDisplayed);
  for (std::size_t i = 0; i < 12; ++i) write("live.log", parts[i]);
  const RunRow row = newest();
  const auto models = refit_.models();
  const auto alone = prediction::LiveRuns(*reader_).forecast(row, models);
  ASSERT_TRUE(alone.remaining);
  std::vector<prediction::RunForecast> said(4);
  {
    std::vector<std::jthread> askers;
    for (auto& each : said) askers.emplace_back([&] { each = live_.forecast(row, models); });
  }
  for (const auto& each : said) {
    ASSERT_TRUE(each.remaining);
    EXPECT_EQ(each.remaining->seconds, alone.remaining->seconds);
    EXPECT_EQ(each.model_id, alone.model_id);
  }
}

TEST_F(LiveAnswer, IsThatOfAReplay) {
  EXPECT_GE(compare(example(kExample)), 22);
}

TEST_F(LiveAnswer, IsThatOfAReplayWithTheNetworksModel) {
  fit_earlier_logs();
  backend_.model_set = refit_.models();
  EXPECT_EQ(fitted_models(refit_).size(), 2U) << "training and testing";
  EXPECT_GE(compare(example(kExample)), 23) << "from the first line on";
}

TEST_F(LiveAnswer, CountsFromNowAndOwnsUpToAStall) {
  const auto parts = pieces(example(kExample), kDisplayed);
  for (std::size_t i = 0; i < 10; ++i) write("live.log", parts[i]);
  const RunRow row = newest();
  const Instant last = *row.run.ended_at;
  const auto at_once = ask(row, last), later = ask(row, last + seconds(1)),
             hung = ask(row, last + seconds(900));
  const auto left = [](const json::object& run, const char* name) {
    return run.at("remaining").at(name).to_number<double>();
  };
  EXPECT_NEAR(left(later, "seconds"), left(at_once, "seconds") - 1, 1e-6);
  EXPECT_EQ(later.at("expected_end"), at_once.at("expected_end"));
  EXPECT_FALSE(later.at("stalled").as_bool());
  EXPECT_TRUE(hung.at("stalled").as_bool());
  EXPECT_GT(left(hung, "seconds"), 0.5 * left(at_once, "seconds")) << "silence is no progress";
  EXPECT_GT(left(hung, "upper"), 800);
}

TEST_F(LiveAnswer, WhatHasDoneItsPlanDoesNotHang) {
  const auto parts = pieces(example(kExample), kDisplayed);
  for (std::size_t i = 0; i < 10; ++i) write("live.log", parts[i]);
  RunRow row = newest();
  row.run.max_iterations = row.run.iteration;
  const auto late = live_.forecast(row, refit_.models(), *row.run.ended_at + seconds(900));
  ASSERT_TRUE(late.step_time);
  EXPECT_FALSE(late.stalled) << "it may save, or test";
  ASSERT_TRUE(late.remaining);
  EXPECT_LT(late.remaining->upper, 60) << "but not for as long as it has been silent";
}

TEST_F(LiveAnswer, WithoutAnEndIsAPace) {
  std::string log = example(kExample);
  log.erase(log.find("max_iter:"), log.find('\n', log.find("max_iter:")) - log.find("max_iter:"));
  const auto parts = pieces(log, kDisplayed);
  for (std::size_t i = 0; i < 10; ++i) write("live.log", parts[i]);
  const RunRow row = newest();
  ASSERT_FALSE(row.run.max_iterations);
  const auto said = ask(row, *row.run.ended_at);
  EXPECT_TRUE(said.at("remaining").is_null());
  EXPECT_TRUE(said.at("expected_end").is_null());
  const auto step_time = [&](const char* name) { return said.at("pace").at(name).to_number<double>(); };
  const auto& train = row.run.train;
  const double mean = to_seconds(train.duration) / static_cast<double>(train.iterations);
  EXPECT_NEAR(step_time("seconds_per_iteration"), mean, 0.2 * mean);
  EXPECT_LT(step_time("lower"), step_time("seconds_per_iteration"));
  EXPECT_GT(step_time("upper"), step_time("seconds_per_iteration"));
}

// A log that is caught up with has more new windows at each question than are looked at.
TEST_F(LiveAnswer, OfALongRunTheNewestWindowsSpeak) {
  const std::string log = example(kExample);
  write("live.log", log.substr(0, log.find("Iteration 0, Testing net")).append("a line\n"));
  Instant at{std::chrono::sys_days(std::chrono::year(2026) / 11 / 21)};
  std::int64_t iteration = 0;
  const auto pace_after = [&](std::int64_t windows, std::chrono::milliseconds each) {
    std::string lines;
    for (std::int64_t n = 0; n < windows; ++n, at += each) {
      const std::string time = to_rfc3339(at);
      lines += "I1121 " + time.substr(11, 8) + "." + (time.size() > 20 ? time.substr(20, 1) : "0") +
               "00000 18451 solver.cpp:239] Iteration " + std::to_string(++iteration) + ", loss = 0.5\n";
    }
    write("live.log", lines);
    const auto said = ask(newest(), *newest().run.ended_at);
    return said.at("pace").at("seconds_per_iteration").to_number<double>();
  };
  EXPECT_NEAR(pace_after(9'000, std::chrono::milliseconds(200)), 0.2, 0.002);
  EXPECT_NEAR(pace_after(9'000, std::chrono::milliseconds(400)), 0.4, 0.004);
  EXPECT_EQ(newest().run.train.segments, 18'000 - 1);
}

}  // namespace
}  // namespace etad
