// A log that is taken away and put back: `mv` to another disk and back, `tar x`, a backup. It has another inode then,
// and where it is written to at once nothing but its content tells that it is the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr const char* kLog = "/logs/train.log";

void take_away(Harness& etad) {
  etad.files.set_clock(etad.wall);
  etad.files.remove(kLog);
  etad.hints.pending.paths = etad.hints.pending.removed = {kLog};
  etad.follower->on_hint(etad.now);
}

// Of 200 lines that were read; there are two more in it, and nobody has looked at it yet.
void put_back(Harness& etad) {
  etad.files.write(kLog, text_of(numbered(0, 200)));
  etad.poll();
  take_away(etad);
  etad.poll();
  etad.files.write(kLog, text_of(numbered(0, 202)));
}

TEST(PutBack, ALogTakenAwayAndPutBackIsReadOn) {
  for (const bool is_open : {true, false})
    for (const bool gone_is_seen : {true, false})
      for (const bool half_is_seen : {true, false})
        for (const bool births : {true, false}) {
          Harness etad(watching(kLog));
          etad.with_hints = true;
          etad.restart();
          etad.files.births = births;
          etad.files.write(kLog, text_of(numbered(0, 200)));
          etad.poll();
          if (!is_open) etad.poll(std::chrono::minutes(1));
          take_away(etad);
          if (gone_is_seen) etad.poll(milliseconds(300));
          if (half_is_seen) {
            etad.files.write(kLog, text_of(numbered(0, 150)));
            etad.poll(milliseconds(300));
            etad.files.write(kLog, text_of(numbered(150, 201)));
          } else {
            etad.files.write(kLog, text_of(numbered(0, 201)));
          }
          etad.poll(milliseconds(300));
          etad.files.write(kLog, text_of(numbered(201, 203)));
          etad.poll();
          EXPECT_EQ(etad.lines, numbered(0, 203))
              << is_open << " " << gone_is_seen << " " << half_is_seen << " " << births;
          EXPECT_EQ(etad.lost, 0);
        }
}

// `gzip train.log`, `gunzip train.log.gz`: what is expanded grows, gets its time, and then the other goes.
TEST(PutBack, ALogThatIsCompressedAndExpandedIsReadOn) {
  const std::string compressed = std::string(kLog) + ".gz";
  for (const char* pattern : {kLog, "/logs/*"})
    for (const int half : {-1, 0, 150, 200})
      for (const bool births : {true, false}) {
        Harness etad(watching(pattern));
        etad.files.births = births;
        etad.files.set_clock(etad.wall - seconds(30));
        etad.files.write(kLog, text_of(numbered(0, 200)));
        etad.poll();
        const Instant written = etad.files.file(kLog)->modified;
        etad.files.gzip(kLog, compressed);
        etad.files.remove(kLog);
        etad.poll(seconds(3));
        etad.files.set_clock(etad.wall);
        etad.files.create(kLog);
        if (half >= 0) {
          etad.files.write(kLog, text_of(numbered(0, half)));
          etad.poll(milliseconds(300));
        }
        etad.files.write(kLog, text_of(numbered(std::max(half, 0), 200)));
        etad.files.file(kLog)->modified = written;
        etad.poll(milliseconds(300));
        etad.files.remove(compressed);
        etad.poll(milliseconds(300));
        etad.files.write(kLog, text_of(numbered(200, 202)));
        etad.poll();
        EXPECT_EQ(etad.lines, numbered(0, 202)) << pattern << " " << half << " " << births;
      }
}

// Found as seed 58,201,037.
TEST(PutBack, ALogPutBackAndRotatedBeforeItIsLookedAtIsReadOn) {
  Harness etad(watching(kLog));
  put_back(etad);
  etad.files.rename(kLog, "/logs/train.log.1");
  etad.files.write(kLog, text_of(numbered(202, 204)));
  etad.poll();
  EXPECT_EQ(etad.lines, numbered(0, 204));
}

// Found as seed 58,212,437.
TEST(PutBack, ALogPutBackThatIsCopiedAndTruncatedWhileItIsLookedAtIsReadOn) {
  for (int call = 1; call < 40; ++call) {
    Harness etad(watching(kLog));
    put_back(etad);
    etad.files.copy(kLog, "/logs/train.log.1");
    int calls = 0;
    etad.files.meanwhile = [&](const std::string&, const std::string&) {
      if (++calls == call) etad.files.truncate(kLog);
    };
    etad.poll();
    etad.files.meanwhile = {};
    if (calls < call) etad.files.truncate(kLog);
    etad.files.write(kLog, text_of(numbered(202, 204)));
    etad.poll();
    EXPECT_EQ(etad.lines, numbered(0, 204)) << call;
  }
}

TEST(PutBack, ANewJobsLogThatBeginsAlikeIsReadFromItsBeginning) {
  for (const bool gone_is_seen : {true, false}) {
    Harness etad(watching(kLog));
    etad.with_hints = true;
    etad.restart();
    const std::string banner = text_of(numbered(1000, 1150));
    etad.files.write(kLog, banner + text_of(numbered(0, 20)));
    etad.poll();
    take_away(etad);
    if (gone_is_seen) etad.poll(milliseconds(300));
    etad.files.write(kLog, banner);
    etad.poll(milliseconds(300));
    EXPECT_EQ(etad.lines.size(), 170U);  // it may be the old one, half written
    etad.files.write(kLog, text_of(numbered(20, 50)));
    etad.poll(milliseconds(300));
    EXPECT_EQ(etad.lines.size(), 350U);
    take_away(etad);
    if (gone_is_seen) etad.poll(milliseconds(300));
    etad.files.write(kLog, banner);  // and says no more for a while
    etad.poll(milliseconds(300));
    etad.poll(seconds(1));
    EXPECT_EQ(etad.lines.size(), 500U);
    EXPECT_EQ(etad.lost, 0);
  }
}

// overlayfs, whose lower layer has the file still when it is first written to.
TEST(PutBack, ACopyOfAFileThatIsOpenAndHasNoNameHereIsReadOn) {
  Harness etad(watching(kLog));
  const std::string first(2000, 'x');
  etad.files.write(kLog, first + "\n");
  etad.poll();
  etad.files.rename(kLog, "/lower/train.log");
  etad.files.create(kLog, first + "\ntwo\n");
  etad.poll();
  etad.files.write(kLog, "three\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre(first, "two", "three"));
}

}  // namespace
}  // namespace etad::follow
