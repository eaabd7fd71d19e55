// What happens to a log between two looks, or while the daemon is down, with each call that the next look makes failing
// once: whatever is not known then is asked again, and nothing is lost or read twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAreArray;

constexpr const char* kOther = "/logs/other.log";

struct Happening {
  const char* name;
  std::vector<std::function<void(FakeFileSystem&)>> steps;  // to a log of which "one" was read
  std::vector<std::string> lines;                           // behind that
  bool takes_away = false;                                  // what had not been read is nowhere
};

const std::vector<Happening> kHappenings = {
    {"renamed",
     {[](FakeFileSystem& files) { files.write(kLog, "two\n"); },
      [](FakeFileSystem& files) { files.rename(kLog, kRotated); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); }},
     {"two", "three"}},
    {"renamed twice",
     {[](FakeFileSystem& files) { files.write(kLog, "two\n"); },
      [](FakeFileSystem& files) { files.rename(kLog, "/logs/train.log.2"); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); },
      [](FakeFileSystem& files) { files.rename(kLog, kRotated); },
      [](FakeFileSystem& files) { files.write(kLog, "four\n"); }},
     {"two", "three", "four"}},
    {"renamed beside a backup",
     {[](FakeFileSystem& files) { files.copy(kLog, "/logs/train.log~"); },
      [](FakeFileSystem& files) { files.write(kLog, "two\n"); },
      [](FakeFileSystem& files) { files.rename(kLog, kRotated); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); }},
     {"two", "three"}},
    {"copied and truncated",
     {[](FakeFileSystem& files) { files.write(kLog, "two\n"); },
      [](FakeFileSystem& files) { files.copy(kLog, kRotated); },
      [](FakeFileSystem& files) { files.truncate(kLog); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); }},
     {"two", "three"}},
    {"copied away",
     {[](FakeFileSystem& files) { files.write(kLog, "two\n"); },
      [](FakeFileSystem& files) { files.rename(kLog, "/logs/old/train.tmp"); },
      [](FakeFileSystem& files) { files.copy("/logs/old/train.tmp", kRotated); },
      [](FakeFileSystem& files) { files.remove("/logs/old/train.tmp"); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); }},
     {"two", "three"}},
    {"compressed",
     {[](FakeFileSystem& files) { files.write(kLog, "two\n"); },
      [](FakeFileSystem& files) { files.rename(kLog, kRotated); },
      [](FakeFileSystem& files) { files.gzip(kRotated, std::string(kRotated) + ".gz"); },
      [](FakeFileSystem& files) { files.remove(kRotated); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); }},
     {"two", "three"}},
    {"rotated into a folder",
     {[](FakeFileSystem& files) { files.write(kLog, "two\n"); },
      [](FakeFileSystem& files) { files.rename(kLog, "/logs/old/train.log.1"); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); }},
     {"two", "three"}},
    {"put aside for a longer copy",
     {[](FakeFileSystem& files) { files.rename(kLog, "/logs/train.log~"); },
      [](FakeFileSystem& files) { files.create(kLog, files.content("/logs/train.log~") + "two\nthree\n"); }},
     {"two", "three"}},
    {"removed",
     {[](FakeFileSystem& files) { files.remove(kLog); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); }},
     {"three"},
     true},
    {"emptied and written anew",
     {[](FakeFileSystem& files) { files.truncate(kLog); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); }},
     {"three"},
     true},
    {"compressed twice",
     {[](FakeFileSystem& files) { files.write(kLog, "two\n"); },
      [](FakeFileSystem& files) { files.rename(kLog, kRotated); },
      [](FakeFileSystem& files) { files.gzip(kRotated, std::string(kRotated) + ".gz"); },
      [](FakeFileSystem& files) { files.remove(kRotated); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); },
      [](FakeFileSystem& files) { files.rename(std::string(kRotated) + ".gz", "/logs/train.log.2.gz"); },
      [](FakeFileSystem& files) { files.rename(kLog, kRotated); },
      [](FakeFileSystem& files) { files.gzip(kRotated, std::string(kRotated) + ".gz"); },
      [](FakeFileSystem& files) { files.remove(kRotated); },
      [](FakeFileSystem& files) { files.write(kLog, "four\n"); }},
     {"two", "three", "four"}},
    {"compressed late",
     {[](FakeFileSystem& files) { files.write(kLog, "two\n"); },
      [](FakeFileSystem& files) { files.rename(kLog, kRotated); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); },
      [](FakeFileSystem& files) { files.gzip(kRotated, std::string(kRotated) + ".gz"); },
      [](FakeFileSystem& files) { files.remove(kRotated); }},
     {"two", "three"}},
    {"copied, truncated and compressed",
     {[](FakeFileSystem& files) { files.write(kLog, "two\n"); },
      [](FakeFileSystem& files) { files.copy(kLog, kRotated); },
      [](FakeFileSystem& files) { files.truncate(kLog); },
      [](FakeFileSystem& files) { files.gzip(kRotated, std::string(kRotated) + ".gz"); },
      [](FakeFileSystem& files) { files.remove(kRotated); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); }},
     {"two", "three"}},
    {"replaced and rotated",
     {[](FakeFileSystem& files) { files.replace(kLog, files.content(kLog) + "two\n"); },
      [](FakeFileSystem& files) { files.rename(kLog, kRotated); },
      [](FakeFileSystem& files) { files.write(kLog, "three\n"); }},
     {"two", "three"}},
    {"changed places with another",
     {[](FakeFileSystem& files) { files.rename(kLog, "/logs/old/between"); },
      [](FakeFileSystem& files) { files.rename(kOther, kLog); },
      [](FakeFileSystem& files) { files.rename("/logs/old/between", kOther); },
      [](FakeFileSystem& files) { files.write(kOther, "two\n"); }},
     {"two"}},
};

