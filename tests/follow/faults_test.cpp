// A file system that fails: every call that a life of a log makes fails once, with every error that can come
// and go. What is committed at the end is what was written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "daemon/follow/finished.h"
#include "daemon/follow/identity.h"
#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Options smallest_batches() {
  Options options;
  options.batch_bytes = 512;
  options.line_limit = 700;
  return options;
}

// Grows, is rotated, copied and truncated, compressed, deleted; two restarts. What nobody could read any more
// after a failing call is read twice before it goes.
class LifeWithFault {
 public:
  LifeWithFault(const std::string& call, int n, Errno error)
      : etad_({{"/logs/*", 0, false}}, smallest_batches()) {
    etad_.files.fail_nth(call, n, error);
    etad_.files.write(kLog, "one\ntwo\n");
    etad_.poll();
    grow_and_rotate();
    etad_.restart();
    copytruncate_and_compress();
    etad_.restart();
    remove_and_write_again();
    reached_ = etad_.files.calls[call] >= n;
    etad_.files.heal();
    settle();
  }

  bool reached() const { return reached_; }
  const Harness& etad() const { return etad_; }

 private:
  void settle() {
    etad_.poll();
    etad_.poll();
  }

  void grow_and_rotate() {
    etad_.files.write(kLog, std::string(600, '3') + "\n" + std::string(2000, '4') + "\nfi");
    etad_.poll();
    etad_.files.write(kLog, "ve\n");
    etad_.files.rename(kLog, kRotated);
    etad_.files.write(kLog, "six\n");
    etad_.poll();
  }

  void copytruncate_and_compress() {
    etad_.files.write(kLog, "seven\n");
    etad_.files.rename(kRotated, "/logs/train.log.2");
    etad_.files.copy(kLog, kRotated);
    etad_.files.truncate(kLog);
    etad_.files.write(kLog, "eight\n");
    etad_.poll();
    settle();
    etad_.files.gzip(kRotated, std::string(kRotated) + ".gz");
    etad_.files.remove(kRotated);
  }

  void remove_and_write_again() {
    etad_.files.write(kLog, "nine\n");
    settle();
    etad_.files.remove(kLog);
    etad_.poll();
    etad_.files.write(kLog, "ten\n");
    etad_.poll();
  }

  Harness etad_;
  bool reached_ = false;
};

TEST(FollowingFaults, EveryCallFailsOnceAndNothingIsLostOrDoubled) {
  for (const std::string call : {"open", "read", "status", "fstat", "list"}) {
    for (const Errno error : {EIO, ESTALE, EMFILE, ENOMEM}) {
      int n = 1;
      for (bool reached = true; reached; ++n) {
        const LifeWithFault life(call, n, error);
        reached = life.reached();
        ASSERT_THAT(life.etad().lines, ElementsAre("one", "two", std::string(600, '3'), std::string(700, '4'),
                                                   "five", "six", "seven", "eight", "nine", "ten"))
            << call << " " << n << " fails with error " << error;
        ASSERT_EQ(life.etad().lost, 0) << call << " " << n << " fails with error " << error;
      }
      EXPECT_GT(n, 5) << call;
    }
  }
}

// As a file system in user space gives them whose process has died, or one over a network: none of them means that a
// file is not there.
TEST(FollowingFaults, WhatWasRotatedWhileTheDaemonWasDownIsReadWhateverPasses) {
  for (const Errno error : {EIO, EINTR, ETIMEDOUT, ENOTCONN, EHOSTDOWN, ENODEV})
    with_each_call_failing([error](const std::string& call, int n) {
      Harness etad({{kLog, 0, false}});
      etad.files.births = false;
      etad.files.write(kLog, "one\n");
      etad.poll();
      etad.stop();
      etad.files.write(kLog, "two\n");
      for (const char* text : {"three\n", "four\n"}) {
        if (etad.files.exists(kRotated)) etad.files.rename(kRotated, "/logs/train.log.2");
        etad.files.rename(kLog, kRotated);
        etad.files.write(kLog, text);
      }
      etad.files.calls.clear();
      etad.files.fail_nth(call, n, error);
      etad.start();
      for (int i = 0; i < 3; ++i) etad.poll();
      EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three", "four"))
          << call << " " << n << " fails with error " << error;
      return etad.files.calls[call];
    });
}

// Truncated behind a copy, it has the inode under which nothing was read.
TEST(FollowingFaults, WhatWasCopiedBeforeAnythingOfItWasReadIsReadWhateverPasses) {
  with_each_call_failing([](const std::string& call, int n) {
    Harness etad({{kLog, 0, false}});
    etad.files.write(kLog, "on");
    etad.poll();
    etad.stop();
    etad.files.write(kLog, "e\n");
    etad.files.copy(kLog, kRotated);
    etad.files.truncate(kLog);
    etad.files.write(kLog, "two\n");
    etad.files.calls.clear();
    etad.files.fail_nth(call, n, EIO);
    etad.start();
    for (int i = 0; i < 3; ++i) etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre("one", "two")) << call << " " << n << " fails";
    return etad.files.calls[call];
  });
}

TEST(FollowingFaults, WhatAnImportHasReadIsNotReadAgainWhateverPasses) {
  const std::string imported = std::string(2000, '#') + "\none\n";
  Harness before({{kLog, 0, false}});
  before.files.write(kLog, imported);
  before.poll();
  before.files.remove(kLog);
  before.poll();
  const auto part = part_of_finished(*before.finished.begin());
  ASSERT_TRUE(part);
  const std::string identity = finished_identity(*part);  // of whatever file
  const Imports imports{[&](const std::string&) { return std::vector{identity}; },
                        [](const auto&, const auto&, auto, const auto&) { return tl::unexpected(EPERM); }};
  with_each_call_failing([&](const std::string& call, int n) {
    Harness etad({{kLog, 0, false}});
    etad.files.write(kLog, imported + "two\n");
    etad.stop();
    etad.files.calls.clear();
    etad.files.fail_nth(call, n, EIO);
    etad.follower = std::make_unique<Follower>(etad.files, nullptr, std::vector<Watch>{{kLog, 0, false}});
    etad.follower->restore({}, {identity}, {}, imports);
    for (int i = 0; i < 3; ++i) etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre("two")) << call << " " << n << " fails";
    return etad.files.calls[call];
  });
}

TEST(FollowingFaults, AReadErrorIsToldOnceAndTriedAgain) {
  Harness etad({{kLog, 0, false}});
  etad.files.write(kLog, "one\n");
  etad.poll();
  etad.files.write(kLog, "two\n");
  etad.files.fail("read", kLog, EIO);
  for (int i = 0; i < 5; ++i) etad.poll();
  EXPECT_THAT(etad.errors, ElementsAre(HasSubstr("nput/output error")));
  EXPECT_EQ(etad.state[kLog], State::waiting);
  EXPECT_THAT(etad.text_of(kLog), HasSubstr("nput/output error"));
  EXPECT_THAT(etad.lines, ElementsAre("one"));
  etad.files.heal();
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
  EXPECT_EQ(etad.errors.back(), "");
  EXPECT_EQ(etad.lost, 0);
}

}  // namespace
}  // namespace etad::follow
