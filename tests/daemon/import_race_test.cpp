// One log that comes into the history on two ways at once is in it once.
#include <algorithm>

#include "tests/daemon/import_races.h"

namespace etad {
namespace {

using std::chrono::seconds;

TEST_F(ImportRaces, TwoImportsOfOneLogAtOnceLeaveItOnce) {
  auto first = begin("/a.log", lenet_), second = begin("/b.log", lenet_);
  const auto one = first->finish(), other = second->finish();
  ASSERT_TRUE(one);
  ASSERT_TRUE(other) << other.error().text();
  EXPECT_FALSE(one->already_read);
  EXPECT_EQ(one->runs, 1);
  EXPECT_TRUE(other->already_read);
  EXPECT_EQ(other->runs, 0);
  EXPECT_EQ(other->segments, 0);
  expect_once();
  EXPECT_EQ(reader_->sources().value().size(), 1U);
}

TEST_F(ImportRaces, OfALogAndItsGrownCopyAtOnceTheSecondIsToBeImportedAgain) {
  auto first = begin("/a.log", first_lines("Iteration 300,")), second = begin("/b.log", lenet_);
  ASSERT_TRUE(first->finish());
  const auto refused = second->finish();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("import it again"), std::string::npos);
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  second.reset();
  const auto again = begin("/b.log", lenet_)->finish();
  ASSERT_TRUE(again) << again.error().text();
  expect_once();
}

// Who hears that a log is in the history may remove it.
TEST_F(ImportRaces, ALogThatIsForgottenWhileItIsImportedAgainIsNotSaidToBeThere) {
  const std::string half = first_lines("Iteration 300,");
  const auto import_amid = [&](const std::string& first, std::size_t met, auto forget) {
    auto import = begin("/b.log", first.substr(0, met));
    const auto id = reader_->sources().value().at(0).id;
    ASSERT_TRUE(writer_->with([&](Writer& writer) { return forget(writer, id); }));
    const auto fed = import->feed(std::string_view(lenet_).substr(met));
    const auto done = fed ? import->finish() : tl::unexpected(fed.error());
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().text().find("forgotten while this import ran"), std::string::npos);
    EXPECT_EQ(done.error().kind, ErrorKind::conflict);
    import.reset();
    const auto again = begin("/b.log", lenet_)->finish();
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_FALSE(again->already_read);
    expect_once();
    const auto sources = reader_->sources().value();
    for (const SourceRow& row : sources)
      ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.drop_source(row.id); }));
  };
  const auto drop = [](Writer& writer, std::int64_t id) { return writer.drop_source(id); };
  for (const std::string& first : {half, lenet_}) {
    ASSERT_TRUE(begin("/a.log", first)->finish());
    import_amid(first, first.size() / 2, drop);
  }
  ASSERT_TRUE(begin("/a.log", lenet_)->finish());
  import_amid(lenet_, lenet_.size() - 1, drop);
  append("a.log", lenet_);
  start_ingest(usual_options());
  wait();
  // One that is followed stays, and what it had is the import's now.
  auto import = begin("/b.log", lenet_);
  const auto id = reader_->sources().value().at(0).id;
  ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.pass_source_over(id); }));
  const auto done = import->finish();
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_FALSE(done->already_read);
  expect_once();
}

TEST_F(ImportRaces, TwoImportsThatGoOnWithOneLogDoNotBothDo) {
  ASSERT_TRUE(begin("/a.log", first_lines("Iteration 300,"))->finish());
  auto first = begin("/a.log", lenet_), second = begin("/a.log", lenet_);
  ASSERT_TRUE(first->finish());
  EXPECT_FALSE(second->finish());
  second.reset();
  expect_once();
}

TEST_F(ImportRaces, ALogThatIsFollowedWhileItIsImportedIsReadOnce) {
  start_ingest(usual_options());
  auto import = begin("/elsewhere/lenet.log", lenet_);
  append("lenet.log", lenet_);
  wait();
  expect_already_read(*import);
  expect_once();
}

TEST_F(ImportRaces, AFollowedFileOfWhichNothingIsReadYetIsLeftToItsFollower) {
  append("lenet.log", first_lines("Iteration 100,"));
  start_ingest(usual_options());
  wait();
  auto import = begin("/elsewhere/lenet.log", first_lines("Iteration 200,"));
  append("lenet.log", lenet_.substr(first_lines("Iteration 100,").size()));
  const auto report = import->finish();
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_TRUE(report->already_read) << "the file goes on past where the import ends";
  wait();
  expect_once();
}

