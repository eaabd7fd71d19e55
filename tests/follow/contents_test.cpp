// Questions about compressed files, of which no turn may inflate more than its share: each comes to its end.
#include "daemon/follow/contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kLargest = 1LL << 30;
constexpr int kTurns = 100;

std::string text_in(int file) {
  std::string out;
  for (int line = 0; line < 100; ++line)
    out += "file " + std::to_string(file) + " line " + std::to_string(line * line) + "\n";
  return out;
}

std::string compressed(FakeFileSystem& files, int number) {
  const std::string path = "/logs/train.log." + std::to_string(number) + ".gz";
  files.write(path, gzipped(text_in(number)));
  return path;
}

TEST(Contents, QuestionsThatTakeTurnsAboutOneFileComeToAnEnd) {
  FakeFileSystem files;
  const std::string path = compressed(files, 1);
  const auto key = key_of(*files.status(path));
  const ReadPart anothers{4, Fingerprint::of("none"), Fingerprint::of("none")};
  for (const std::size_t share : {1U, 500U, 2000U}) {
    Contents contents(files, kLargest);
    OsResult<std::optional<std::string>> answer = tl::unexpected(EAGAIN);
    int turns = 0;
    for (; !answer && turns < kTurns; ++turns) {
      contents.begin_turn(share);
      const auto same = contents.matches(path, key, anothers);
      if (!same) continue;
      EXPECT_FALSE(*same);
      const auto begun = contents.identity(path, key, [](const Fingerprint&) { return false; });
      if (!begun) continue;
      EXPECT_FALSE(begun->has_value());
      answer = contents.identity(path, key, [](const Fingerprint&) { return true; });
    }
    ASSERT_TRUE(answer) << "with a share of " << share;
    ASSERT_TRUE(answer->has_value());
    const std::string text = text_in(1);
    EXPECT_EQ(part_of_finished(**answer)->offset, static_cast<std::int64_t>(text.size()));
  }
}

TEST(Contents, TheHeadsOfManyFilesAreAskedForInOneTurnAfterAnother) {
  FakeFileSystem files;
  std::vector<std::string> paths;
  for (int i = 1; i <= 20; ++i) paths.push_back(compressed(files, i));
  Contents contents(files, kLargest);
  bool all = false;
  int turns = 0;
  for (; !all && turns < kTurns; ++turns) {
    contents.begin_turn(5000);
    all = true;
    for (const std::string& path : paths)
      all = all &&
            contents.identity(path, key_of(*files.status(path)), [](const Fingerprint&) { return false; })
                .has_value();
  }
  EXPECT_TRUE(all);
  EXPECT_GT(turns, 3) << "or no turn's share was used up, and this shows nothing";
}

TEST(Contents, OneUsersFilesThatTakeLongKeepNoneOfAnothersFromComingToAnEnd) {
  FakeFileSystem files;
  Contents contents(files, kLargest);
  const auto identity = [&](const std::string& path) {
    contents.begin_turn(16 * 1024);
    return contents.identity(path, key_of(*files.status(path)), [](const Fingerprint&) { return true; });
  };
  const auto create = [&](int number, std::int64_t owner) {
    const std::string path = "/logs/" + std::to_string(number) + ".gz";
    files.create(path, gzipped(std::string(256 * 1024, 'x')));
    files.file(path)->owner = owner;
    return path;
  };
  for (int i = 1; i <= 20; ++i) EXPECT_FALSE(identity(create(i, 1001)));
  const std::string anothers = create(21, 1002);
  int turns = 0;
  while (turns < kTurns && !identity(anothers)) ++turns;
  EXPECT_LT(turns, kTurns);
}

TEST(Contents, WhatNobodyAsksAboutAnyMoreKeepsNoRoom) {
  FakeFileSystem files;
  const auto path_of = [&](int number) { return "/logs/" + std::to_string(number) + ".gz"; };
  for (int i = 0; i < 9; ++i) files.create(path_of(i), gzipped(std::string(256 * 1024, 'x')));
  const auto turns_of = [&](Contents& contents, const std::string& path, int most) {
    int turns = 0;
    for (bool done = false; !done && turns < most; ++turns) {
      contents.begin_turn(16 * 1024);
      done = contents.identity(path, key_of(*files.status(path)), [](const Fingerprint&) { return true; })
                 .has_value();
    }
    return turns;
  };
  Contents alone(files, kLargest), contents(files, kLargest);
  for (int i = 0; i < 8; ++i) ASSERT_EQ(turns_of(contents, path_of(i), 1), 1);
  for (int i = 0; i < 5000; ++i) contents.begin_turn(1);
  EXPECT_EQ(turns_of(contents, path_of(8), kTurns), turns_of(alone, path_of(8), kTurns));
}

