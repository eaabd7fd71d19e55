// File systems that tell little of their files, as those over a network and in user space (NFS, sshfs) do: without times of
// birth, lists without inodes or types, and an open file's status that is asked for by its name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;

class RemoteFiles : public ::testing::Test {
 protected:
  RemoteFiles() {
    etad_.files.births = false;
    etad_.files.lists_inodes = false;
    etad_.files.finds_by_name = true;
  }

  Harness etad_{{{"/logs/*.log", 0, false}}};
};

TEST_F(RemoteFiles, AFileThatWasRotatedWhileTheDaemonWasDownIsReadOn) {
  etad_.rotate_while_down();
  etad_.poll();
  EXPECT_THAT(etad_.lines, ElementsAre("one", "two", "three"));
  EXPECT_EQ(etad_.lost, 0);
}

TEST_F(RemoteFiles, AFileThatIsRotatedWhileItIsOpenIsReadOn) {
  etad_.files.write(kLog, "one\n");
  etad_.poll();
  for (const char* text : {"two\n", "four\n"}) {
    etad_.files.write(kLog, text);
    if (etad_.files.exists(kRotated)) etad_.files.rename(kRotated, "/logs/train.log.2");
    etad_.files.rename(kLog, kRotated);
    etad_.files.write(kLog, text == std::string("two\n") ? "three\n" : "five\n");
    etad_.poll();
  }
  EXPECT_THAT(etad_.lines, ElementsAre("one", "two", "three", "four", "five"));
  EXPECT_EQ(etad_.lost, 0);
}

TEST_F(RemoteFiles, ALinkToTheFileThatWasMovedIsNotTakenForIt) {
  etad_.files.write(kLog, "one\n");
  etad_.poll();
  etad_.stop();
  etad_.files.write(kLog, "two\n");
  etad_.files.rename(kLog, "/logs/train.log.1");
  etad_.files.symlink("train.log.1", "/logs/latest");
  etad_.start();
  etad_.poll();
  etad_.files.write(kLog, "three\n");
  etad_.poll();
  EXPECT_THAT(etad_.lines, ElementsAre("one", "two", "three"));
}

TEST(RemoteLinks, OneThatLeadsNowhereAndHasTheInodeOfAFileThatIsGoneIsNotWaitedFor) {
  for (const bool lists_inodes : {true, false}) {
    Harness etad(watching(kLog));
    etad.files.lists_inodes = lists_inodes;
    etad.files.write(kLog, "one\n");
    etad.poll();
    etad.stop();
    const auto inode = etad.files.inode(kLog);
    etad.files.remove(kLog);
    etad.files.symlink("nowhere", "/logs/latest");
    ASSERT_EQ(etad.files.inode("/logs/latest"), inode);
    etad.files.write(kLog, "two\n");
    etad.start();
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
  }
}

// Of the same number of names as before, while they are listed.
TEST_F(RemoteFiles, ARotationWhileNamesAreListedIsSeen) {
  etad_.files.write("/logs/train.log.1", "old\n");
  etad_.rotate_while_down();
  int rotations = 1;
  etad_.files.meanwhile = [&](const std::string& call, const std::string& path) {
    if (call != "status" || path != kRotated || rotations-- <= 0) return;
    etad_.files.rename(kRotated, "/logs/train.log.2");
    etad_.files.rename(kLog, kRotated);
    etad_.files.write(kLog, "four\n");
    etad_.files.rename("/logs/train.log.2", "/logs/elsewhere");
  };
  etad_.poll();
  EXPECT_THAT(etad_.lines, ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(etad_.lost, 0);
}

}  // namespace
}  // namespace etad::follow
