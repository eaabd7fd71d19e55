// Of long runs and long traces much is read: while a worker does that, others are answered.
#include "tests/service/router_fixture.h"

namespace etad::service::testing {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr int kMany = 110'000;

class LongRuns : public RouterTest {
 protected:
  LongRuns() {
    SourceCommit commit;
    commit.source.path = "/var/log/caffe/long.log";
    etad::Run run = lenet(0, RunState::running, kNow - hours{24 * 8});
    for (std::int64_t i = 0; i < kMany; ++i) {
      const Instant at = kNow - seconds{kMany - i};
      commit.records.segments.push_back({0, segment(Phase::train, i, 1, 1.0, at)});
      commit.records.points.push_back({0, {i, at, 2.0}});
      commit.records.add_sample({"gpu.power", "gpu=0", "W"}, at, 100);
    }
    commit.records.runs.push_back(run);
    std::vector<SourceCommit> commits{std::move(commit)};
    EXPECT_TRUE(history_.writer().commit(commits, kNow));
  }

  // Whether it is answered at once; the answer must be a good one either way.
  bool at_once(const std::string& target) {
    Outcome outcome = handle(target);
    auto* const work = std::get_if<Work>(&outcome);
    const Reply reply = work ? work->job() : std::get<Reply>(outcome);
    EXPECT_EQ(reply.status, 200U) << target << " " << reply.body;
    body_ = json::parse(reply.body).as_object();
    return work == nullptr;
  }

  json::object body_;
};

TEST_F(LongRuns, AreReadWholeByAWorkerAndShortOnesAtOnce) {
  EXPECT_TRUE(at_once("/v1/runs/1/segments?points=10"));
  EXPECT_TRUE(at_once("/v1/runs/1/progress?points=10"));
  EXPECT_TRUE(at_once("/v1/runs/4/segments?limit=1000")) << "a page is short";
  EXPECT_FALSE(at_once("/v1/runs/4/segments?points=10"));
  EXPECT_LE(body_.at("segments").as_array().size(), 10U);
  EXPECT_FALSE(at_once("/v1/runs/4/progress?points=10"));
  EXPECT_LE(body_.at("points").as_array().size(), 10U);
}

TEST_F(LongRuns, AreToldWithTheirTracesByAWorker) {
  EXPECT_TRUE(at_once("/v1/runs/1"));
  EXPECT_FALSE(at_once("/v1/runs/4"));
  EXPECT_EQ(body_.at("id"), 4);
  EXPECT_TRUE(body_.contains("usage"));
}

TEST_F(LongRuns, HaveLongTracesWhoseLastHourIsReadAtOnce) {
  EXPECT_TRUE(at_once("/v1/series/gpu.power"));
  EXPECT_FALSE(at_once("/v1/series/gpu.power?from=2026-11-20T00:00:00Z"));
  EXPECT_FALSE(body_.at("series").as_array().empty());
}

}  // namespace
}  // namespace etad::service::testing
