// A followed log that is imported while it is rotated, or after that, is in the history once: what an import holds may by
// then lie in a rotated file, read or not.
#include <algorithm>

#include "tests/daemon/import_races.h"

namespace etad {
namespace {

struct Rotating {
  bool copies;       // copytruncate; else it is renamed
  bool of_all;       // all of the log is imported; else its beginning
  bool amid = true;  // the import begins before it is rotated; else behind that
};

class ImportRotation : public ImportRaces, public testing::WithParamInterface<Rotating> {
 protected:
  void rotate() {
    if (std::filesystem::exists(file("lenet.log.1")))
      std::filesystem::rename(file("lenet.log.1"), file("lenet.log.2"));
    if (!GetParam().copies) return std::filesystem::rename(file("lenet.log"), file("lenet.log.1"));
    std::filesystem::copy_file(file("lenet.log"), file("lenet.log.1"));
    std::filesystem::resize_file(file("lenet.log"), 0);
  }

  void rotate_another_away() {
    start_ingest(usual_options());
    append("lenet.log", another_);
    wait();
    rotate();
  }

  std::string imported() const { return GetParam().of_all ? lenet_ : part_; }

  // The log's run, and the other's.
  void expect_both() {
    const auto all = runs();
    EXPECT_EQ(all.size(), 2U);
    for (const RunRow& run : all) {
      EXPECT_EQ(run.run.train.iterations, 500);
      EXPECT_EQ(run.run.state, RunState::finished);
    }
  }

  const std::string another_ =
      "# another\n" + content_of(ETAD_EXAMPLES "/caffe/lenet_b32_i500_tb50_ti50.log");
  const std::string part_ = first_lines("Iteration 300,");
  const std::string third_ = "a line of no format, and of no training\n";
};

TEST_P(ImportRotation, OfAFileThatItsFollowerHasReadToItsEnd) {
  rotate_another_away();
  append("lenet.log", lenet_);
  auto import = GetParam().amid ? begin("/elsewhere/lenet.log", imported()) : nullptr;
  wait();
  rotate();
  append("lenet.log", third_);
  wait();
  if (!import) import = begin("/elsewhere/lenet.log", imported());
  expect_already_read(*import);
  expect_both();
}

TEST_P(ImportRotation, OfAFileOfWhichItsFollowerHasReadABeginning) {
  rotate_another_away();
  append("lenet.log", first_lines("Iteration 200,"));
  auto import = GetParam().amid ? begin("/elsewhere/lenet.log", imported()) : nullptr;
  wait();
  append("lenet.log", lenet_.substr(first_lines("Iteration 200,").size()));
  rotate();
  if (!import) import = begin("/elsewhere/lenet.log", imported());
  expect_already_read(*import);
  append("lenet.log", third_);
  wait();
  expect_both();
}

// By so little the file is not known, and is read from its beginning: the import does not go on beside it.
TEST_P(ImportRotation, OfAFileOfWhichLessThanAKilobyteWasImportedBefore) {
  rotate_another_away();
  append("lenet.log", first_lines("Iteration 200,"));
  ASSERT_TRUE(begin("/elsewhere/lenet.log", lenet_.substr(0, lenet_.rfind('\n', 900) + 1))->finish());
  auto import = begin("/elsewhere/lenet.log", imported());
  wait();
  append("lenet.log", lenet_.substr(first_lines("Iteration 200,").size()));
  if (GetParam().amid) rotate();
  expect_already_read(*import);
  wait();
  std::int64_t iterations = 0;
  for (const RunRow& run : runs()) iterations += run.run.train.iterations;
  EXPECT_EQ(iterations, 1000);
}

// What was compared where it stood in the file before says nothing of this one, even where that was shorter.
TEST_P(ImportRotation, OfAFileThatIsBegunBehindAShorterOne) {
  start_ingest(usual_options());
  append("lenet.log", another_.substr(0, another_.find('\n', another_.find("Iteration 0,")) + 1));
  wait();
  rotate();
  append("lenet.log", first_lines("Iteration 200,"));
  auto import = begin("/elsewhere/lenet.log", imported());
  wait();
  append("lenet.log", lenet_.substr(first_lines("Iteration 200,").size()));
  if (GetParam().amid) rotate();
  expect_already_read(*import);
  append("lenet.log", GetParam().amid ? third_ : "");
  wait();
  const auto all = runs();
  EXPECT_EQ(all.size(), 2U);
  const auto is_whole = [](const RunRow& run) { return run.run.train.iterations == 500; };
  EXPECT_EQ(std::ranges::count_if(all, is_whole), 1);
}

TEST_P(ImportRotation, OfAFileThatIsRotatedBeforeItsFollowerComesThere) {
  rotate_another_away();
  append("lenet.log", imported());
  auto import = begin("/elsewhere/lenet.log", imported());
  if (GetParam().amid) rotate();
  ASSERT_TRUE(import->finish());
  if (!GetParam().amid) {
    append("lenet.log", lenet_.substr(imported().size()));
    rotate();
  } else {
    append("lenet.log.1", lenet_.substr(imported().size()));
  }
  append("lenet.log", third_);
  wait();
  expect_both();
}

using ImportOfRotated = ImportRaces;

TEST_F(ImportOfRotated, FilesInAFolderBelow) {
  start_ingest(usual_options());
  append("lenet.log", lenet_);
  wait();
  std::filesystem::create_directory(file("old"));
  std::filesystem::rename(file("lenet.log"), file("old/lenet.log-20260711"));
  append("lenet.log", "a line of no format, and of no training\n");
  wait();
  expect_already_read(*begin("/elsewhere/lenet.log", first_lines("Iteration 300,")));
  expect_once();
}

// By so little its follower would not know that it was imported.
TEST_F(ImportOfRotated, AndOfWhatIsBegunBehindThemLeavesAFileOfLessThanAKilobyteToItsFollower) {
  start_ingest(usual_options());
  append("lenet.log", "# another\n" + lenet_);
  wait();
  std::filesystem::rename(file("lenet.log"), file("lenet.log.1"));
  const std::string small = lenet_.substr(0, lenet_.rfind('\n', 900) + 1);
  append("lenet.log", small);
  expect_already_read(*begin(file("lenet.log"), small));
  append("lenet.log", lenet_.substr(small.size()));
  wait();
  EXPECT_EQ(runs().size(), 2U);
  EXPECT_EQ(reader_->sources().value().size(), 1U);
}

// Of a log whose file the follower has read a part of, and that nobody is going to give it the rest of.
// The user's log is imported by root, out of the file that it was rotated into.
TEST_F(ImportRaces, AddsNothingOfAUsersFileThatWasRotatedAway) {
  constexpr std::int64_t kAda = 4711, kMallory = 4712;
  for (const char* name : {"lenet.log", "lenet.log.1"}) watched_->owners[file(name)] = kAda;
  start_ingest(usual_options());
  append("lenet.log", lenet_);
  wait();
  std::filesystem::rename(file("lenet.log"), file("lenet.log.1"));
  append("lenet.log", "a line of no format, and of no training\n");
  wait();
  expect_already_read(*begin(file("lenet.log.1"), lenet_, 0));
  expect_once();
  // A copy that Mallory has followed keeps nobody from importing what is another's.
  watched_->owners[file("elsewhere")] = kMallory;
  append("elsewhere", lenet_);
  const auto import = begin(file("elsewhere"), lenet_, 0);
  const auto report = import->finish();
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_FALSE(report->already_read);
}

class ImportOfTheRest : public ImportRaces {
 protected:
  ImportOfTheRest() {
    start_ingest(usual_options(), "lenet.log");
    append("lenet.log", part_);
    wait();
  }
  void expect_conflict() {
    const auto done = begin("/archive/lenet.log", lenet_)->finish();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::conflict);
  }

