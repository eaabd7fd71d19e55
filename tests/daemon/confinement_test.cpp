#include "daemon/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

constexpr int kFine = 0, kNoLandlock = 77;

// What a process of its own comes to; it does not come back from being confined.
int in_a_child(const std::function<int()>& act) {
  const pid_t child = fork();
  if (child == 0) _exit(act());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool may_write(const std::string& file) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

class Confined : public TempHistory {
 protected:
  // Each number says where it went wrong.
  int in_confinement(const std::function<int()>& act) {
    std::filesystem::create_directory(folder_ / "ours");
    return in_a_child([&] {
      const auto done = confine({(folder_ / "ours").string()});
      if (!done) return 100;
      return *done ? act() : kNoLandlock;
    });
  }
  void expect_fine(int result) {
    if (result == kNoLandlock) GTEST_SKIP() << "this kernel has no Landlock";
    EXPECT_EQ(result, kFine);
  }
};

TEST_F(Confined, TheDaemonWritesWhereItsHistoryAndSocketAreAndNowhereElse) {
  std::ofstream(folder_ / "theirs.log") << "a line\n";
  expect_fine(in_confinement([&] {
    if (!may_write((folder_ / "ours" / "new").string())) return 1;
    if (unlink((folder_ / "ours" / "new").c_str()) != 0) return 2;
    if (may_write((folder_ / "new").string())) return 3;
    if (may_write((folder_ / "theirs.log").string())) return 4;
    if (unlink((folder_ / "theirs.log").c_str()) == 0) return 5;
    if (truncate((folder_ / "theirs.log").c_str(), 0) == 0) return 6;
    if (rename((folder_ / "theirs.log").c_str(), (folder_ / "ours" / "x").c_str()) == 0) return 7;
    return content_of(folder_ / "theirs.log") == "a line\n" ? kFine : 8;
  }));
}

TEST_F(Confined, ItExecutesNothingAndItsThreadsNeither) {
  expect_fine(in_confinement([] {
    int error = 0;
    std::thread([&] {
      execl("/bin/true", "true", nullptr);
      error = errno;
    }).join();
    return error == EACCES ? kFine : 1;
  }));
}

TEST_F(Confined, AHistoryAndItsBackupAreMadeThere) {
  expect_fine(in_confinement([&] {
    const std::string history = (folder_ / "ours" / "history.db").string();
    if (!Writer::open(history)) return 1;
    return backup_history(history, history + ".copy") ? kFine : 2;
  }));
}

}  // namespace
}  // namespace etad
