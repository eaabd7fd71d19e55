// Where the history lies, who may read it, and what of it is on the disk.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>

#include "storage/placement.h"
#include "storage/sqlite.h"
#include "tests/storage/faulty_vfs.h"
#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

class Placing : public testing::Test {
 protected:
  Result<void> commit(Writer& writer) {
    std::vector<SourceCommit> all{source_with_run("/a.log", 0)};
    return writer.commit(all, kNow);
  }
  static mode_t mode_of(const std::string& path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0 ? found.st_mode & 0777U : 0;
  }

  TempDir dir_;
  const std::string path_ = dir_.file("history.db");
};

TEST_F(Placing, NothingIsCommittedIntoADatabaseThatWasRemoved) {
  auto writer = must(Writer::open(path_));
  ASSERT_TRUE(commit(*writer));
  ASSERT_TRUE(writer->check_place());
  std::filesystem::rename(path_, path_ + ".away");
  const auto done = commit(*writer);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text(), testing::HasSubstr("removed or replaced"));
  EXPECT_FALSE(writer->check_place());
  EXPECT_FALSE(writer->maintain(kNow));
  std::filesystem::rename(path_ + ".away", path_);
  EXPECT_TRUE(commit(*writer)) << "put back, it is the same one";
}

TEST_F(Placing, AFolderThatCanNotBeLookedIntoIsNoDatabaseThatWasRemoved) {
  const std::string folder = dir_.file("folder"), path = folder + "/history.db";
  std::filesystem::create_directory(folder);
  auto writer = must(Writer::open(path));
  ASSERT_TRUE(commit(*writer));
  std::filesystem::rename(folder, folder + ".away");
  std::filesystem::create_symlink(folder, folder);
  const auto done = commit(*writer);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(done.error().text(),
              testing::HasSubstr("can't be looked at: Too many levels of symbolic links"));
  std::filesystem::remove(folder);
  std::filesystem::rename(folder + ".away", folder);
  EXPECT_TRUE(commit(*writer));
}

// Its write-ahead log lies beside one of the names, and who opens the other would not see it.
TEST_F(Placing, ADatabaseOfTwoNamesIsNotWrittenTo) {
  auto writer = must(Writer::open(path_));
  ASSERT_TRUE(commit(*writer));
  const std::string second = dir_.file("second.db");
  std::filesystem::create_hard_link(path_, second);
  const auto beside = Writer::open(second);
  ASSERT_FALSE(beside);
  EXPECT_THAT(beside.error().text(), testing::HasSubstr("has a second name"));
  EXPECT_TRUE(commit(*writer)) << "who has it open goes on";
  writer.reset();
  EXPECT_FALSE(Writer::open(path_));
  std::filesystem::remove(second);
  EXPECT_TRUE(Writer::open(path_));
}

TEST_F(Placing, TwoDaemonsDoNotWriteToOneHistory) {
  auto writer = must(Writer::open(path_));
  const auto second = Writer::open(path_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().text(), testing::HasSubstr("another process writes to this history"));
  EXPECT_TRUE(commit(*writer));
  EXPECT_TRUE(Reader::open(path_)) << "reading is everybody's";
  const std::string link = dir_.file("link.db");
  std::filesystem::create_symlink(path_, link);
  EXPECT_FALSE(Writer::open(link)) << "whatever its name";
  writer.reset();
  EXPECT_TRUE(Writer::open(path_));
  writer = must(Writer::open(link));
  EXPECT_FALSE(Writer::open(path_));
}

TEST_F(Placing, ALinkToAHistoryThatIsYetToBeMadeIsAnotherNameOfIt) {
  std::filesystem::create_directory(dir_.file("big"));
  std::filesystem::create_symlink("big/real.db", path_);
  const std::string real = dir_.file("big/real.db");
  EXPECT_EQ(real_path(path_), real);
  auto writer = must(Writer::open(path_));
  ASSERT_TRUE(commit(*writer));
  EXPECT_FALSE(Writer::open(path_));
  EXPECT_FALSE(Writer::open(real));
  EXPECT_FALSE(std::filesystem::exists(path_ + "-lock"));
  writer.reset();
  std::filesystem::remove(real);
  std::filesystem::remove(path_);
  std::filesystem::create_symlink(path_, path_);
  EXPECT_FALSE(Writer::open(path_)) << "it leads nowhere";
}