TEST_F(ImportRaces, AnOlderCopyOfAFollowedLogAddsNothing) {
  append("lenet.log", lenet_);
  start_ingest(usual_options());
  wait();
  expect_already_read(*begin("/copy.log", first_lines("Iteration 300,")));
  expect_once();
}

TEST_F(ImportRaces, ALogThatWasImportedSinceTheStartIsNotFollowedFromItsBeginning) {
  start_ingest(usual_options());
  wait();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", lenet_)->finish());
  append("lenet.log", lenet_);
  wait();
  expect_once();
}

TEST_F(ImportRaces, AnImportedLogThatHasGrownIsGoneOnWithWhenItIsFollowed) {
  ASSERT_TRUE(begin("/elsewhere/lenet.log", first_lines("Iteration 300,"))->finish());
  const std::int64_t run = runs()[0].id;
  append("lenet.log", lenet_);
  start_ingest(usual_options());
  wait();
  expect_once();
  EXPECT_EQ(runs()[0].id, run) << "what was said of it stays";
  EXPECT_EQ(runs()[0].run.state, RunState::finished);
  ASSERT_EQ(reader_->sources().value().size(), 1U);
  EXPECT_EQ(reader_->sources().value()[0].path, file("lenet.log"));
  start_ingest(usual_options());
  wait();
  expect_once();
}

TEST_F(ImportRaces, NorIsItReadAgainWhereTheDaemonWasRunningWhenItWasImported) {
  start_ingest(usual_options());
  wait();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", first_lines("Iteration 300,"))->finish());
  append("lenet.log", first_lines("Iteration 400,"));
  wait();
  append("lenet.log", lenet_.substr(first_lines("Iteration 400,").size()));
  wait();
  expect_once();
}

TEST_F(ImportRaces, OnlyOneFileGoesOnWithAnImport) {
  ASSERT_TRUE(begin("/elsewhere/lenet.log", first_lines("Iteration 300,"))->finish());
  append("a.log", lenet_);
  append("b.log", first_lines("Iteration 300,") + first_lines("Iteration 100,"));
  start_ingest(usual_options());
  wait();
  EXPECT_EQ(reader_->sources().value().size(), 2U);
  const auto all = runs();
  EXPECT_TRUE(std::ranges::any_of(all, [&](const RunRow& run) {
    return reader_->segments(run.id, 0, 1000).value().size() == 16;
  })) << "whichever of them goes on with it, the other is read from its beginning";
}

TEST_F(ImportRaces, AnImportThatEndsWhileAFollowerBeginsTheFileIsNotReadByIt) {
  start_ingest(usual_options());
  append("lenet.log", lenet_);
  auto import = begin("/elsewhere/lenet.log", lenet_);
  end_while_read(*import);
  expect_once();
}

TEST_F(ImportRaces, AnImportThatHasEndedIsOnTheDiskAndSoIsOneThatWasThereAlready) {
  FaultyWriter* const history = write_by_faulty_writer();
  start_ingest(usual_options());
  append("lenet.log", first_lines("Iteration 300,"));
  wait();
  EXPECT_TRUE(history->synced)
      << "that a log was seen survives a power cut, or what is rotated away is left out";
  append("lenet.log", lenet_.substr(first_lines("Iteration 300,").size()));
  wait();
  ASSERT_FALSE(history->synced) << "following waits for no disk: what a power cut takes back is read again";
  auto import = begin("/elsewhere/lenet.log", lenet_);
  EXPECT_TRUE(import->finish().value().already_read);
  EXPECT_TRUE(history->synced);
  ASSERT_TRUE(begin("/other.log", "# another\n" + lenet_)->finish());
  EXPECT_TRUE(history->synced);
}

