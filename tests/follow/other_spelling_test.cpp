// A pattern that is spelled otherwise by a reload or at a start, and finds the same files under other paths: the sources
// are others, and each line is read once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

constexpr const char* kHere = "/here/train.log";

class OtherSpelling : public ::testing::Test {
 protected:
  OtherSpelling() { etad_.files.bind_mount("/logs", "/here"); }
  void write(int lines) {
    etad_.files.write(kLog, text_of(numbered(lines_, lines_ + lines)));
    lines_ += lines;
    etad_.poll();
  }
  void rotate() {
    if (etad_.files.exists(kRotated)) etad_.files.rename(kRotated, "/logs/train.log.2");
    etad_.files.rename(kLog, kRotated);
  }
  void spell(const std::string& path) {
    etad_.restart_watching(watching(path));
    etad_.poll();
  }
  void expect_all_once() { EXPECT_THAT(etad_.lines, ElementsAreArray(numbered(0, lines_))); }

  Harness etad_{watching(kLog)};
  int lines_ = 0;
};

// Nobody can tell at first whether it is the file that was read.
TEST_F(OtherSpelling, OfAFileThatMayNotBeReadItIsKnownOncePermissionComes) {
  for (const bool restarts : {false, true}) {
    Harness etad(watching(kLog));
    etad.files.write(kLog, "one\ntwo\n");
    etad.poll();
    etad.files.fail("open", kLog, EACCES);
    etad.files.fail("open", kHere, EACCES);
    etad.files.bind_mount("/logs", "/here");
    etad.restart_watching(watching(kHere));
    etad.poll();
    EXPECT_EQ(etad.state[kHere], State::waiting);
    if (restarts) etad.restart();
    etad.files.heal();
    etad.files.write(kLog, "three\n");
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre("one", "two", "three")) << restarts;
  }
}

TEST_F(OtherSpelling, TakenBackItGoesOnBehindWhatWasReadMeanwhile) {
  write(3);
  spell(kHere);
  write(3);
  spell(kLog);
  write(3);
  expect_all_once();
}

// The file of before lies under another name by then, and so does what was read of it meanwhile.
TEST_F(OtherSpelling, TakenBackBehindRotationsItGoesOnBehindWhatWasReadMeanwhile) {
  for (const int rotations : {1, 2}) {
    write(3);
    spell(kHere);
    write(3);
    for (int i = 0; i < rotations; ++i) {
      rotate();
      write(3);
    }
    spell(kLog);
    write(3);
    expect_all_once();
  }
}

}  // namespace
}  // namespace etad::follow