TEST(Contents, OneUsersManyFilesHaveNoneOfAnothersInflatedAgain) {
  FakeFileSystem files;
  Contents contents(files, kLargest);
  const auto identity = [&](const std::string& path) {
    contents.begin_turn(1 << 20);
    return contents.identity(path, key_of(*files.status(path)), [](const Fingerprint&) { return true; })
        .has_value();
  };
  files.create("/logs/train.log.1.gz", gzipped(std::string(256 * 1024, 'x')));
  files.file("/logs/train.log.1.gz")->owner = 1002;
  ASSERT_TRUE(identity("/logs/train.log.1.gz"));
  const std::string path = "/logs/other.gz", small = gzipped("one\n");
  for (int i = 0; i < 4200; ++i) {
    files.create(path, small);
    files.file(path)->owner = 1001;
    ASSERT_TRUE(identity(path));
  }
  EXPECT_TRUE(identity("/logs/train.log.1.gz"));
  EXPECT_LT(contents.spent(), 100'000) << "it is remembered";
}

// A hundred thousand gzip members of nothing are found in the same scan.
TEST(Contents, AFileThatTakesLongToInflateHoldsNoOtherUp) {
  Options options;
  options.batch_bytes = 16 * 1024;
  Harness etad(watching("/logs/*"), options);
  etad.files.write(kLog, "before\n");
  etad.poll();
  etad.files.remove(kLog);  // since then it is asked of each file whether it was read before
  etad.poll();
  std::string empties;
  for (int i = 0; i < 1000; ++i) empties += gzipped("");
  etad.files.create("/logs/a.gz", empties);
  etad.files.create("/logs/b.gz", gzipped("one\n"));
  for (int i = 0; i < 5; ++i) etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("before", "one")) << "where it comes behind it";
  for (int i = 0; i < 40; ++i) etad.poll();
  EXPECT_EQ(etad.state["/logs/a.gz"], State::following) << "nor is it begun anew in each scan";
}

TEST(Contents, WhatIsTooLargeIsToldAsLongAsItLies) {
  Options options;
  options.largest_inflated = 1 << 20;
  Harness etad(watching("/logs/*"), options);
  etad.files.create("/logs/a.gz", gzipped("one\n" + std::string(8 << 20, 'x')));
  etad.poll();
  etad.poll();
  etad.poll();
  EXPECT_EQ(etad.text_of("/logs/a.gz"), "waiting: too large when decompressed");
  EXPECT_THAT(etad.errors, ElementsAre("waiting: too large when decompressed"));
}

// What was read up to the fault counts, and what is told is what is missing. A whole file in its place is read on from
// there, whichever way it comes.
TEST(Contents, OfADamagedFileWhatComesBeforeTheFaultIsRead) {
  const std::string whole = gzipped(text_of(numbered(0, 300)));
  std::string damaged = whole;
  damaged[damaged.size() - 8] ^= 1;  // of its checksum
  const std::string cut = whole.substr(0, whole.size() / 2);
  for (const bool in_place : {false, true}) {
    Harness etad(watching("/logs/*.gz"));
    etad.files.create("/logs/damaged.gz", damaged);
    etad.files.create("/logs/cut.gz", cut);
    etad.poll();
    EXPECT_EQ(etad.lines_of["/logs/damaged.gz"], numbered(0, 300));
    EXPECT_EQ(etad.text_of("/logs/damaged.gz"), "waiting: a damaged gzip file");
    EXPECT_GT(etad.lines_of["/logs/cut.gz"].size(), 50U);
    EXPECT_EQ(etad.text_of("/logs/cut.gz"), "waiting: not a complete gzip file");
    const int reads = etad.files.calls["read"];
    etad.poll();
    EXPECT_EQ(etad.files.calls["read"], reads) << "nor is it read over and over";
    if (in_place) {
      etad.files.truncate("/logs/damaged.gz");
      etad.files.write("/logs/damaged.gz", whole + gzipped("more\n"));
      etad.files.write("/logs/cut.gz", whole.substr(cut.size()));
    } else {
      etad.files.replace("/logs/damaged.gz", whole + gzipped("more\n"));
      etad.files.replace("/logs/cut.gz", whole);
    }
    etad.poll();
    etad.poll();
    std::vector<std::string> all = numbered(0, 300);
    EXPECT_EQ(etad.lines_of["/logs/cut.gz"], all) << in_place;
    all.emplace_back("more");
    EXPECT_EQ(etad.lines_of["/logs/damaged.gz"], all) << in_place;
    EXPECT_EQ(etad.text_of("/logs/damaged.gz"), "following");
  }
}

