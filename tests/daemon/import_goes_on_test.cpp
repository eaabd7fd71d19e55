// A file that is followed goes on where an import of it has ended, and nothing else does.
#include <algorithm>

#include "tests/daemon/import_races.h"

namespace etad {
namespace {

class ImportGoesOn : public ImportRaces {
 protected:
  // The file grows to the whole log, and no other import finds anything new in that.
  void grow_and_expect_once() {
    append("lenet.log", rest_);
    wait();
    EXPECT_TRUE(begin("/again/lenet.log", lenet_)->finish()->already_read);
    wait();
    expect_once();
    EXPECT_EQ(reader_->sources().value().size(), 1U);
  }

  // Another log lies at the path, is read and rotated away.
  void rotate_another_away() {
    append("lenet.log", another_);
    wait();
    std::filesystem::rename(file("lenet.log"), file("lenet.log.1"));
  }

  // The log's run, and the other's.
  void expect_both() {
    const auto all = runs();
    ASSERT_EQ(all.size(), 2U);
    std::size_t segments = 0;
    for (const RunRow& run : all) {
      EXPECT_EQ(run.run.train.iterations, 500);
      EXPECT_EQ(run.run.state, RunState::finished);
      segments += reader_->segments(run.id, 0, 1000).value().size();
    }
    EXPECT_EQ(segments, static_cast<std::size_t>(reader_->size().value().segments));
  }

  // Ticks enough for all that fail.
  void outlast_failures(const FaultyWriter& history) {
    for (int i = 0; i < 30; ++i) (void)tick_after(std::chrono::seconds(5));
    EXPECT_EQ(history.failures, 0);
  }

  // The log with so much in its middle that an import commits amid it; and an offset within a line there.
  std::pair<std::string, std::size_t> long_log() const {
    std::string log = part_;
    for (int i = 0; i < 200'000; ++i) log += "a line of no format\n";
    const std::size_t within_a_line = log.size() - 7;
    return {log + rest_, within_a_line};
  }

  const std::string another_ =
      "# another\n" + content_of(ETAD_EXAMPLES "/caffe/lenet_b32_i500_tb50_ti50.log");
  const std::string part_ = first_lines("Iteration 300,");
  const std::string rest_ = lenet_.substr(part_.size());
};

TEST_F(ImportGoesOn, InAFileThatHoldsJustWhatWasImported) {
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  start_ingest(usual_options());
  append("lenet.log", part_);
  wait();
  grow_and_expect_once();
}

TEST_F(ImportGoesOn, InSuchAFileAndNotInALongerImportToo) {
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  start_ingest(usual_options());
  auto before = begin("/elsewhere/lenet.log", lenet_);
  append("lenet.log", part_);
  wait();
  auto after = begin("/elsewhere/lenet.log", lenet_);
  EXPECT_FALSE(before->finish()) << "the file's follower has gone on by now";
  EXPECT_FALSE(after->finish()) << "nobody knows whether its follower will come there";
  before.reset();
  after.reset();
  grow_and_expect_once();
}

TEST_F(ImportGoesOn, WhereItEndedInTheMiddleOfALine) {
  const std::string part = part_ + rest_.substr(0, 12);
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part)->finish());
  EXPECT_TRUE(begin("/elsewhere/again.log", part)->finish()->already_read);
  start_ingest(usual_options());
  append("lenet.log", part);
  wait();
  append("lenet.log", rest_.substr(12));
  wait();
  EXPECT_TRUE(begin("/again/lenet.log", lenet_)->finish()->already_read);
  expect_once();
  ASSERT_EQ(reader_->sources().value().size(), 1U);
  EXPECT_EQ(reader_->sources().value()[0].lines, std::count(lenet_.begin(), lenet_.end(), '\n'));
}

TEST_F(ImportGoesOn, InAFileOfLessThanAKilobyteThatHoldsJustWhatWasImported) {
  const std::string part = lenet_.substr(0, lenet_.rfind('\n', 900) + 1);
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part)->finish());
  start_ingest(usual_options());
  append("lenet.log", part);
  wait();
  append("lenet.log", lenet_.substr(part.size()));
  wait();
  expect_once();
  EXPECT_EQ(reader_->sources().value().size(), 1U);
}

// As an older copy of the log, that is brought up to date where it is followed.
TEST_F(ImportGoesOn, InAFileThatHeldLessThanWasImportedOnceItHoldsAll) {
  const std::string older = first_lines("Iteration 200,");
  ASSERT_TRUE(begin("/elsewhere/lenet.log", older)->finish());
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  start_ingest(usual_options());
  append("lenet.log", older);
  wait();
  append("lenet.log", part_.substr(older.size()));
  wait();
  grow_and_expect_once();
}

TEST_F(ImportGoesOn, InAFileWhoseNameStandsInTheConfigurationAndThatComesLater) {
  start_ingest(usual_options(), "lenet.log");
  wait();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  append("lenet.log", part_);
  wait();
  grow_and_expect_once();
}

TEST_F(ImportGoesOn, InAFileThatTookAnothersPlaceWhoseRunsStay) {
  start_ingest(usual_options());
  rotate_another_away();
  append("lenet.log", part_);
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  append("lenet.log", rest_);
  wait();
  expect_both();
}

