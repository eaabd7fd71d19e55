// The real file system and the real inotify: what a directory can hold that is no log, and that hints come.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <set>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/follower.h"
#include "tests/sanitized.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OnDisk : public ::testing::Test {
 protected:
  OnDisk() {
    std::string pattern = (std::filesystem::temp_directory_path() / "etad-follow-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~OnDisk() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  void write(const std::string& name, std::string_view bytes) {
    std::ofstream(path(name), std::ios::app | std::ios::binary) << bytes;
  }

  void follow(const std::string& pattern, HintSource* hints = nullptr) {
    follower_ = std::make_unique<Follower>(*files_, hints, std::vector<Watch>{{path(pattern), 0, false}});
  }

  // Polls until nothing is left to do at once.
  void poll() {
    now_ += std::chrono::seconds(11);
    for (int i = 0; i < 100'000; ++i) {
      const std::vector<Batch> batches = follower_->poll(now_, wall_, 1 << 20);
      if (batches.empty() && follower_->next_due(now_) > now_) return;
      for (const Batch& batch : batches) {
        for (const Line& line : batch.lines) lines_.emplace_back(line.text);
        skipped_ += batch.skipped_bytes;
        truncated_ += batch.truncated_lines;
        follower_->committed(batch);
      }
    }
    FAIL() << "never done";
  }

  std::string text_of(const std::string& name) const {
    for (const Status& status : follower_->statuses())
      if (status.path == path(name)) return status.text;
    return "not followed";
  }

  std::string directory_;
  std::unique_ptr<FileSystem> files_ = posix_filesystem();
  std::unique_ptr<Follower> follower_;
  SteadyTime now_{std::chrono::hours(1)};
  Instant wall_ = std::chrono::time_point_cast<Instant::duration>(std::chrono::system_clock::now()) +
                  std::chrono::hours(1);  // whatever lies there has been there for long
  std::vector<std::string> lines_;
  std::int64_t skipped_ = 0;
  std::int64_t truncated_ = 0;
};