enum class Read { nothing, a_line, much };

struct Circumstances {
  Read read;
  bool restarts;
  // Otherwise births are unknown, lists show no inodes, and what is open is asked about by its name.
  bool is_local;
};

std::string told(const Circumstances& with) {
  return std::string(with.restarts ? ", restarted" : "") + (with.is_local ? "" : ", not local") +
         ", read before: " +
         (with.read == Read::nothing  ? "nothing"
          : with.read == Read::a_line ? "a line"
                                      : "much");
}

class Life {
 public:
  Life(const Happening& event, const Circumstances& with) : event_(event), with_(with) {
    etad_.files.births = etad_.files.lists_inodes = with.is_local;
    etad_.files.finds_by_name = !with.is_local;
    etad_.files.write(kOther, "another\n");
    etad_.poll();
    if (with.read == Read::much) etad_.files.write(kLog, std::string(1500, '#') + "\n");
    etad_.files.write(kLog, "on");
    if (with.read != Read::nothing) etad_.files.write(kLog, "e\n");
    etad_.poll();
    etad_.lines.clear();
    if (with.restarts) etad_.stop();
    etad_.files.calls.clear();
  }

  FakeFileSystem& files() { return etad_.files; }

  // The next step of it; false: that was the last.
  bool happens() {
    if (steps_ == 0 && with_.read == Read::nothing) etad_.files.write(kLog, "e\n");
    event_.steps.at(steps_++)(etad_.files);
    return steps_ < event_.steps.size();
  }

  void look() {
    if (with_.restarts) etad_.start();
    settle();
  }
  void settle() {
    for (int i = 0; i < 4; ++i) etad_.poll();
  }

