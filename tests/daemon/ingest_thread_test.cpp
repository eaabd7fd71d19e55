#include "daemon/ingest_thread.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <future>
#include <thread>
#include <utility>

#include "daemon/pace.h"
#include "tests/daemon/faulty_writer.h"
#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

using testing::HasSubstr;

class IngestThreads : public TempHistory {
 protected:
  ~IngestThreads() override { thread_.reset(); }

  IngestSetup setup(const std::string& pattern) {
    Config config;
    config.storage.path = path();
    config.sources.resize(1);
    config.sources[0].paths = {pattern};
    return ingest_setup(config, shipped_formats()).value();
  }

  FaultyWriter* const faulty_ = write_by_faulty_writer();
  std::unique_ptr<IngestThread> thread_ = std::make_unique<IngestThread>(*writer_, [] {});
};

TEST_F(IngestThreads, AReloadWhoseIngestDoesNotStartIsUndoneAndTold) {
  ASSERT_TRUE(thread_->start(setup("/nowhere/*.log")));
  faulty_->failing_reads = 1;
  const auto refused = thread_->restart(setup("/elsewhere/*.log"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("the old configuration is in force again"));
  EXPECT_TRUE(thread_->is_running());
  EXPECT_TRUE(thread_->restart(setup("/elsewhere/*.log")));
}

TEST_F(IngestThreads, AReloadAfterWhichNothingIsFollowedSaysSo) {
  ASSERT_TRUE(thread_->start(setup("/nowhere/*.log")));
  faulty_->failing_reads = 2;
  const auto refused = thread_->restart(setup("/elsewhere/*.log"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("nothing is followed"));
  EXPECT_FALSE(thread_->is_running());
}

TEST_F(IngestThreads, WhoeverAnswersTheWatchdogWaitsForNoCommit) {
  writer_->with([this](Writer&) { EXPECT_FALSE(writer_->wants_to_be_opened_anew()); });
}

TEST_F(IngestThreads, RulesThatCameWhileTheDiskWasFullAreTriedOnceThereIsRoom) {
  std::filesystem::copy(std::filesystem::path(ETAD_EXAMPLES) / "caffe" / "lenet_b128_i200_tb100_ti50.log",
                        folder_ / "a.log");
  const auto committed = [&](std::promise<void>& told) {
    return std::make_unique<IngestThread>(*writer_, [&, done = false]() mutable {
      if (!std::exchange(done, true)) told.set_value();
    });
  };
  std::promise<void> unknown, known;
  IngestSetup nothing_known = setup(folder_ / "*.log");
  nothing_known.formats = std::make_shared<const FormatSet>();
  thread_ = committed(unknown);
  ASSERT_TRUE(thread_->start(std::move(nothing_known)));
  ASSERT_EQ(unknown.get_future().wait_for(std::chrono::minutes{2}), std::future_status::ready);
  thread_ = committed(known);
  EXPECT_TRUE(runs().empty());
  faulty_->full_looks = 2;
  ASSERT_TRUE(thread_->start(setup(folder_ / "*.log")));
  ASSERT_EQ(known.get_future().wait_for(std::chrono::minutes{2}), std::future_status::ready);
  EXPECT_EQ(runs().size(), 1U);
}

TEST_F(IngestThreads, ADefectInBeginningAnewEndsNothing) {
  std::filesystem::copy(std::filesystem::path(ETAD_EXAMPLES) / "caffe" / "lenet_b128_i200_tb100_ti50.log",
                        folder_ / "a.log");
  std::promise<void> known;
  thread_ = std::make_unique<IngestThread>(*writer_, [&, done = false]() mutable {
    if (!std::exchange(done, true)) known.set_value();
  });
  faulty_->throwing_commits = 1;
  ASSERT_TRUE(thread_->start(setup(folder_ / "*.log")));
  faulty_->throwing_reads = 1;  // of what it then begins anew from
  ASSERT_EQ(known.get_future().wait_for(std::chrono::minutes{2}), std::future_status::ready);
  EXPECT_EQ(faulty_->throwing_reads, 0);
  EXPECT_EQ(runs().size(), 1U);
}

TEST_F(IngestThreads, ThatItCanNotBeginIsToldToWhoeverAsks) {
  std::filesystem::copy(std::filesystem::path(ETAD_EXAMPLES) / "caffe" / "lenet_b128_i200_tb100_ti50.log",
                        folder_ / "a.log");
  constexpr int kMany = 1'000'000;
  faulty_->throwing_commits = 1;
  ASSERT_TRUE(thread_->start(setup(folder_ / "*.log")));
  faulty_->throwing_reads = kMany;  // of what it then begins anew from
  while (faulty_->throwing_reads >= kMany - 1)
    std::this_thread::yield();  // the second one comes behind the first
  const auto failure = thread_->status().failure;
  ASSERT_TRUE(failure);
  EXPECT_THAT(failure->text(), HasSubstr("a defect"));
  faulty_->throwing_reads = 0;
}

TEST(Pace, WorkTakesItsShareOfACoreUntilTheRestWouldBeTooLong) {
  using namespace std::chrono_literals;
  std::chrono::steady_clock::time_point now{1h};
  Pace pace(10, 2s);
  EXPECT_EQ(pace.rest_after(now, 5ms), 50ms);
  EXPECT_EQ(pace.rest_after(now += 50ms, 0ms), 0ms);
  EXPECT_EQ(pace.rest_after(now, 1h), 2s);
  EXPECT_EQ(pace.rest_after(now += 1s, 0ms), 1s)
      << "half of it is still to be rested, and the hour is not owed";
}

TEST(Pace, ALittleIsDoneAtOnceAfterAQuietMoment) {
  using namespace std::chrono_literals;
  std::chrono::steady_clock::time_point now{1h};
  Pace pace(10, 2s, 20ms);
  EXPECT_EQ(pace.rest_after(now, 15ms), 0ms);
  EXPECT_EQ(pace.rest_after(now, 15ms), 100ms) << "ten milliseconds more than the twenty";
  EXPECT_EQ(pace.rest_after(now += 100ms, 5ms), 50ms) << "the twenty are not earned anew yet";
  EXPECT_EQ(pace.rest_after(now += 1s, 15ms), 0ms);
}

TEST_F(IngestThreads, APatternThatFindsTheHistoryIsRefused) {
  Config config;
  config.storage.path = path();
  config.sources.resize(1);
  config.sources[0].paths = {(folder_ / "*").string()};
  const auto refused = ingest_setup(config, shipped_formats());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("finds the history itself"));
  config.storage.path = (folder_ / "elsewhere" / "link.db").string();
  std::filesystem::create_directory(folder_ / "elsewhere");
  std::filesystem::create_symlink(path(), config.storage.path);
  EXPECT_FALSE(ingest_setup(config, shipped_formats())) << "a link to it";
}

}  // namespace
}  // namespace etad