// Of this process. A sanitizer keeps freed memory for a while: it says nothing then.
std::int64_t resident_kilobytes() {
  if (ETAD_SANITIZED) return 0;
  std::ifstream statm("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

// tmpfs keeps whatever its owner says.
TEST_F(OnDisk, AFilesTimeMayBeAny) {
  std::string pattern = "/dev/shm/etad-follow-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) GTEST_SKIP() << "no /dev/shm";
  directory_.swap(pattern);
  std::filesystem::remove(pattern);
  for (const std::int64_t seconds : {std::numeric_limits<std::int64_t>::max(), std::int64_t{-1} << 62}) {
    write("train.log", "one\n");
    const timespec time{seconds, 999'999'999};
    const timespec times[] = {time, time};
    ASSERT_EQ(utimensat(AT_FDCWD, path("train.log").c_str(), times, 0), 0);
    const auto status = files_->status(path("train.log"));
    ASSERT_TRUE(status);
    EXPECT_GE(status->modified, Instant{});
    EXPECT_LT(status->modified, Instant(std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1)));
  }
}

TEST_F(OnDisk, WhatIsNoRegularFileIsNeverOpened) {
  std::filesystem::create_directory(path("a"));
  ASSERT_EQ(mkfifo(path("b").c_str(), 0600), 0);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path("c").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::filesystem::create_symlink("/dev/zero", path("d"));
  std::filesystem::create_symlink("nowhere", path("e"));
  std::filesystem::create_symlink("f", path("f"));
  write("g", "a log\n");
  follow("*");
  poll();
  close(fd);
  EXPECT_EQ(text_of("a"), "a directory, not a regular file");
  EXPECT_EQ(text_of("b"), "a FIFO, not a regular file");
  EXPECT_EQ(text_of("c"), "a socket, not a regular file");
  EXPECT_EQ(text_of("d"), "a character device, not a regular file");
  EXPECT_EQ(text_of("f"), "a link that leads in a circle");
  EXPECT_THAT(lines_, ElementsAre("a log"));
}

TEST_F(OnDisk, AFileReplacedByALinkToItself) {
  write("log", "one\n");
  follow("log");
  poll();
  std::filesystem::remove(path("log"));
  std::filesystem::create_symlink("log", path("log"));
  poll();
  EXPECT_EQ(text_of("log"), "a link that leads in a circle");
  std::filesystem::remove(path("log"));
  write("log", "two\n");
  poll();
  EXPECT_THAT(lines_, ElementsAre("one", "two"));
  EXPECT_EQ(text_of("log"), "following");
}

TEST_F(OnDisk, ASparseFileOfTenGigabytes) {
  constexpr std::int64_t kSize = 10LL * 1024 * 1024 * 1024;
  write("log", "before\n");
  if (truncate(path("log").c_str(), kSize) != 0) GTEST_SKIP() << "no room for it: " << std::strerror(errno);
  write("log", "after\n");
  follow("log");
  const std::int64_t before = resident_kilobytes();
  poll();
  EXPECT_THAT(lines_, ElementsAre("before", "after"));
  EXPECT_EQ(skipped_, kSize - 7);
  EXPECT_LT(resident_kilobytes() - before, 32 * 1024);
}

TEST_F(OnDisk, ALineOfManyMegabytes) {
  const std::string part(1 << 20, 'x');
  write("log", "before\n");
  for (int i = 0; i < 64; ++i) write("log", part);
  write("log", "\nafter\n");
  follow("log");
  const std::int64_t before = resident_kilobytes();
  poll();
  EXPECT_THAT(lines_, ElementsAre("before", std::string(64 * 1024, 'x'), "after"));
  EXPECT_EQ(truncated_, 1);
  EXPECT_LT(resident_kilobytes() - before, 16 * 1024);
}

TEST_F(OnDisk, BinaryGarbage) {
  std::mt19937 random(4);
  std::string garbage(3'000'000, '\0');
  for (char& c : garbage) c = static_cast<char>(random());
  write("log", garbage + "\nafter\n");
  follow("log");
  poll();
  ASSERT_FALSE(lines_.empty());
  EXPECT_EQ(lines_.back(), "after");
  EXPECT_EQ(follower_->statuses()[0].offset, 3'000'007);
}

TEST_F(OnDisk, RotationAndTruncationOnARealDisk) {
  write("log", "one\n");
  follow("log*");
  poll();
  write("log", "two\n");
  std::filesystem::rename(path("log"), path("log.1"));
  write("log", "three\n");
  poll();
  write("log", "four\n");
  std::filesystem::rename(path("log.1"), path("log.2"));
  std::filesystem::copy_file(path("log"), path("log.1"));
  std::filesystem::resize_file(path("log"), 0);
  write("log", "five\n");
  poll();
  std::filesystem::remove(path("log"));
  write("log", "six\n");
  poll();
  EXPECT_THAT(lines_, ElementsAre("one", "two", "three", "four", "five", "six"));
}

TEST_F(OnDisk, PermissionIsWaitedFor) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  write("log", "one\n");
  std::filesystem::permissions(path("log"), std::filesystem::perms::none);
  follow("log");
  poll();
  EXPECT_THAT(text_of("log"), HasSubstr("ermission denied"));
  std::filesystem::permissions(path("log"), std::filesystem::perms::owner_read);
  poll();
  EXPECT_THAT(lines_, ElementsAre("one"));
}

// What its owner could not read himself, nor shows by a link of his own.
TEST_F(OnDisk, ALinkShowsOnlyWhatIsItsOwners) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of others";
  constexpr uid_t kMallory = 4711;
  constexpr uid_t kAlice = 4712;
  std::filesystem::create_directory(path("mallory"));
  ASSERT_EQ(chown(path("mallory").c_str(), kMallory, kMallory), 0);
  std::filesystem::create_directory(path("private"));
  ASSERT_EQ(chown(path("private").c_str(), kAlice, kAlice), 0);
  write("private/secret", "secret\n");
  ASSERT_EQ(chown(path("private/secret").c_str(), kAlice, kAlice), 0);
  write("mallory/own", "own\n");
  ASSERT_EQ(chown(path("mallory/own").c_str(), kMallory, kMallory), 0);
  const auto link = [&](const std::string& target, const std::string& name, uid_t owner) {
    std::filesystem::create_symlink(target, path(name));
    ASSERT_EQ(lchown(path(name).c_str(), owner, owner), 0);
  };
  link(path("private/secret"), "mallory/a.log", kMallory);
  link("../private", "mallory/directory", kMallory);
  link("directory/secret", "mallory/b.log", 0);
  std::filesystem::create_hard_link(path("private/secret"), path("mallory/c.log"));
  link("own", "mallory/d.log", kMallory);
  follow("mallory/*.log");
  poll();
  EXPECT_THAT(lines_, ElementsAre("own"));
  for (const char* name : {"mallory/a.log", "mallory/b.log", "mallory/c.log"})
    EXPECT_THAT(files_->open(path(name)).error(), EPERM) << name;
  for (const char* name : {"mallory/a.log", "mallory/b.log", "mallory/c.log"})
    std::filesystem::remove(path(name));
  link(path("private/secret"), "mallory/roots.log", 0);
  poll();
  poll();
  EXPECT_THAT(lines_, ElementsAre("own", "secret"));
}