  void expect_all(const std::string& what) const {
    std::vector<std::string> lines = event_.lines;
    if (with_.read == Read::nothing) lines.insert(lines.begin(), "one");
    EXPECT_THAT(etad_.lines, ElementsAreArray(lines)) << event_.name << told(with_) << ": " << what;
    // What nothing was read of, and nobody knows when it was made, is known by nothing where it lies elsewhere: what had
    // been seen of it counts as lost, and is read there all the same.
    const bool is_known = with_.is_local || with_.read != Read::nothing;
    EXPECT_EQ(is_known ? etad_.lost : 0, 0) << event_.name << told(with_) << ": " << what;
  }

 private:
  const Happening& event_;
  Circumstances with_;
  std::size_t steps_ = 0;
  Harness etad_{{{"/logs/*", 0, false}}};
};

void for_each_life(const std::function<void(const Happening&, const Circumstances&)>& live) {
  for (const Happening& event : kHappenings)
    for (const Read read : {Read::nothing, Read::a_line, Read::much}) {
      if (read == Read::nothing && event.takes_away) continue;
      for (const int bits : {0, 1, 2, 3}) live(event, {read, (bits & 1) != 0, (bits & 2) != 0});
    }
}

TEST(FaultLives, EveryCallBehindWhateverHappenedFailsOnce) {
  for_each_life([](const Happening& event, const Circumstances& with) {
    with_each_call_failing([&](const std::string& call, int n) {
      Life life(event, with);
      while (life.happens()) continue;
      life.files().fail_nth(call, n, EIO);
      life.look();
      life.expect_all(call + " " + std::to_string(n) + " fails");
      return life.files().calls[call];
    });
  });
}

// Between a list and the status of what it names, between that and what is opened, amid what is read, …: all at once, or
// step by step, so many calls apart.
TEST(FaultLives, WhateverHappensBeforeEachCall) {
  for_each_life([](const Happening& event, const Circumstances& with) {
    for (const int apart : {0, 1, 2, 5}) {
      bool reached = true;
      for (int n = 1; reached; ++n) {
        Life life(event, with);
        int made = 0;
        bool goes_on = true;
        life.files().meanwhile = [&](const std::string&, const std::string&) {
          if (++made < n || !goes_on || (apart > 0 && (made - n) % apart != 0)) return;
          do goes_on = life.happens();
          while (apart == 0 && goes_on);
        };
        life.look();
        life.files().meanwhile = nullptr;
        reached = made >= n;
        while (reached && goes_on) goes_on = life.happens();
        life.settle();
        if (reached) life.expect_all("before call " + std::to_string(n) + ", " + std::to_string(apart));
      }
    }
  });
}

// By its name what is open looks like the file that took the name; that had the inode of what was read before.
TEST(FaultLives, ACompressedFileIsRotatedOnBehindEachCall) {
  const std::string first = std::string(kRotated) + ".gz", second = "/logs/train.log.2.gz";
  const auto rotate = [&](FakeFileSystem& files, const std::string& line, const std::string& next) {
    files.write(kLog, line);
    if (files.exists(first)) files.rename(first, second);
    files.rename(kLog, kRotated);
    files.gzip(kRotated, first);
    files.remove(kRotated);
    files.write(kLog, next);
  };
  for (int n = 1, made = n; made >= n; ++n) {
    Harness etad({{"/logs/*", 0, false}});
    etad.files.births = false;
    etad.files.finds_by_name = true;
    etad.files.write(kLog, std::string(1500, '#') + "\none\n");
    etad.poll();
    etad.lines.clear();
    rotate(etad.files, "two\n", "three\n");
    made = 0;
    etad.files.meanwhile = [&](const std::string&, const std::string&) {
      if (++made == n) rotate(etad.files, "four\n", "five\n");
    };
    for (int i = 0; i < 3; ++i) etad.poll();
    etad.files.meanwhile = nullptr;
    for (int i = 0; i < 3; ++i) etad.poll();
    std::vector<std::string> all = {"two", "three"};
    if (made >= n) all.insert(all.end(), {"four", "five"});
    EXPECT_THAT(etad.lines, ElementsAreArray(all)) << "before call " << n;
  }
}

}  // namespace
}  // namespace etad::follow
