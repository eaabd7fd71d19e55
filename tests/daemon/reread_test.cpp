// A followed log is read again beside its being followed, and takes its own place at once.
#include "daemon/reread.h"

#include <gmock/gmock.h>

#include "daemon/importer.h"
#include "tests/daemon/followed_log.h"

namespace etad {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Rereading : public FollowedLog {
 protected:
  IngestSetup setup() const {
    IngestSetup out;
    out.formats = shipped_formats();
    out.watches = {{file("*.log").string(), 0, false}};
    out.sources = {SourceRule{}};
    out.database = path();
    out.host = "gpu1";
    return out;
  }
  std::vector<SourceRow> sources() const { return reader_->sources().value(); }
  void label(std::int64_t run, const std::map<std::string, std::string>& labels) {
    ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.set_labels(run, labels); }));
  }
  static std::string log() { return example("lenet_b64_i500_tb100_ti50.log"); }
  Result<service::ImportReport> import(const std::string& content, std::int64_t replaces,
                                       const std::map<std::string, std::string>& labels = {},
                                       const std::string& format = "") {
    ImportOptions options;
    options.formats = shipped_formats();
    options.now = [this] { return wall_; };
    const auto session =
        begin_log_import({"/saved.log", format, labels, kToday, replaces}, options, *writer_, [] {}).value();
    EXPECT_TRUE(session->feed(content));
    return session->finish();
  }
  service::ImportReport import() { return import(log(), 0).value(); }

  std::atomic<bool> stop_ = false;
};

TEST_F(Rereading, ReplacesWhatCameOfItAndKeepsLabelsAndTheTrackRecord) {
  write("a.log", log());
  const RunRow before = newest();
  label(before.id, {{"gpus", "0,1"}});
  ASSERT_TRUE(writer_->with([&](Writer& writer) {
    return writer.add_found_labels(before.source_id, 0, {{"framework", "mine"}}, "command line");
  }));
  PredictionRow said;
  said.run_id = before.id;
  said.seconds = 10;
  ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.put_predictions({said}); }));

  const auto reread = Reread::of(before.source_id, setup(), *writer_).value();
  ASSERT_TRUE(reread->read(stop_));
  ASSERT_THAT(runs(), SizeIs(1)) << "nobody sees it before it is complete";
  EXPECT_EQ(newest().id, before.id);
  ingest_.reset();
  ASSERT_TRUE(reread->replace());

  const RunRow after = newest();
  EXPECT_THAT(runs(), SizeIs(1));
  EXPECT_NE(after.source_id, before.source_id);
  EXPECT_EQ(after.run.train.segments, before.run.train.segments);
  EXPECT_EQ(after.labels, (std::map<std::string, std::string>{{"framework", "mine"}, {"gpus", "0,1"}}));
  EXPECT_EQ(after.label_origins, (std::map<std::string, std::string>{{"framework", "command line"}}));
  EXPECT_THAT(reader_->predictions(after.id).value(), SizeIs(1));
  ASSERT_THAT(sources(), SizeIs(1));
  EXPECT_EQ(sources()[0].offset, static_cast<std::int64_t>(log().size()));
}

// Its lines came when they were written; read again, they show no time, or another one.
TEST_F(Rereading, ALogWithoutTimesKeepsLabelsToo) {
  const auto bar = [](int step) {
    return std::to_string(step) + "%|##| " + std::to_string(step) + "/100 [00:" + std::to_string(step) +
           "<01:00,  1.00s/it]\n";
  };
  write("a.log", "nohup: ignoring input\n");
  write("a.log", "***** Running training *****\n");
  for (int step = 10; step < 60; step += 10) write("a.log", bar(step));
  const RunRow before = newest();
  label(before.id, {{"gpus", "0,1"}});
  const auto reread = Reread::of(before.source_id, setup(), *writer_).value();
  ASSERT_TRUE(reread->read(stop_));
  ingest_.reset();
  ASSERT_TRUE(reread->replace());
  EXPECT_NE(newest().id, before.id);
  EXPECT_EQ(newest().labels, (std::map<std::string, std::string>{{"gpus", "0,1"}}));
}

TEST_F(Rereading, WhatComesMeanwhileIsReadOnce) {
  const std::string all = log();
  const std::size_t middle = all.find('\n', all.size() / 2) + 1;
  write("a.log", all.substr(0, middle));
  const auto reread = Reread::of(newest().source_id, setup(), *writer_).value();
  ASSERT_TRUE(reread->read(stop_));
  write("a.log", all.substr(middle));  // followed as before
  EXPECT_EQ(newest().run.state, RunState::finished);
  ingest_.reset();
  ASSERT_TRUE(reread->read(stop_));
  ASSERT_TRUE(reread->replace());
  start();
  wait();
  ASSERT_THAT(runs(), SizeIs(1));
  EXPECT_EQ(newest().run.state, RunState::finished);
  EXPECT_EQ(newest().run.iteration, 500);
  append("a.log", all);  // and it is followed on from there
  wait();
  EXPECT_THAT(runs(), SizeIs(2));
}

