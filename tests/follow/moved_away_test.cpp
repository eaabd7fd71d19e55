// A log that is moved to where another pattern finds it, on another file system: copied, given its time, removed. The
// kernel tells of the removal before anybody looks at the copy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAreArray;
using ::testing::SizeIs;

constexpr const char* kThere = "/there/train.log";
constexpr const char* kBack = "/back/train.log";

class MovedAway : public ::testing::TestWithParam<bool> {
 protected:
  MovedAway() {
    etad_.with_hints = true;
    etad_.restart();
    etad_.files.set_clock(etad_.wall);
    etad_.files.write("/there/a", "");
    etad_.files.write("/back/a", "");
    write(kLog);
  }
  void write(const std::string& path) {
    etad_.files.write(path, text_of(numbered(lines_, lines_ + 200)));
    lines_ += 200;
    etad_.poll();
  }
  void move(const std::string& from, const std::string& to) {
    if (!GetParam()) etad_.stop();
    etad_.files.copy(from, to);
    etad_.files.file(to)->modified = etad_.files.file(from)->modified;
    etad_.files.remove(from);
    if (GetParam()) {
      etad_.hints.pending.paths = {from, to};
      etad_.hints.pending.removed = {from};
      etad_.follower->on_hint(etad_.now);
    } else {
      etad_.start();
    }
    etad_.poll();
  }
  void expect_all_once() { EXPECT_THAT(etad_.lines, ElementsAreArray(numbered(0, lines_))); }

  Harness etad_{{{"/logs/*.log", 0, false}, {"/there/*.log", 0, false}, {"/back/*.log", 0, false}}};
  int lines_ = 0;
};

TEST_P(MovedAway, ALogIsReadOn) {
  move(kLog, kThere);
  expect_all_once();
  write(kThere);
  expect_all_once();
}

// A copy without its original's time is another log, and goes on when that is gone.
TEST_P(MovedAway, OfTwoThatBeginAlikeTheOneThatReadFarthestReadsOn) {
  etad_.files.copy(kLog, kThere);
  etad_.wall += std::chrono::minutes(2);  // so long it may yet be given that time
  etad_.poll();
  etad_.files.remove(kLog);
  write(kThere);
  etad_.restart();
  etad_.poll();
  move(kThere, kBack);
  write(kBack);
  EXPECT_THAT(etad_.lines, SizeIs(200 + 600));
}

INSTANTIATE_TEST_SUITE_P(WhileItRunsOrNot, MovedAway, ::testing::Bool());

}  // namespace
}  // namespace etad::follow