// While it is held open: what is inflated knows nothing of what becomes of the bytes that it has read.
TEST(Contents, OfAWholeFileThatGetsAnotherMemberOrIsWrittenAnewTheRestIsRead) {
  const std::vector<std::string> first = numbered(0, 300), all = numbered(0, 400);
  for (const bool anew : {false, true}) {
    Harness etad(watching("/logs/*.gz"));
    etad.files.create("/logs/a.gz", gzipped(text_of(first)));
    etad.poll();
    ASSERT_EQ(etad.lines, first);
    for (int i = 0; i < 2; ++i) {
      if (anew) etad.files.truncate("/logs/a.gz");
      if (anew) etad.files.write("/logs/a.gz", gzipped(text_of(numbered(0, 350 + 50 * i))));
      if (!anew) etad.files.write("/logs/a.gz", gzipped(text_of(numbered(300 + 50 * i, 350 + 50 * i))));
      etad.poll(std::chrono::seconds(1));
    }
    EXPECT_EQ(etad.lines, all) << anew;
    EXPECT_EQ(etad.text_of("/logs/a.gz"), "following");
    etad.files.truncate("/logs/a.gz");
    etad.files.write("/logs/a.gz", gzipped("another\n"));
    etad.poll(std::chrono::seconds(1));
    EXPECT_EQ(etad.lines.back(), "another");
    EXPECT_EQ(etad.lines.size(), all.size() + 1);
    EXPECT_EQ(etad.lost, 0);
  }
}

// As xz, zstd and bzip2 begin.
TEST(Packed, WhatIsNotUnpackedIsTold) {
  const std::string xz(
      "\xfd"
      "7zXZ\0\0\4",
      8),
      zstd("\x28\xb5\x2f\xfd\4\x88", 6), bzip2("BZh91AY&SY");
  for (const std::string& bytes : {xz, zstd, bzip2}) {
    Harness etad(watching("/logs/*"));
    etad.files.create("/logs/train.log.packed", bytes);
    etad.poll();
    EXPECT_EQ(etad.state["/logs/train.log.packed"], State::waiting);
    EXPECT_THAT(etad.text_of("/logs/train.log.packed"), HasSubstr("packed by xz, zstd or bzip2"));
    EXPECT_THAT(etad.lines, IsEmpty());
  }
  Harness etad(watching("/logs/*"));
  etad.files.create(kLog, "BZh, a line\n");
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre("BZh, a line"));
}

TEST(CompressedFile, IsReadAsSuchWhereItWasEmptyWhenItWasFound) {
  for (const std::size_t first : {0U, 2U}) {
    Harness etad(watching("/logs/*"));
    const std::string bytes = gzipped("one\ntwo\n");
    etad.files.create("/logs/whole.gz", bytes.substr(0, first));
    etad.files.create("/logs/packed.xz");
    etad.poll();
    etad.files.write("/logs/whole.gz", bytes.substr(first));
    etad.files.write("/logs/packed.xz", "\xfd\x37zXZ and more\n");
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
    EXPECT_THAT(etad.text_of("/logs/packed.xz"), HasSubstr("packed by xz"));
    etad.files.remove("/logs/whole.gz");
    etad.poll();
    EXPECT_THAT(etad.lines, ElementsAre("one", "two"));
  }
}

}  // namespace
}  // namespace etad::follow