// Logs that changed names are read on under the other's; a new file may not have been looked at yet.
TEST_F(Rereading, AnotherFileThatLiesUnderItsNameNowDoesNotTakeItsPlace) {
  write("a.log", log());
  const std::int64_t source = newest().source_id;
  write("b.log", example(kExample));
  const std::size_t all = runs().size();
  for (const auto& [from, to] : {std::pair{"a.log", "c"}, {"b.log", "a.log"}, {"c", "b.log"}})
    std::filesystem::rename(file(from), file(to));
  for (int looked = 0; looked < 2; ++looked) {
    const auto reread = Reread::of(source, setup(), *writer_).value();
    ASSERT_TRUE(reread->read(stop_));
    const auto replaced = reread->replace();
    ASSERT_FALSE(replaced);
    EXPECT_EQ(replaced.error().kind, ErrorKind::conflict);
    wait();
  }
  EXPECT_THAT(runs(), SizeIs(all));
}

// Such as a source that was begun behind another's, since the pattern is spelled otherwise now.
TEST_F(Rereading, WhatAnotherSourceHasReadOfItsFileIsNotReadAgain) {
  const std::string all = log();
  const std::size_t middle = all.find('\n', all.size() / 2) + 1;
  write("a.log", all.substr(0, middle));
  start_ingest(usual_options(), "./*.log");
  wait();
  write("a.log", all.substr(middle));
  ASSERT_THAT(sources(), SizeIs(2));
  IngestSetup other = setup();
  other.watches[0].pattern = file("./*.log").string();
  const auto reread = Reread::of(sources()[1].id, other, *writer_).value();
  ASSERT_TRUE(reread->read(stop_));
  ingest_.reset();
  const auto replaced = reread->replace();
  ASSERT_FALSE(replaced);
  EXPECT_THAT(replaced.error().text(), HasSubstr("forget --source " + std::to_string(sources()[0].id)));
}

TEST_F(Rereading, OneThatIsGivenUpLeavesAllAsItWas) {
  write("a.log", log());
  const RunRow before = newest();
  {
    const auto reread = Reread::of(before.source_id, setup(), *writer_).value();
    ASSERT_TRUE(reread->read(stop_));
  }
  ASSERT_THAT(sources(), SizeIs(1));
  EXPECT_EQ(sources()[0].id, before.source_id);
  EXPECT_EQ(newest().id, before.id);
  stop_ = true;
  EXPECT_FALSE(Reread::of(before.source_id, setup(), *writer_).value()->read(stop_));
}

TEST_F(Rereading, ARestartInBetweenDoesNotTakeItForTheFollowedOne) {
  write("a.log", log());
  const std::int64_t source = newest().source_id;
  const auto reread = Reread::of(source, setup(), *writer_).value();
  ASSERT_TRUE(reread->read(stop_));
  start();  // as at a reload of the configuration
  append("a.log", log());
  wait();
  EXPECT_THAT(runs(), SizeIs(2));
  EXPECT_EQ(newest().source_id, source);
}

TEST_F(Rereading, ANameWithWildcardsInItIsThatFileAlone) {
  write("a1.log", log());
  write(R"(a[1]\.log)", example("lenet_b32_i500_tb50_ti50.log"));
  write(R"(\a1.log)", example("lenet_b128_i200_tb100_ti50.log"));
  for (const RunRow& each : runs()) {
    const auto reread = Reread::of(each.source_id, setup(), *writer_).value();
    const auto read = reread->read(stop_);
    ASSERT_TRUE(read) << each.source << ": " << read.error().text();
    ingest_.reset();
    ASSERT_TRUE(reread->replace()) << each.source;
  }
  ASSERT_THAT(runs(), SizeIs(3));
  for (const RunRow& each : runs())
    EXPECT_EQ(each.run.train.batch_size, each.source.ends_with("/a1.log")     ? 64
                                         : each.source.ends_with("/\\a1.log") ? 128
                                                                              : 32)
        << each.source;
}

TEST_F(Rereading, WhatCanNotBeReadAgainSaysWhy) {
  write("a.log", log());
  const std::int64_t source = newest().source_id;
  const auto why = [&](const IngestSetup& from) {
    const auto reread = Reread::of(source, from, *writer_);
    return reread ? std::string() : reread.error().text();
  };
  IngestSetup elsewhere = setup();
  elsewhere.watches.front().pattern = "/elsewhere/*.log";
  EXPECT_THAT(why(elsewhere), HasSubstr("no pattern of the configuration finds it any more"));
  EXPECT_EQ(Reread::of(4711, setup(), *writer_).error().kind, ErrorKind::not_found);

  const auto reread = Reread::of(source, setup(), *writer_).value();
  ASSERT_TRUE(reread->read(stop_));
  std::filesystem::rename(file("a.log"), file("a.log.1"));
  append("a.log", example("lenet_b32_i500_tb50_ti50.log"));
  wait();
  const auto replaced = reread->replace();
  ASSERT_FALSE(replaced) << "it was rotated meanwhile";
  EXPECT_EQ(replaced.error().kind, ErrorKind::conflict);
  EXPECT_THAT(why(setup()), HasSubstr("rotated away"));
  EXPECT_THAT(runs(), SizeIs(2));
}

