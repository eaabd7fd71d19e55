// What an owner's sources may add, and what becomes of the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/sqlite.h"
#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kAlice = 1001, kBob = 1002;

class BudgetTest : public ::testing::Test {
 protected:
  BudgetTest() {
    options_.budgets = {3, 10, 4, 100'000};
    open();
  }

  void open() {
    writer_.reset();
    writer_ = must(Writer::open(dir_.file("history.db"), options_));
    reader_ = must(Reader::open(dir_.file("history.db")));
  }

  static SourceCommit log(std::int64_t owner, const std::string& path, const std::string& network,
                          std::int64_t ordinal = 0) {
    etad::Run run = lenet(ordinal);
    run.network = network;
    run.state = RunState::finished;
    SourceCommit commit = source_with_run(path, 2, run);
    commit.source.owner = owner;
    commit.bytes = 1000;
    return commit;
  }

  void commit(SourceCommit commit, Instant now = kNow) {
    std::vector<SourceCommit> commits{std::move(commit)};
    must(writer_->commit(commits, now));
  }

  std::vector<std::string> refused() {
    std::vector<std::string> out;
    for (const RefusedRow& row : must(reader_->size()).refused)
      out.push_back(std::to_string(row.owner) + " " + row.what + " " + std::to_string(row.count));
    return out;
  }

  TempDir dir_;
  StorageOptions options_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(BudgetTest, RunsOfNetworksBeyondTheBudgetAreRefusedAndCounted) {
  for (int i = 0; i < 6; ++i) commit(log(kBob, "/bob/" + std::to_string(i), "net" + std::to_string(i)));
  EXPECT_EQ(must(reader_->networks()).size(), 3U);
  EXPECT_THAT(refused(), ElementsAre("1002 networks 3"));
  commit(log(kBob, "/bob/again", "net1"));
  EXPECT_EQ(must(reader_->size()).runs, 4) << "one it has";
  commit(log(kAlice, "/alice", "alices"));
  EXPECT_EQ(must(reader_->networks()).size(), 4U) << "another's is no worse for it";
  open();
  commit(log(kBob, "/bob/7", "net7"));
  EXPECT_THAT(refused(), ElementsAre("1002 networks 4")) << "nor is it forgotten by a restart";
  EXPECT_EQ(must(reader_->sources()).size(), 9U) << "they are read all the same";
}

TEST_F(BudgetTest, ARunThatTakesAnotherNameLaterHasNoneBeyondTheBudget) {
  for (int i = 0; i < 3; ++i) commit(log(kBob, "/bob/" + std::to_string(i), "net" + std::to_string(i)));
  etad::Run run = lenet();
  run.network.clear();
  run.architecture.clear();
  SourceCommit unnamed = source_with_run("/bob/late", 1, run);
  unnamed.source.owner = kBob;
  std::vector<SourceCommit> commits{std::move(unnamed)};
  must(writer_->commit(commits, kNow));
  commits[0].records.clear();
  run.network = "late";
  commits[0].records.runs = {run};
  must(writer_->commit(commits, kNow));
  EXPECT_EQ(must(reader_->run(4))->run.network, "");
  EXPECT_EQ(must(reader_->networks()).size(), 3U);
  EXPECT_THAT(refused(), IsEmpty()) << "it is not over yet";
  run.state = RunState::finished;
  commits[0].records.runs = {run};
  must(writer_->commit(commits, kNow));
  EXPECT_THAT(refused(), ElementsAre("1002 networks 1"));
}

TEST_F(BudgetTest, ARunWithoutANameTakesNoNetworksPlace) {
  for (const std::string name : {"", "net1", "net2", "net3"}) {
    SourceCommit each = log(kBob, "/bob/" + name, name);
    each.records.runs[0].architecture.clear();
    commit(each);
    open();
  }
  EXPECT_THAT(refused(), IsEmpty());
}

TEST_F(BudgetTest, ANetworkThatACommandLineNamesCountsAsOneOfALog) {
  for (const std::string name : {"net1", "net2", "net3", ""}) {
    SourceCommit each = log(kBob, "/bob/" + name, name);
    each.records.runs[0].architecture.clear();
    commit(each);
  }
  must(writer_->add_found_labels(4, 0, {{"network", "late"}, {"device", "K80"}}, "command line"));
  EXPECT_EQ(must(reader_->run(4))->run.network, "");
  EXPECT_EQ(must(reader_->run(4))->labels.count("device"), 1U) << "what else it says stays";
  EXPECT_THAT(refused(), ElementsAre("1002 networks 1"));
  must(writer_->add_found_labels(4, 0, {{"network", "net1"}}, "command line"));
  EXPECT_EQ(must(reader_->run(4))->run.network, "net1");
}

TEST_F(BudgetTest, RunsBeyondTheBudgetAreRefusedWithAllThatBelongsToThem) {
  for (int i = 0; i < 12; ++i) commit(log(kBob, "/bob/" + std::to_string(i), "net"));
  EXPECT_EQ(must(reader_->size()).runs, 10);
  EXPECT_EQ(must(reader_->size()).segments, 20);
  EXPECT_EQ(must(reader_->size()).points, 20);
  EXPECT_THAT(refused(), ElementsAre("1002 runs 2"));
  must(writer_->forget_owner(kBob));
  commit(log(kBob, "/bob/13", "net"));
  EXPECT_EQ(must(reader_->size()).runs, 1) << "room was made";
}

TEST_F(BudgetTest, WhatALogTakesBackMakesRoom) {
  for (int i = 0; i < 10; ++i)
    commit(log(kBob, "/bob/" + std::to_string(i), i < 8 ? "net" : "net" + std::to_string(i)));
  SourceCommit again = log(kBob, "/bob/9", "another");
  again.source.id = 10;
  again.records.withdrawn = 0;
  commit(again);
  EXPECT_EQ(must(reader_->size()).runs, 10);
  EXPECT_EQ(must(reader_->networks()).size(), 3U) << "in the place of the network that nobody bears any more";
  EXPECT_THAT(refused(), IsEmpty());
  commit(log(kBob, "/bob/10", "net"));
  EXPECT_THAT(refused(), ElementsAre("1002 runs 1"));
}

TEST_F(BudgetTest, OfWhoTakesRunsBackTheOthersAreNotCountedAgain) {
  for (int i = 0; i < 8; ++i) commit(log(kBob, "/bob/" + std::to_string(i), "net"));
  for (int i = 0; i < 5; ++i) commit(log(kAlice, "/alice/" + std::to_string(i), "net"));
  sqlite::Connection(dir_.file("history.db"), sqlite::Connection::Mode::write)
      .execute("UPDATE runs SET owner = 1002");  // whoever counts sees more than there may be
  SourceCommit again = log(kBob, "/bob/7", "net");
  again.source.id = 8;
  again.records.withdrawn = 0;
  commit(again);
  commit(log(kBob, "/bob/8", "net"));
  EXPECT_THAT(refused(), IsEmpty());
}

TEST_F(BudgetTest, OfWhatComesBeyondTheDaysBytesOnlyTheRunsStatesAreKept) {
  SourceCommit large = log(kBob, "/bob/large", "net");
  large.bytes = 100'000;
  commit(large);
  EXPECT_THAT(refused(), IsEmpty());
  commit(log(kBob, "/bob/more", "net"));
  EXPECT_EQ(must(reader_->size()).runs, 2);
  EXPECT_EQ(must(reader_->size()).segments, 2);
  EXPECT_THAT(refused(), ElementsAre("1002 bytes 1000"));
  commit(log(kAlice, "/alice", "net"));
  EXPECT_EQ(must(reader_->size()).segments, 4);
  commit(log(kBob, "/bob/tomorrow", "net"), after(86'400));
  EXPECT_EQ(must(reader_->size()).segments, 6);
}

TEST_F(BudgetTest, TheDaysBytesOfAllLogsOfACommitCountAndOutlastARestart) {
  std::vector<SourceCommit> commits{log(kBob, "/bob/1", "net"), log(kBob, "/bob/2", "net")};
  for (SourceCommit& each : commits) each.bytes = 40'000;
  must(writer_->commit(commits, kNow));
  open();
  SourceCommit third = log(kBob, "/bob/3", "net");
  third.bytes = 40'000;
  commit(third);
  EXPECT_THAT(refused(), IsEmpty()) << "80,000 were taken before it";
  commit(log(kBob, "/bob/4", "net"));
  EXPECT_THAT(refused(), ElementsAre("1002 bytes 1000"));
}

TEST_F(BudgetTest, OfFinishedFilesTheLastOfAnOwnersAreRemembered) {
  options_.budgets.finished_files = 3;
  open();
  const auto finish = [&](std::int64_t owner, std::int64_t first, std::int64_t count) {
    SourceCommit source = log(owner, "/" + std::to_string(first), "net");
    for (std::int64_t i = first; i < first + count; ++i)
      source.finished.push_back({std::to_string(i), "/", 0, after(static_cast<double>(i))});
    commit(source);
  };
  finish(kBob, 1, 2);
  finish(kBob, 11, 4);
  finish(kAlice, 0, 1);
  must(writer_->forget_finished(Instant::min(), Instant::min()));
  const auto remembered = [&] {
    std::vector<std::string> out;
    for (const FinishedFile& file : must(writer_->finished_files())) out.push_back(file.identity);
    return out;
  };
  EXPECT_THAT(remembered(), ElementsAre("0", "2", "12", "13", "14"))
      << "of each log the last: parts of it were rotated away";
  finish(kBob, 10'000, 6'000);
  EXPECT_LE(remembered().size(), 1'100U) << "not only when it is time to forget";
}

TEST_F(BudgetTest, SamplesOfSeriesBeyondTheBudgetAreRefused) {
  SourceCommit trace;
  trace.source.path = "/bob/trace";
  trace.source.owner = kBob;
  for (int i = 0; i < 7; ++i)
    trace.records.add_sample({"gpu.power", "gpu=" + std::to_string(i), "W"}, after(i), 1.0);
  commit(trace);
  EXPECT_EQ(must(reader_->series()).size(), 4U);
  EXPECT_THAT(refused(), ElementsAre("1002 series 3"));
}

TEST_F(BudgetTest, AnImportHasNone) {
  for (int i = 0; i < 6; ++i) {
    SourceCommit import = log(kBob, "/import/" + std::to_string(i), "net" + std::to_string(i));
    import.source.kind = "import";
    commit(import);
  }
  EXPECT_EQ(must(reader_->networks()).size(), 6U);
  EXPECT_THAT(refused(), IsEmpty());
}

TEST_F(BudgetTest, AnImportUsesUpNone) {
  for (int i = 0; i < 12; ++i) {
    SourceCommit import = log(kBob, "/import/" + std::to_string(i), "net" + std::to_string(i));
    import.source.kind = "import";
    commit(import);
  }
  for (int i = 0; i < 3; ++i) commit(log(kBob, "/bob/" + std::to_string(i), "own" + std::to_string(i)));
  EXPECT_EQ(must(reader_->size()).runs, 15);
  EXPECT_THAT(refused(), IsEmpty());
}

// Its measurements would go with the source whose place it takes, and the day's bytes be spent twice.
TEST_F(BudgetTest, WhatIsReadAgainHasNone) {
  for (int i = 0; i < 9; ++i) commit(log(kBob, "/bob/" + std::to_string(i), "net"));
  SourceCommit large = log(kBob, "/bob/large", "net");
  large.bytes = 80'000;
  commit(large);
  SourceCommit again = log(kBob, "/bob/large", "net");
  again.bytes = 80'000;
  again.source.pending = true;
  commit(again);
  must(writer_->replace_source(10, 11));
  EXPECT_EQ(must(reader_->size()).runs, 10);
  EXPECT_EQ(must(reader_->size()).segments, 20);
  SourceCommit more = log(kBob, "/bob/0", "net");
  more.source.id = 1;
  commit(more);
  EXPECT_EQ(must(reader_->size()).segments, 22);
  EXPECT_THAT(refused(), IsEmpty());
}

TEST_F(BudgetTest, NoneIsAnyNumber) {
  options_.budgets = {0, 0, 0, 0};
  open();
  for (int i = 0; i < 20; ++i) commit(log(kBob, "/bob/" + std::to_string(i), "net" + std::to_string(i)));
  EXPECT_EQ(must(reader_->networks()).size(), 20U);
}

}  // namespace
}  // namespace etad::test