  const std::string part_ = first_lines("Iteration 300,");
};

TEST_F(ImportOfTheRest, ThatLiesInNoFollowedFileIsNotTakenForRead) {
  expect_conflict();
  append("lenet.log", lenet_.substr(part_.size()));
  expect_already_read(*begin("/archive/lenet.log", lenet_));
  wait();
  expect_once();
}

TEST_F(ImportOfTheRest, NorWhereTheFileIsGone) {
  std::filesystem::rename(file("lenet.log"), folder_ / "archived");
  wait();
  const SourceRow gone = reader_->sources().value().at(0);
  ASSERT_TRUE(gone.gone);
  expect_already_read(*begin("/archive/lenet.log", part_ + "half a li"));
  expect_conflict();
  ASSERT_TRUE(writer_->with([&](Writer& history) { return history.pass_source_over(gone.id); }));
  ASSERT_TRUE(begin("/archive/lenet.log", lenet_)->finish()) << "what was read is forgotten";
  expect_once();
}

TEST_F(ImportOfTheRest, NorWhereAnotherLogLiesThere) {
  std::filesystem::rename(file("lenet.log"), folder_ / "archived");
  append("lenet.log", "another log, in which nothing is told\n");
  wait();
  expect_conflict();
  EXPECT_EQ(runs().size(), 1U) << "nor does what was read count again";
  const auto rest = begin("/archive/rest.log", lenet_.substr(part_.size()))->finish();
  ASSERT_TRUE(rest);
  EXPECT_FALSE(rest->already_read);
}

INSTANTIATE_TEST_SUITE_P(By, ImportRotation,
                         testing::Values(Rotating{true, true}, Rotating{true, false}, Rotating{false, true},
                                         Rotating{false, false}, Rotating{true, true, false},
                                         Rotating{true, false, false}, Rotating{false, true, false},
                                         Rotating{false, false, false}),
                         [](const auto& param) {
                           const Rotating& is = param.param;
                           return std::string(is.copies ? "CopyTruncate" : "Rename") +
                                  (is.of_all ? "OfAll" : "OfABeginning") + (is.amid ? "Amid" : "Behind");
                         });

}  // namespace
}  // namespace etad