// A killed job's last line has no end, and the next job begins the file anew.
TEST_F(Rereading, WhatWasGivenUpWithAnUnreadRestIsNotReplacedNorImportedAgain) {
  write("a.log", log() + "I20261121 00:3");
  std::filesystem::resize_file(file("a.log"), 0);
  write("a.log", example("lenet_b32_i500_tb50_ti50.log"));
  ASSERT_THAT(runs(), SizeIs(2));
  const auto reread = Reread::of(newest().source_id, setup(), *writer_);
  ASSERT_FALSE(reread);
  EXPECT_THAT(reread.error().text(), HasSubstr("rotated away"));
  EXPECT_TRUE(import().already_read);
  EXPECT_THAT(runs(), SizeIs(2));
}

TEST_F(Rereading, WhatWasImportedSinceItWasForgottenIsNotReadAgain) {
  write("a.log", log());
  const std::int64_t source = newest().source_id;
  ingest_.reset();
  ASSERT_TRUE(writer_->with([&](Writer& history) { return history.pass_source_over(source); }));
  ASSERT_FALSE(import().already_read);
  const auto reread = Reread::of(source, setup(), *writer_).value();
  ASSERT_TRUE(reread->read(stop_));
  const auto replaced = reread->replace();
  ASSERT_FALSE(replaced);
  EXPECT_THAT(replaced.error().text(), HasSubstr("imported as /saved.log"));
  EXPECT_THAT(runs(), SizeIs(1));
}

TEST_F(Rereading, AnImportTakesNoFollowedLogsPlace) {
  write("a.log", log());
  ImportOptions options;
  options.formats = shipped_formats();
  service::ImportRequest request;
  request.name = "/a.log";
  request.replaces = newest().source_id;
  const auto followed = begin_log_import(request, options, *writer_, [] {});
  ASSERT_FALSE(followed);
  EXPECT_EQ(followed.error().kind, ErrorKind::conflict);
  request.replaces = 4711;
  EXPECT_EQ(begin_log_import(request, options, *writer_, [] {}).error().kind, ErrorKind::not_found);
}

TEST_F(Rereading, AnImportIsReadAgainOfItsOwnLogOnly) {
  import();
  const std::int64_t first = newest().source_id;
  const std::string other = example("lenet_b32_i500_tb50_ti50.log");
  for (const bool is_there : {false, true}) {
    if (is_there) import(other, 0).value();
    const auto replaced = import(other, first);
    ASSERT_FALSE(replaced);
    EXPECT_EQ(replaced.error().kind, ErrorKind::conflict);
    EXPECT_THAT(replaced.error().text(), HasSubstr("another log by now"));
    EXPECT_THAT(runs(), SizeIs(is_there ? 2 : 1));
  }
  ASSERT_TRUE(import(log() + "It has grown\n", first));
  EXPECT_THAT(runs(), SizeIs(2));
  EXPECT_THAT(sources(), SizeIs(2));
}

TEST_F(Rereading, WhatWasSaidWithAnImportIsSaidOfItAgain) {
  const std::size_t begun = log().find('\n', log().size() / 2) + 1;
  import(log().substr(0, begun), 0, {{"host", "node7"}, { "precision", "fp16" }}, "caffe").value();
  import(log(), 0).value();
  EXPECT_EQ(newest().run.host, "node7") << "where it goes on, too";
  import(log(), newest().source_id, {{ "precision", "fp32" }}).value();
  ASSERT_THAT(runs(), SizeIs(1));
  EXPECT_EQ(newest().run.host, "node7");
  EXPECT_EQ(newest().run.settings.at("precision"), "fp32") << "unless something else is said now";
  const StatedOptions told = LogParser::stated_options(
      writer_->with([&](Writer& w) { return w.source(newest().source_id); }).value()->state);
  EXPECT_EQ(told.format, "caffe");
}

TEST_F(Rereading, ARunThatGoesOnOverAnUpgradeIsReadAgain) {
  const std::string all = log();
  const std::size_t middle = all.find('\n', all.size() / 2) + 1;
  write("a.log", all.substr(0, middle));
  ASSERT_EQ(newest().run.state, RunState::running);
  ingest_.reset();
  ASSERT_THAT(reread_outdated(setup(), *writer_, stop_), IsEmpty());
  const std::int64_t kept = newest().source_id;
  ASSERT_TRUE(writer_->with([&](Writer& writer) {
    std::vector<SourceCommit> of_before(1);
    of_before[0].source = writer.source(kept).value().value();
    of_before[0].source.state = R"({"version":1,"format":"caffe","tracker":"{}"})";
    return writer.commit(of_before, wall_);
  }));
  ASSERT_THAT(reread_outdated(setup(), *writer_, stop_), IsEmpty());
  EXPECT_NE(newest().source_id, kept) << "only what can't be gone on with is read again";
  append("a.log", all.substr(middle));
  start();
  wait();
  ASSERT_THAT(runs(), SizeIs(1));
  EXPECT_EQ(newest().run.state, RunState::finished);
  EXPECT_EQ(newest().run.train.segments, 10);
}

}  // namespace
}  // namespace etad