// Everybody may write into her folder, and so give her file another name there.
TEST_F(OnDisk, AHardLinkInAFolderThatAllMayWriteShowsNothing) {
  write("log", "one\n");
  std::filesystem::create_directory(path("open"));
  std::filesystem::create_hard_link(path("log"), path("open/log"));
  const auto handle = files_->open(path("open/log"));
  ASSERT_TRUE(handle);
  files_->close(*handle);
  ASSERT_EQ(chmod(path("open").c_str(), 0777), 0);
  EXPECT_EQ(files_->open(path("open/log")).error(), EPERM);
}

// Each look at such a file asks for its way.
TEST_F(OnDisk, AFileDeepDownIsOpenedAndItsWayIsKnown) {
  std::string folder = directory_;
  while (folder.size() < 3'900) std::filesystem::create_directory(folder += "/d");
  std::ofstream(folder + "/log") << "one\n";
  const auto handle = files_->open(folder + "/log");
  ASSERT_TRUE(handle);
  files_->close(*handle);
  EXPECT_EQ(files_->resolve(folder + "/log"), folder + "/log");
  EXPECT_EQ(files_->open(folder).error(), EINVAL);
  EXPECT_EQ(files_->resolve(folder + "/none").error(), ENOENT);
  EXPECT_EQ(files_->open(folder + "/none").error(), ENOENT);
  EXPECT_EQ(files_->open(folder + "/log/none").error(), ENOTDIR);
}

TEST_F(OnDisk, AWayIsKnownWhateverItsNames) {
  std::filesystem::create_directory(path("runs"));
  std::filesystem::create_directory_symlink("runs", path("link"));
  write("runs/log (deleted)", "one\n");
  EXPECT_EQ(files_->resolve(path("link/log (deleted)")), path("runs/log (deleted)"));
  EXPECT_TRUE(files_->open(path("link/log (deleted)")));
  std::filesystem::create_symlink("circle", path("circle"));
  EXPECT_EQ(files_->resolve(path("circle")).error(), ELOOP);
  EXPECT_EQ(files_->open(path("circle")).error(), ELOOP);
}

TEST_F(OnDisk, InotifyTellsOfAppendedLines) {
  Errno error = 0;
  const auto hints = inotify_hints(error);
  if (!hints) GTEST_SKIP() << "no inotify here: " << std::strerror(error);
  write("log", "one\n");
  follow("*", hints.get());
  for (int i = 0; i < 20; ++i) poll();
  ASSERT_GT(follower_->next_due(now_), now_ + std::chrono::seconds(1));
  write("log", "two\n");
  pollfd waiting{follower_->hint_fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&waiting, 1, 5000), 1);
  follower_->on_hint(now_);
  EXPECT_LE(follower_->next_due(now_), now_ + std::chrono::milliseconds(5));
  poll();
  EXPECT_THAT(lines_, ElementsAre("one", "two"));
}

// The kernel has one watch for a folder, by whatever names it was asked for.
TEST_F(OnDisk, InotifyTellsOfAFolderByEachOfItsNames) {
  Errno error = 0;
  const auto hints = inotify_hints(error);
  if (!hints) GTEST_SKIP() << "no inotify here: " << std::strerror(error);
  std::filesystem::create_directory(path("folder"));
  std::filesystem::create_directory_symlink(path("folder"), path("link"));
  ASSERT_TRUE(hints->watch(path("folder")));
  ASSERT_TRUE(hints->watch(path("link")));
  write("folder/log", "one\n");
  const HintSource::Hints told = hints->drain();
  EXPECT_THAT(told.paths, testing::IsSupersetOf({path("folder/log"), path("link/log")}));
}

// Whoever changes files faster than events are read would else hold up all that the reader does beside that.
TEST_F(OnDisk, InotifyIsReadInBoundedPieces) {
  constexpr std::size_t kFiles = 2500, kMostAtOnce = 2048;
  Errno error = 0;
  const auto hints = inotify_hints(error);
  if (!hints) GTEST_SKIP() << "no inotify here: " << std::strerror(error);
  std::filesystem::create_directory(path("folder"));
  ASSERT_TRUE(hints->watch(path("folder")));
  for (std::size_t i = 0; i < kFiles; ++i) write("folder/" + std::to_string(i), "");
  std::set<std::string> told;
  for (HintSource::Hints hints_now = hints->drain(); !hints_now.paths.empty(); hints_now = hints->drain()) {
    EXPECT_LE(hints_now.paths.size(), kMostAtOnce);
    told.insert(hints_now.paths.begin(), hints_now.paths.end());
  }
  EXPECT_EQ(told.size(), kFiles);
}

}  // namespace
}  // namespace etad::follow
