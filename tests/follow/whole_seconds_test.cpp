// What packs or archives a log may give it its time in whole seconds (pigz, tar), so that it looks older than the log
// that was read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAreArray;

// As pigz does.
void pack(FakeFileSystem& files, const std::string& path) {
  files.gzip(path, path + ".gz");
  files.remove(path);
  auto& modified = files.file(path + ".gz")->modified;
  modified = std::chrono::floor<std::chrono::seconds>(modified);
}

// All of it within one second.
class PackedInWholeSeconds : public ::testing::TestWithParam<int> {
 protected:
  PackedInWholeSeconds() { etad_.files.set_clock(etad_.wall + std::chrono::milliseconds(100)); }

  Harness etad_{watching(kLog)};
};

TEST_P(PackedInWholeSeconds, WhatWasWrittenBeforeIsRead) {
  const int read = GetParam();
  etad_.files.write(kLog, text_of(numbered(0, read)));
  etad_.poll();
  etad_.stop();
  etad_.files.write(kLog, text_of(numbered(read, read + 7)));
  etad_.files.rename(kLog, kRotated);
  pack(etad_.files, kRotated);
  etad_.files.write(kLog, text_of(numbered(read + 7, read + 9)));
  etad_.start();
  etad_.poll();
  EXPECT_THAT(etad_.lines, ElementsAreArray(numbered(0, read + 9)));
}

TEST_P(PackedInWholeSeconds, SoItIsOfACopyThatWasTruncated) {
  const int read = GetParam();
  etad_.files.write(kLog, text_of(numbered(0, read)));
  etad_.poll();
  etad_.files.write(kLog, text_of(numbered(read, read + 7)));
  etad_.files.copy(kLog, kRotated);
  etad_.files.truncate(kLog);
  pack(etad_.files, kRotated);
  etad_.poll();
  etad_.files.write(kLog, text_of(numbered(read + 7, read + 9)));
  etad_.poll();
  EXPECT_THAT(etad_.lines, ElementsAreArray(numbered(0, read + 9)));
}

TEST_P(PackedInWholeSeconds, SoIsAWholeFileBetweenTwoRotations) {
  const int read = GetParam();
  etad_.files.write(kLog, text_of(numbered(0, read)));
  etad_.poll();
  etad_.files.rename(kLog, kRotated);
  pack(etad_.files, kRotated);
  etad_.files.write(kLog, text_of(numbered(read, read + 5)));
  etad_.files.rename("/logs/train.log.1.gz", "/logs/train.log.2.gz");
  etad_.files.rename(kLog, kRotated);
  pack(etad_.files, kRotated);
  etad_.files.write(kLog, text_of(numbered(read + 5, read + 9)));
  etad_.poll();
  etad_.wall += std::chrono::seconds(3);  // until when more of what is packed might come
  etad_.poll();
  EXPECT_THAT(etad_.lines, ElementsAreArray(numbered(0, read + 9)));
}

// While it is packed nothing new has been written yet: the same file is no newer one.
TEST_P(PackedInWholeSeconds, WhatWasReadIsNotReadAgain) {
  const int read = GetParam();
  etad_.files.write(kLog, text_of(numbered(0, read)));
  etad_.poll();
  etad_.files.rename(kLog, kRotated);
  etad_.poll();
  pack(etad_.files, kRotated);
  etad_.poll();
  etad_.files.write(kLog, text_of(numbered(read, read + 9)));
  etad_.poll();
  EXPECT_THAT(etad_.lines, ElementsAreArray(numbered(0, read + 9)));
}

INSTANTIATE_TEST_SUITE_P(LinesReadBefore, PackedInWholeSeconds, ::testing::Values(3, 300));

}  // namespace
}  // namespace etad::follow