// The file is seen while it is empty, as whoever writes it makes it first.
TEST_F(ImportRaces, AnImportThatEndsBeforeAnEmptyFileGetsTheLogIsNotReadAgain) {
  for (const bool restarts : {false, true}) {
    const std::string name = restarts ? "a.log" : "b.log";
    const std::string log = "# " + name + "\n" + lenet_;
    start_ingest(usual_options());
    append(name, "");
    wait();
    ASSERT_TRUE(begin("/elsewhere/" + name, log)->finish());
    if (restarts) start_ingest(usual_options());
    append(name, log);
    wait();
    EXPECT_EQ(runs().size(), restarts ? 2U : 1U);
  }
  const auto sources = reader_->sources().value();
  EXPECT_EQ(sources.size(), 2U) << "of the empty files nothing is left";
  append("b.log", "more\n");
  wait();
  EXPECT_EQ(reader_->sources().value().size(), 2U);
}

TEST_F(ImportRaces, NorWhereItEndsWhileTheFilesFirstBytesAreRead) {
  start_ingest(usual_options());
  append("lenet.log", "");
  wait();
  auto import = begin("/elsewhere/lenet.log", lenet_);
  append("lenet.log", lenet_);
  end_while_read(*import);
  expect_once();
}

TEST_F(ImportRaces, NorWhereTheCommitOfWhatGoesOnWithItFails) {
  FaultyWriter* const history = write_by_faulty_writer();
  start_ingest(usual_options());
  ASSERT_TRUE(begin("/elsewhere/lenet.log", first_lines("Iteration 300,"))->finish());
  append("lenet.log", lenet_);
  history->failures = 1;
  for (int i = 0; i < 12; ++i) (void)tick_after(seconds(5));
  EXPECT_EQ(history->failures, 0);
  wait();
  expect_once();
}

// As `cp` puts it there.
TEST_F(ImportRaces, NorWhereItComesInPiecesToWhereItIsFollowed) {
  start_ingest(usual_options());
  ASSERT_TRUE(begin("/elsewhere/lenet.log", lenet_)->finish());
  const auto tick = [&] {
    now_ += std::chrono::milliseconds(250);
    ASSERT_TRUE(ingest_->tick(now_, wall_));
  };
  tick();
  append("lenet.log", first_lines("Iteration 200,"));
  tick();
  tick();
  append("lenet.log", lenet_.substr(first_lines("Iteration 200,").size()));
  wait();
  expect_once();
}

// As `scp` does over a slow line: for most of a minute. What pauses is not waited for: a new job's log, perhaps.
TEST_F(ImportRaces, NorWhereItIsPutThereInPiecesOverMoreThanASecond) {
  start_ingest(usual_options());
  ASSERT_TRUE(begin("/elsewhere/lenet.log", lenet_)->finish());
  const auto made = wall_;
  const auto tick = [&] {
    now_ += seconds(1);
    wall_ += seconds(1);
    ASSERT_TRUE(ingest_->tick(now_, wall_));
  };
  const auto write = [&](std::string_view bytes) {
    append("lenet.log", bytes);
    set_modified("lenet.log", wall_);
  };
  write(first_lines("Iteration 200,"));
  tick();
  std::string_view rest = std::string_view(lenet_).substr(first_lines("Iteration 200,").size());
  while (wall_ < made + seconds(50)) {
    write(rest.substr(0, 20));
    rest.remove_prefix(20);
    tick();
    EXPECT_EQ(runs().size(), 1U);
  }
  write(rest);
  wait();
  expect_once();
}

// So little many files begin with. It is known for what it is once there is a kilobyte of it.
TEST_F(ImportRaces, NorWhereLessThanAKilobyteOfItCameFirst) {
  for (const bool restarts : {false, true}) {
    const std::string name = restarts ? "a.log" : "b.log";
    const std::string log = "# " + name + "\n" + lenet_;
    start_ingest(usual_options());
    ASSERT_TRUE(begin("/elsewhere/" + name, log)->finish());
    append(name, std::string_view(log).substr(0, 700));
    wait(seconds(6));
    EXPECT_EQ(reader_->sources().value().size(), restarts ? 3U : 2U) << "it is read";
    if (restarts) start_ingest(usual_options());
    append(name, std::string_view(log).substr(700));
    wait();
    EXPECT_EQ(reader_->sources().value().size(), restarts ? 2U : 1U);
    EXPECT_EQ(runs().size(), restarts ? 2U : 1U);
  }
}

TEST_F(ImportRaces, ANewLogThatBeginsAsAnImportedOneIsReadOnceItPauses) {
  start_ingest(usual_options());
  ASSERT_TRUE(begin("/elsewhere/lenet.log", lenet_)->finish());
  append("lenet.log", first_lines("Iteration 200,"));
  wait(seconds(12));
  EXPECT_EQ(runs().size(), 2U);
}

