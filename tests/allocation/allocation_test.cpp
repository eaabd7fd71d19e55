// Whatever allocation fails: no crash, nothing lost, nothing doubled, and the next call works.
#include "tests/allocation/failing_allocation.h"

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <functional>
#include <new>

#include "daemon/follow/content.h"
#include "daemon/importer.h"
#include "daemon/service/router.h"
#include "daemon/service/turns.h"
#include "parsers/lines/inflater.h"
#include "tests/daemon/followed_files.h"
#include "tests/service/fixtures.h"
#include "tests/service/gzip.h"

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

  // As the service does, whose imports may be compressed.
  bool import(std::string_view bytes) {
    try {
      auto session = begin_import();
      if (!session) return false;
      Inflater content([&](std::string_view some) { return session->feed(some); });
      return done(content.feed(bytes)) && done(content.finish()) && done(session->finish());
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
  for (const std::string& log : {lenet_, service::testing::gzip(lenet_)}) {
    for_each_allocation([&] { begin_anew(); }, [&] { import(log); },
                        [&] {
                          ASSERT_TRUE(import(log));
                          expect_once();
                        });
  }
}

// As the ingest thread does: what a round left half done is forgotten, and begun anew from the history.
TEST_F(Allocating, ReadingLogsWithoutMemoryLosesAndDoublesNothing) {
  const auto start = [&] { start_ingest(usual_options(), "lenet*"); };
  const auto ticks = [&] {
    for (int i = 0; i < 12; ++i) {
      try {
        static_cast<void>(tick_after(seconds(5)));
      } catch (const std::bad_alloc&) {
        start();
      }
    }
  };
  const auto read = [&](const std::string& name, const std::string& bytes) {
    SCOPED_TRACE(name);
    for_each_allocation(
        [&] {
          begin_anew();
          start();
          append(name, bytes);
        },
        ticks,
        [&] {
          ticks();
          expect_once();
        });
  };
  read("lenet.log", lenet_);
  read("lenet.log.gz", service::testing::gzip(lenet_));
}

// The allocations that zlib makes are few among an import's thousands: here each of them fails.
template <class Act>
void for_each_inflation(const Act& act) {
  for (std::int64_t nth = 1;; ++nth) {
    SCOPED_TRACE("allocation " + std::to_string(nth));
    try {
      const FailingAllocation failing(nth);
      act();
    } catch (const std::bad_alloc&) {
      continue;
    }
    if (!FailingAllocation::happened()) return;
  }
}

TEST_F(Allocating, AnImportThatCanNotBeInflatedForWantOfMemoryIsNotCalledDamaged) {
  const std::string compressed = service::testing::gzip(lenet_);
  int wanting = 0;
  for_each_inflation([&] {
    Inflater content([](std::string_view) { return Result<void>{}; });
    const std::size_t half = compressed.size() / 2;
    const bool whole =
        done(content.feed(compressed.substr(0, half))) && done(content.feed(compressed.substr(half)));
    wanting += whole ? 0 : 1;
  });
  EXPECT_GE(wanting, 2) << "zlib's state and its window";
}

TEST_F(Allocating, ALogThatCanNotBeInflatedForWantOfMemoryIsReadOnceThereIsSome) {
  std::string whole;  // more than is inflated in one step
  while (whole.size() < 1 << 18) whole += lenet_;
  append("lenet.log.gz", service::testing::gzip(whole));
  follow::Inflating turn{1 << 20};
  int wanting = 0;
  for_each_inflation([&] {
    const auto handle = files_->open(file("lenet.log.gz").string());
    if (!handle) return;
    const auto content = follow::content_of(*files_, *handle, turn);
    ASSERT_TRUE(content);
    std::string text(whole.size(), ' ');
    turn.left = 1 << 20;
    auto read = (*content)->read(0, text);
    if (!read) {
      EXPECT_EQ(read.error(), ENOMEM);
      ++wanting;
      read = (*content)->read(0, text);
    }
    EXPECT_TRUE(text == whole);
  });
  EXPECT_GE(wanting, 2) << "zlib's state and its window";
}

TEST(AllocatingTurns, AreGivenToThoseWhoComeBehindOneForWhomThereWasNoMemory) {
  for (std::int64_t nth = 1;; ++nth) {
    SCOPED_TRACE("allocation " + std::to_string(nth));
    boost::asio::io_context io;
    service::Turns workers(io, 1);
    int came = 0;
    const auto ask = [&](uid_t uid) -> boost::asio::awaitable<void> {
      boost::asio::steady_timer turn(io);
      if (!co_await workers.wait(uid, turn)) co_return;
      const service::Place place(workers);
      ++came;
    };
    const auto all_ask = [&] {
      for (const uid_t uid : {1U, 1U, 2U}) {
        try {
          boost::asio::co_spawn(io, ask(uid), boost::asio::detached);
        } catch (const std::bad_alloc&) {
        }
      }
      while (!io.stopped()) {
        try {
          io.run();
        } catch (const std::bad_alloc&) {
        }
      }
      io.restart();
    };
    {
      const FailingAllocation failing(nth);
      all_ask();
    }
    if (!FailingAllocation::happened()) {
      EXPECT_EQ(came, 3);
      break;
    }
    came = 0;
    all_ask();
    ASSERT_GE(came, 3) << "and those who waited";
  }
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
      if (const auto* work = std::get_if<service::Work>(&outcome)) return work->job().body;
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