TEST_F(ImportGoesOn, InSuchAFileThatWasSeenWhileItWasEmpty) {
  start_ingest(usual_options());
  rotate_another_away();
  append("lenet.log", "");
  wait();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  append("lenet.log", lenet_);
  wait();
  expect_both();
}

// What was read of the source before is of another file: that something was is no sign that this one was begun before.
TEST_F(ImportGoesOn, InSuchAFileWhoseImportEndsWhileItsFirstBytesAreRead) {
  start_ingest(usual_options());
  rotate_another_away();
  append("lenet.log", lenet_);
  auto import = begin("/elsewhere/lenet.log", lenet_);
  end_while_read(*import);
  expect_both();
}

TEST_F(ImportGoesOn, InSuchAFileAfterAStartAlsoWhereTheImportCameFirst) {
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  start_ingest(usual_options());
  rotate_another_away();
  append("lenet.log", part_);
  wait();
  start_ingest(usual_options());
  append("lenet.log", rest_);
  wait();
  expect_both();
}

TEST_F(ImportGoesOn, InSuchAFileAlsoWhereTheHistoryFailsAtFirst) {
  FaultyWriter* const history = write_by_faulty_writer();
  start_ingest(usual_options());
  rotate_another_away();
  append("lenet.log", "");
  wait();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  append("lenet.log", lenet_);
  history->failures = 2;
  outlast_failures(*history);
  expect_both();
}

// Which was copied and truncated, and lies among the rotated files.
TEST_F(ImportGoesOn, InAFileWhoseContentBeforeCameAndWentUnseen) {
  start_ingest(usual_options());
  append("lenet.log", "");
  wait();
  append("lenet.log", another_);
  std::filesystem::copy_file(file("lenet.log"), file("lenet.log.1"));
  std::filesystem::resize_file(file("lenet.log"), 0);
  append("lenet.log", part_);
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  wait();
  append("lenet.log", rest_);
  wait();
  expect_both();
}

// A training whose log was rotated away, and in whose place another log was put, is over.
TEST_F(ImportGoesOn, AndARunOfTheFileBeforeIsClosed) {
  start_ingest(usual_options());
  append("lenet.log", "# another\n" + part_);
  wait();
  std::filesystem::rename(file("lenet.log"), file("lenet.log.1"));
  append("lenet.log", "");
  wait();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", lenet_)->finish());
  append("lenet.log", lenet_);
  wait();
  ASSERT_EQ(runs().size(), 2U);
  for (const RunRow& run : runs()) EXPECT_NE(run.run.state, RunState::running);
}

TEST_F(ImportGoesOn, WhereTheCommitOfWhatComesNextFails) {
  FaultyWriter* const history = write_by_faulty_writer();
  start_ingest(usual_options(), "lenet.log");
  wait();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  append("lenet.log", lenet_);
  watched_->at_next_read = [&] { history->failures = 3; };
  outlast_failures(*history);
  EXPECT_EQ(watched_->at_next_read, nullptr);
  expect_once();
}

// What was committed of one that goes on with another stays; it ends within a line.
TEST_F(ImportGoesOn, WhereAnotherThatWentOnWithItBrokeOff) {
  const auto [log, within_a_line] = long_log();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  begin("/elsewhere/lenet.log", std::string_view(log).substr(0, within_a_line)).reset();
  ASSERT_EQ(runs().size(), 1U);
  EXPECT_EQ(runs()[0].run.state, RunState::lost) << "nobody may ever go on with it";
  ASSERT_TRUE(begin("/elsewhere/lenet.log", log)->finish());
  expect_once();
  EXPECT_EQ(runs()[0].run.state, RunState::finished);
}

// Neither was that import ended by itself, since the daemon was killed.
TEST_F(ImportGoesOn, WhereTheDaemonDiedAmidAnotherThatWentOnWithIt) {
  FaultyWriter* const history = write_by_faulty_writer();
  const auto [log, within_a_line] = long_log();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  auto import = begin("/elsewhere/lenet.log", std::string_view(log).substr(0, within_a_line));
  ASSERT_EQ(runs()[0].run.state, RunState::running);
  history->failures = 1'000;
  import.reset();
  writer_.reset();
  write_by_faulty_writer();
  EXPECT_EQ(runs()[0].run.state, RunState::lost) << "nobody may ever go on with it";
  ASSERT_TRUE(begin("/elsewhere/lenet.log", log)->finish());
  expect_once();
  EXPECT_EQ(runs()[0].run.state, RunState::finished);
}

// While that one is under way, too: of the two the follower goes on, as it has all that was committed.
TEST_F(ImportGoesOn, WhereAnotherGoesOnWithItMeanwhile) {
  const auto [log, within_a_line] = long_log();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  start_ingest(usual_options());
  append("lenet.log", part_);
  auto import = begin("/elsewhere/lenet.log", std::string_view(log).substr(0, within_a_line));
  wait();
  append("lenet.log", log.substr(part_.size()));
  wait();
  EXPECT_FALSE(import->feed(std::string_view(log).substr(within_a_line)) && import->finish());
  import.reset();
  wait();
  expect_once();
}

}  // namespace
}  // namespace etad
