// A folder that is seen under two names, as a bind mount shows it: by both, patterns find the same logs.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

constexpr const char* kMountedLog = "/mnt/train.log";

class FollowingAFolderOfTwoNames : public testing::Test {
 protected:
  FollowingAFolderOfTwoNames() : etad_({{"/logs/*.log", 0, false}, {"/mnt/*.log", 1, false}}) {
    etad_.files.bind_mount("/logs", "/mnt");
  }
  void write() {
    etad_.files.write(kLog, text_of(numbered(written_, written_ + 3)));
    written_ += 3;
  }
  void rotate() {
    for (int i = 30; i > 0; --i) {
      const std::string from = kLog + std::string(".") + std::to_string(i);
      if (etad_.files.exists(from)) etad_.files.rename(from, kLog + std::string(".") + std::to_string(i + 1));
    }
    etad_.files.rename(kLog, kRotated);
    write();
  }

  Harness etad_;
  int written_ = 0;
};

TEST_F(FollowingAFolderOfTwoNames, OneSourceReadsItsLogAcrossRotations) {
  write();
  etad_.poll();
  rotate();
  etad_.poll();
  rotate();
  etad_.stop();
  rotate();
  rotate();
  etad_.start();
  etad_.poll();
  EXPECT_EQ(etad_.lines, numbered(0, written_));
  EXPECT_EQ(etad_.lines_of.size(), 1U);
  EXPECT_EQ(etad_.follower->statuses().size(), 1U);
}

// Whatever acts in between: rotations at any call of a look, restarts, and rotations while nobody looks.
TEST_F(FollowingAFolderOfTwoNames, LosesNothingOverRotationsAndKills) {
  std::mt19937 random(1);
  write();
  etad_.poll();
  int countdown = 0;
  etad_.files.meanwhile = [&](const std::string&, const std::string&) {
    if (countdown > 0 && --countdown == 0) rotate();
  };
  for (int step = 0; step < 3000; ++step) {
    switch (random() % 6) {
      case 0:
        rotate();
        break;
      case 1:
        etad_.restart();
        break;
      case 2:
        countdown = static_cast<int>(1 + random() % 60);
        break;
      case 3:
        write();
        break;
      default:
        etad_.poll(std::chrono::seconds(1));
    }
    if (!etad_.files.exists(kLog + std::string(".12"))) continue;
    countdown = 0;
    etad_.poll();
    ASSERT_EQ(etad_.lines.size(), static_cast<std::size_t>(written_)) << "step " << step;
    for (int i = 3; i < 31; ++i) etad_.files.remove(kLog + std::string(".") + std::to_string(i));
  }
  countdown = 0;
  etad_.poll();
  EXPECT_TRUE(etad_.lines == numbered(0, written_));
}

// Each name was a log's own before the folder was mounted over one of them: the first goes on.
TEST_F(FollowingAFolderOfTwoNames, MountedWhileBothAreFollowed) {
  etad_.files.bind_mount("/other", "/mnt");
  write();
  etad_.files.write("/other/train.log", "of another folder\n");
  etad_.poll();
  etad_.files.bind_mount("/logs", "/mnt");
  for (int i = 0; i < 4; ++i) {
    rotate();
    etad_.poll();
  }
  EXPECT_EQ(etad_.lines_of[kLog], numbered(0, written_));
  EXPECT_EQ(etad_.lines_of[kMountedLog], std::vector<std::string>{"of another folder"});
}

// What is named in full is a source whatever lies there: it waits, also after restarts.
TEST_F(FollowingAFolderOfTwoNames, OneOfThemNamedInFull) {
  for (const bool first : {false, true}) {
    std::vector<Watch> watches = {{"/logs/*.log", 0, false}, {kMountedLog, 1, false}};
    if (first) std::swap(watches[0], watches[1]);
    Harness etad(watches);
    etad.files.bind_mount("/logs", "/mnt");
    int written = 0;
    for (int i = 0; i < 8; ++i) {
      if (i > 0) etad.files.rename(kLog, kLog + std::string(".") + std::to_string(20 - i));
      etad.files.write(kLog, text_of(numbered(written, written + 3)));
      written += 3;
      etad.poll();
      if (i % 2 == 1) etad.restart();
    }
    etad.poll();
    const std::string reader = first ? kMountedLog : kLog;
    EXPECT_EQ(etad.lines_of[reader], numbered(0, written)) << first;
    EXPECT_EQ(etad.lines, numbered(0, written)) << first;
  }
}