// It would be SIGBUS that ends the process.
TEST_F(Placing, AFullDiskOfSmallBlocksIsToldAndNotWrittenTo) {
  const auto full = check_room(path_, Room{1024, 31 * 1024});
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(full.error().text(), testing::HasSubstr("the database's index has no room"));
  EXPECT_TRUE(check_room(path_, Room{1024, 32 * 1024}));
  EXPECT_TRUE(check_room(path_, Room{4096, 0})) << "a full disk stops no start";
  EXPECT_TRUE(check_room(path_, std::nullopt));
  const auto here = room_for(path_);
  ASSERT_TRUE(here);
  EXPECT_GT(here->block, 0);
}

TEST_F(Placing, NothingIsCommittedBesideADatabaseThatWasReplaced) {
  auto writer = must(Writer::open(path_));
  ASSERT_TRUE(commit(*writer));
  must(backup_history(path_, path_ + ".copy"));
  std::filesystem::rename(path_ + ".copy", path_);
  EXPECT_FALSE(commit(*writer));
  EXPECT_EQ(must(must(Reader::open(path_))->size()).runs, 1);
}

TEST_F(Placing, NothingIsCommittedIntoAWriteAheadLogThatWasRemoved) {
  auto writer = must(Writer::open(path_));
  ASSERT_TRUE(commit(*writer));
  std::filesystem::remove(path_ + "-wal");
  const auto done = commit(*writer);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text(), testing::HasSubstr("write-ahead log"));
}

// Another daemon would take the lock of that name, and count every line once more.
TEST_F(Placing, NothingIsCommittedOnceItsLockWasRemoved) {
  auto writer = must(Writer::open(path_));
  ASSERT_TRUE(commit(*writer));
  std::filesystem::remove(path_ + "-lock");
  const auto done = commit(*writer);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text(), testing::HasSubstr("lock was removed"));
  EXPECT_FALSE(writer->check_place());
}

TEST_F(Placing, AFileOfSomebodyElseIsLeftAsItWas) {
  {
    sqlite::Connection theirs(path_, sqlite::Connection::Mode::write);
    theirs.execute("CREATE TABLE addresses (name TEXT)");
  }
  ASSERT_EQ(chmod(path_.c_str(), 0666), 0);
  EXPECT_FALSE(Writer::open(path_));
  EXPECT_EQ(mode_of(path_), 0666);
}

TEST_F(Placing, TheHistoryIsItsOwnersWhateverTheUmask) {
  const mode_t before = umask(0);
  auto writer = must(Writer::open(path_));
  ASSERT_TRUE(commit(*writer));
  umask(before);
  for (const char* suffix : {"", "-wal", "-shm"}) EXPECT_EQ(mode_of(path_ + suffix), 0600) << suffix;
}

TEST_F(Placing, AHistoryThatOthersMayReadIsClosedToThem) {
  must(Writer::open(path_));
  ASSERT_EQ(chmod(path_.c_str(), 0664), 0);
  const auto writer = must(Writer::open(path_));
  EXPECT_EQ(mode_of(path_), 0640) << "the group may have been given it";
}

TEST_F(Placing, WhatWasCommittedIsOnTheDiskAfterASync) {
  bool unsynced = false;
  FaultyVfs vfs([&](Operation operation) {
    if (operation == Operation::write) unsynced = true;
    if (operation == Operation::sync) unsynced = false;
    return SQLITE_OK;
  });
  auto writer = must(Writer::open(path_));
  ASSERT_TRUE(commit(*writer));
  EXPECT_TRUE(unsynced) << "a commit alone waits for no disk";
  ASSERT_TRUE(writer->sync());
  EXPECT_FALSE(unsynced);
}

TEST_F(Placing, ADiskThatRefusesASyncIsTold) {
  bool refuse = false;
  FaultyVfs vfs([&](Operation operation) {
    return refuse && operation == Operation::sync ? failure_code(operation) : SQLITE_OK;
  });
  auto writer = must(Writer::open(path_));
  ASSERT_TRUE(commit(*writer));
  refuse = true;
  EXPECT_FALSE(writer->sync());
}

}  // namespace
}  // namespace etad::test
