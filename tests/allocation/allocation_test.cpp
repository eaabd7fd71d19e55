// Whatever allocation fails: no crash, nothing lost, nothing doubled, and the next call works.
#include "tests/allocation/failing_allocation.h"

#include <gtest/gtest.h>

#include <functional>
#include <new>

#include "daemon/importer.h"
#include "daemon/service/router.h"
#include "tests/daemon/followed_files.h"
#include "tests/service/fixtures.h"

namespace etad {
namespace {

using std::chrono::seconds;

const bool sqlite_fails_too = [] {
  let_sqlite_fail_too();
  return true;
}();

// Lets the first, the second, … allocation of `act` fail (all of the first hundred, then ever fewer), each
// time from a fresh start, until `act` no longer comes to it. `after` says what must hold then.
void for_each_allocation(const std::function<void()>& begin, const std::function<void()>& act,
                         const std::function<void()>& after) {
  int tried = 0;
  for (std::int64_t nth = 1;; nth += 1 + nth / 12) {
    begin();
    {
      const FailingAllocation failing(nth);
      act();
    }
    if (!FailingAllocation::happened()) break;
    SCOPED_TRACE("allocation " + std::to_string(nth));
    after();
    ++tried;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(tried, 50) << "the act allocates that often";
}

class Allocating : public FollowedFiles {
 protected:
  // A new history beside an old one.
  void begin_anew() {
    ingest_.reset();
    follower_.reset();
    reader_.reset();
    writer_.reset();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "logs");
    writer_ = std::make_unique<SharedWriter>(Writer::open(path()).value());
    reader_ = ModelReader::open(path()).value();
  }

  std::unique_ptr<service::ImportSession> begin_import() {
    ImportOptions options;
    options.formats = shipped_formats();
    options.host = "gpu1";
    options.now = [] { return kToday; };
    auto session = begin_log_import({"/a.log", "", {}, kToday}, std::move(options), *writer_, [] {});
    return done(session) ? std::move(*session) : nullptr;
  }

  // What fails for want of memory may be tried again: nothing is wrong with what was asked.
  template <class T>
  static bool done(const Result<T>& result) {
    if (!result) {
      EXPECT_EQ(result.error().kind, ErrorKind::unavailable) << result.error().text();
    }
    return result.has_value();
  }

  bool import() {
    try {
      auto session = begin_import();
      return session && done(session->feed(lenet_)) && done(session->finish());
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  void expect_once() {
    ASSERT_EQ(runs().size(), 1U);
    EXPECT_EQ(runs()[0].run.train.iterations, 500);
    EXPECT_EQ(reader_->segments(runs()[0].id, 0, 1000).value().size(), 16U);
    EXPECT_EQ(reader_->size().value().segments, 16);
  }

  const std::string lenet_ = content_of(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log");
};

TEST_F(Allocating, AnImportWithoutMemoryLeavesNothingAndCanBeRepeated) {
  for_each_allocation([&] { begin_anew(); }, [&] { import(); },
                      [&] {
                        ASSERT_TRUE(import());
                        expect_once();
                      });
}

// As the ingest thread does: what a round left half done is forgotten, and begun anew from the history.
TEST_F(Allocating, ReadingLogsWithoutMemoryLosesAndDoublesNothing) {
  const auto ticks = [&] {
    for (int i = 0; i < 12; ++i) {
      try {
        static_cast<void>(tick_after(seconds(5)));
      } catch (const std::bad_alloc&) {
        start_ingest(usual_options());
      }
    }
  };
  for_each_allocation(
      [&] {
        begin_anew();
        start_ingest(usual_options());
        append("lenet.log", lenet_);
      },
      ticks,
      [&] {
        ticks();
        expect_once();
      });
}

TEST(AllocatingRequests, AreAnsweredAgainAfterOneForWhichThereWasNoMemory) {
  service::testing::History history;
  service::testing::FakeBackend backend;
  const auto reader = history.reader();
  prediction::LiveRuns live(*reader);
  service::Router router({"1", [] { return kToday; }, [] { return service::ServiceCounters{}; }, "gpu1"},
                         backend, *reader, live);
  for (const char* target : {"/v1/runs", "/v1/runs/1", "/v1/sources", "/metrics",
                             "/v1/estimate?network=x&phase=train&iterations=1"}) {
    SCOPED_TRACE(target);
    service::Request request;
    request.method = "GET";
    request.target = target;
    const auto ask = [&]() -> std::string {
      const auto outcome = router.handle(request);
      return std::get<service::Reply>(outcome).body;
    };
    const std::string expected = ask();
    for (std::int64_t nth = 1;; nth += 1 + nth / 20) {
      {
        const FailingAllocation failing(nth);
        try {
          static_cast<void>(ask());
        } catch (const std::bad_alloc&) {
        }
      }
      if (!FailingAllocation::happened()) break;
      ASSERT_EQ(ask(), expected) << "allocation " << nth;
    }
  }
}

}  // namespace
}  // namespace etad