// Where the first name is gone, the second is as good.
TEST_F(FollowingAFolderOfTwoNames, GoesOnUnderTheOtherNameWhereOneIsGone) {
  Harness etad({{"/first/*.log", 0, false}, {"/logs/*.log", 1, false}});
  etad.files.bind_mount("/logs", "/first");
  etad.files.write(kLog, text_of(numbered(0, 400)));
  etad.poll();
  EXPECT_EQ(etad.lines_of["/first/train.log"].size(), 400U);
  etad.files.bind_mount("/nowhere", "/first");
  etad.files.write(kLog, text_of(numbered(400, 410)));
  etad.poll();
  etad.poll();
  EXPECT_EQ(etad.lines, numbered(0, 410));
}

// A link to a followed folder is no source, also where it was one before: else each would wait for the other.
TEST(FollowingALinkedFolder, IsReadByItsOwnNameOnceThatIsFollowed) {
  for (const bool restarted : {false, true}) {
    Harness etad(watching("/link/*.log"));
    etad.files.link_folder("/logs", "/link");
    etad.files.write(kLog, text_of(numbered(0, 3)));
    etad.poll();
    etad.follower->set_watches({{"/link/*.log", 0, false}, {"/logs/*.log", 1, false}});
    etad.poll();
    etad.files.rename(kLog, kRotated);
    etad.files.write(kLog, text_of(numbered(3, 5)));
    etad.poll();
    if (restarted) {
      etad.restart();
      etad.follower->set_watches({{"/link/*.log", 0, false}, {"/logs/*.log", 1, false}});
    }
    etad.files.write(kLog, text_of(numbered(5, 7)));
    etad.poll();
    EXPECT_EQ(etad.lines, numbered(0, 7));
    EXPECT_EQ(etad.lines_of[kLog], numbered(3, 7));
  }
}

// A reload whose pattern finds the same files under other names reads none of them again.
TEST(FollowingALinkedFolder, UnderAnotherPatternIsReadOn) {
  for (const bool moved : {false, true}) {
    Harness etad(watching("/logs/*.log"));
    etad.files.write(kLog, text_of(numbered(0, 3)));
    etad.poll();
    const std::string log = moved ? "/moved/train.log" : "/link/train.log";
    if (moved)
      etad.files.rename(kLog, log);
    else
      etad.files.link_folder("/logs", "/link");
    etad.restart_watching(watching(moved ? "/moved/*.log" : "/link/*.log"));
    etad.poll();
    etad.files.write(log, text_of(numbered(3, 5)));
    etad.poll();
    EXPECT_EQ(etad.lines, numbered(0, 5));
    EXPECT_EQ(etad.lines_of[log], numbered(3, 5));
  }
}

// And under the pattern of before again: what was read meanwhile is its path's, too.
TEST(FollowingALinkedFolder, UnderThePatternOfBeforeIsReadOnBehindWhatAnotherFound) {
  for (const bool cut : {false, true}) {
    Harness etad(watching("/logs/*.log"));
    etad.files.write(kLog, text_of(numbered(0, 3)));
    etad.poll();
    etad.files.link_folder("/logs", "/link");
    etad.restart_watching(watching("/link/*.log"));
    etad.files.write(kLog, text_of(numbered(3, 6)));
    etad.poll();
    etad.stop();
    if (cut) etad.files.truncate(kLog, static_cast<std::int64_t>(text_of(numbered(0, 3)).size()));
    etad.files.write(kLog, text_of(numbered(6, 8)));
    etad.restart_watching(watching("/logs/*.log"));
    etad.poll();
    EXPECT_EQ(etad.lines, numbered(0, 8));
    EXPECT_EQ(etad.lost, 0);
  }
}

}  // namespace
}  // namespace etad::follow