TEST_F(ImportRaces, AnImportOfALogThatGrowsAndOfWhichNothingIsReadYetIsToBeRepeated) {
  start_ingest(usual_options());
  append("lenet.log", "");
  wait();
  auto import = begin("/elsewhere/lenet.log", lenet_);
  append("lenet.log", first_lines("Iteration 200,"));
  EXPECT_FALSE(import->finish());
  import.reset();
  wait();
  append("lenet.log", lenet_.substr(first_lines("Iteration 200,").size()));
  ASSERT_TRUE(begin("/elsewhere/lenet.log", lenet_)->finish());
  wait();
  expect_once();
}

// The follower goes on with an import, and so does another import, whose end comes before, amid or after that.
TEST_F(ImportRaces, AFollowerAndAnImportThatGoOnWithOneImportDoNotBothDo) {
  for (const char* when : {"before", "amid", "after"}) {
    const std::string name = std::string(when) + ".log";
    const std::string log = "# " + name + "\n" + lenet_;
    const std::string part = "# " + name + "\n" + first_lines("Iteration 300,");
    ASSERT_TRUE(begin("/elsewhere/" + name, part)->finish());
    start_ingest(usual_options());
    wait();
    const auto before = runs().size();
    auto import = begin("/elsewhere/" + name, log);
    if (name == "before.log") (void)import->finish();
    append(name, log);
    if (name == "amid.log") watched_->at_next_read = [&] { (void)import->finish(); };
    wait();
    if (name == "after.log") (void)import->finish();
    import.reset();
    wait();
    EXPECT_TRUE(begin("/again/" + name, log)->finish()->already_read) << when;
    wait();
    EXPECT_EQ(runs().size(), before) << when;
  }
}

TEST_F(ImportRaces, NorIsItReadAgainWhereTheDaemonIsKilledBeforeItHasReadOnOrTheHistoryCanNotBeRead) {
  ASSERT_TRUE(begin("/elsewhere/lenet.log", first_lines("Iteration 300,"))->finish());
  FaultyWriter* const history = write_by_faulty_writer();
  start_ingest(usual_options());
  history->failing_reads = 1;
  append("lenet.log", lenet_);
  watched_->at_next_read = [&] { history->failures = 1000; };
  for (int i = 0; i < 12; ++i) (void)tick_after(seconds(5));
  EXPECT_EQ(watched_->at_next_read, nullptr);
  history->failures = 0;
  start_ingest(usual_options());
  wait();
  expect_once();
}

// Of a log that is followed its follower is going to make runs of its beginning, too, once it knows what it is.
TEST_F(ImportRaces, ALogThatIsFollowedAndNotYetUnderstoodIsLeftToItsFollower) {
  std::string head;
  for (int i = 0; i < 60; ++i) head += "loading part " + std::to_string(i) + " of the data\n";
  start_ingest(usual_options());
  append("lenet.log", head);
  wait();
  auto whole = begin("/elsewhere/lenet.log", head + lenet_);
  const auto report = whole->finish();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::conflict);
  EXPECT_NE(report.error().text().find("etactl reread"), std::string::npos) << report.error().text();
  whole.reset();
  auto shorter = begin("/elsewhere/lenet.log", head + first_lines("Iteration 300,"));
  append("lenet.log", lenet_);
  wait();
  const auto late = shorter->finish();
  EXPECT_TRUE(!late || late->already_read);
  shorter.reset();
  EXPECT_TRUE(begin("/elsewhere/lenet.log", head + lenet_)->finish()->already_read);
  expect_once();
}

TEST_F(ImportRaces, LogsThatBeginAlikeAreImportedBesideOneThatGrows) {
  const std::string head = first_lines("Iteration 100,");
  append("live.log", head);
  start_ingest(usual_options());
  wait();
  auto import = begin("/other.log", head.substr(0, head.size() - 200) + "another end of the line\n" +
                                        lenet_.substr(head.size()));
  append("live.log", "a line that the other does not have\n");
  wait();
  const auto report = import->finish();
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_FALSE(report->already_read);
  EXPECT_EQ(runs().size(), 2U);
}

}  // namespace
}  // namespace etad
