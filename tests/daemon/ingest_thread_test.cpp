#include "daemon/ingest_thread.h"

#include <gmock/gmock.h>

#include "daemon/pace.h"
#include "tests/daemon/faulty_writer.h"
#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

using testing::HasSubstr;

class IngestThreads : public TempHistory {
 protected:
  IngestThreads() {
    writer_.reset();
    auto faulty = std::make_unique<FaultyWriter>(Writer::open(path()).value());
    faulty_ = faulty.get();
    writer_ = std::make_unique<SharedWriter>(std::move(faulty));
    thread_ = std::make_unique<IngestThread>(*writer_, [] {});
  }
  ~IngestThreads() override { thread_.reset(); }

  IngestSetup setup(const std::string& pattern) {
    Config config;
    config.storage.path = path();
    config.sources.resize(1);
    config.sources[0].paths = {pattern};
    return ingest_setup(config, shipped_formats()).value();
  }

  FaultyWriter* faulty_ = nullptr;
  std::unique_ptr<IngestThread> thread_;
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

TEST(Pace, WorkTakesItsShareOfACoreUntilTheRestWouldBeTooLong) {
  using namespace std::chrono_literals;
  EXPECT_EQ(rest_after(5ms, 10, 2s), 45ms);
  EXPECT_EQ(rest_after(0ms, 10, 2s), 0ms);
  EXPECT_EQ(rest_after(1s, 10, 2s), 2s);
}

TEST_F(IngestThreads, APatternThatFindsTheHistoryIsRefused) {
  Config config;
  config.storage.path = path();
  config.sources.resize(1);
  config.sources[0].paths = {(folder_ / "*").string()};
  const auto refused = ingest_setup(config, shipped_formats());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("finds the history itself"));
}

}  // namespace
}  // namespace etad
