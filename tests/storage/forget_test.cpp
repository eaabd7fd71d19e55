// What was forgotten stays forgotten, and takes nothing of others along.
#include <gmock/gmock.h>

#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kAnn = 1003, kBen = 1004;

class Forgetting : public HistoryTest {
 protected:
  // What the log says next: of its run a window and a point more, or of one that begins.
  void goes_on(SourceCommit& source, etad::Run& run) {
    source.records.clear();
    source.records.segments.push_back({run.ordinal, window(run, run.train.segments)});
    source.records.points.push_back({run.ordinal, {run.train.iterations, std::nullopt, 0.5}});
    source.records.runs = {run};
    commit(source);
  }
  std::vector<std::int64_t> ordinals() {
    std::vector<std::int64_t> out;
    for (const RunRow& row : must(reader().runs({}))) out.push_back(row.run.ordinal);
    return out;
  }
};

TEST_F(Forgetting, ARunDoesNotComeBackWithTheNextLineOfItsLog) {
  SourceCommit log = commit(source_with_run("/a.log", 3));
  etad::Run lost = log.records.runs[0];
  must(writer().forget_run(1));
  goes_on(log, lost);
  log.records.runs.clear();
  log.records.segments = {{0, window(lost, 4)}};
  commit(log);
  EXPECT_THAT(must(reader().runs({})), IsEmpty());
  EXPECT_EQ(must(reader().size()).segments, 0);
  EXPECT_EQ(must(reader().size()).points, 0);
  close();
  goes_on(log, lost);
  EXPECT_THAT(ordinals(), IsEmpty()) << "nor after a restart";
  etad::Run next = lenet(1);
  goes_on(log, next);
  EXPECT_EQ(ordinals(), std::vector<std::int64_t>{1});
}

// What one format told of is another's, which tells of it anew.
TEST_F(Forgetting, RunsThatAreWithdrawnGoAndOthersTakeTheirOrdinals) {
  SourceCommit log = commit(source_with_run("/a.log", 3));
  for (const int ordinal : {1, 2}) {
    etad::Run run = lenet(ordinal);
    goes_on(log, run);
  }
  log.records.withdraw(1);
  EXPECT_FALSE(log.records.empty());
  EXPECT_TRUE(log.records.runs.empty());
  etad::Run instead = lenet(1);
  log.records.segments = {{1, window(instead, 7)}};
  instead.framework = "pytorch";
  log.records.runs = {instead};
  commit(log);
  const auto runs = must(reader().runs({}));
  EXPECT_EQ(ordinals(), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(runs.at(0).run.framework, "pytorch");
  EXPECT_EQ(must(reader().size()).segments, 4);
  EXPECT_EQ(must(reader().size()).points, 3);
}

TEST(LongChanges, TellThatTheyGoOn) {
  TempDir dir;
  int told = 0;
  StorageOptions options;
  options.alive = [&] { ++told; };
  auto writer = must(Writer::open(dir.file("h.db"), options));
  std::vector<SourceCommit> commits{source_with_run("/a.log", 0)};
  commits[0].records.runs.clear();
  for (std::int64_t i = 0; i < 500; ++i) commits[0].records.runs.push_back(lenet(i));
  must(writer->commit(commits, kNow));
  told = 0;
  must(writer->drop_source(commits[0].source.id));
  EXPECT_GT(told, 3);
}

TEST_F(Forgetting, ASourceThatBeginsAnewMayGiveItsFirstRunAgain) {
  SourceCommit log = commit(source_with_run("/a.log", 3));
  must(writer().forget_run(1));
  must(writer().pass_source_over(log.source.id));
  etad::Run first = lenet();
  goes_on(log, first);
  EXPECT_EQ(ordinals(), std::vector<std::int64_t>{0});
}

// Nor do other rules, or the log read again, bring what was forgotten with its source or with its owner.
TEST_F(Forgetting, WhatASourceThatBeginsAnewHadDoesNotComeBack) {
  for (const bool with_owner : {false, true}) {
    SourceCommit log = source_with_run(with_owner ? "/a.log" : "/b.log", 3);
    log.source.owner = kBen;
    commit(log);
    const std::int64_t id = log.source.id;
    with_owner ? static_cast<void>(must(writer().forget_owner(kBen))) : must(writer().pass_source_over(id));
    EXPECT_EQ(must(writer().look_again("rules" + std::to_string(id))), 0);
    EXPECT_EQ(must(writer().source(id))->offset, 1000);
    etad::Run later = lenet();
    later.started_at = after(9000);
    log.source.format = "";
    goes_on(log, later);
    EXPECT_EQ(ordinals(), std::vector<std::int64_t>{0}) << "what it says later is another run";

    SourceCommit again = source_with_run(log.source.path, 3);
    again.source.owner = kBen;
    again.source.pending = true;
    etad::Run second = lenet(1);
    second.started_at = after(9000);
    again.records.runs.push_back(second);
    commit(again);
    must(writer().replace_source(id, again.source.id));
    ASSERT_THAT(must(reader().runs({})), SizeIs(1));
    EXPECT_EQ(must(reader().runs({}))[0].run.started_at, after(9000));
    must(writer().drop_source(again.source.id));
  }
}

TEST_F(Forgetting, AnOwnerOfALogThatHasRunsOfSomebodyElseTakesNoneOfTheseAlong) {
  SourceCommit log = source_with_run("/a.log", 3);
  log.source.owner = kAnn;
  commit(log);
  const etad::Run alices = must(reader().run(1))->run;
  log.source.owner = kBen;
  etad::Run bobs = lenet(1);
  goes_on(log, bobs);
  must(writer().forget_owner(kBen));
  EXPECT_EQ(must(writer().source(log.source.id))->state, log.source.state) << "its next run is the third";
  goes_on(log, bobs);
  etad::Run third = lenet(2);
  goes_on(log, third);
  EXPECT_EQ(ordinals(), (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(must(reader().run(1))->run.train.segments, alices.train.segments);
  EXPECT_EQ(must(reader().run(1))->run.started_at, alices.started_at);
}

TEST_F(Forgetting, AnOwnersRunsOfAnotherOnesLogDoNotComeBackEither) {
  SourceCommit log = source_with_run("/a.log", 3);
  log.source.owner = kBen;
  etad::Run bobs = log.records.runs[0];
  commit(log);
  log.source.owner = kAnn;
  goes_on(log, bobs);
  must(writer().forget_owner(kBen));
  goes_on(log, bobs);
  EXPECT_THAT(ordinals(), IsEmpty());
}

TEST_F(Forgetting, AnOwnerLeavesAnImportThatIsUnderWay) {
  SourceCommit import = source_with_run("/a.log", 3);
  import.source.kind = "import";
  import.source.pending = true;
  import.source.owner = kBen;
  commit(import);
  commit(source_with_run("/b.log", 3));
  EXPECT_FALSE(writer().forget_owner(kBen)) << "nobody sees it yet";
  must(writer().adopt_source(import.source.id));
  EXPECT_THAT(must(reader().runs({})), SizeIs(2));
}

// Its parser knows the header, and one that is gone may come back.
TEST_F(Forgetting, AnOwnersTraceGoesOnWhereItStood) {
  for (const bool gone : {false, true}) {
    SourceCommit trace;
    trace.source.path = gone ? "/gone.csv" : "/smi.csv";
    trace.source.format = "nvidia-smi";
    trace.source.state = "header";
    trace.source.owner = kBen;
    trace.source.gone = gone;
    commit(trace);
  }
  commit(source_with_run("/a.log", 3));
  EXPECT_EQ(must(writer().forget_owner(kBen)).sources, 2);
  ASSERT_THAT(must(reader().sources()), SizeIs(3));
  for (const std::int64_t id : {1, 2}) {
    EXPECT_EQ(must(writer().source(id))->state, "header");
    EXPECT_EQ(must(writer().source(id))->format, "nvidia-smi");
  }
}

TEST_F(Forgetting, AnOwnersTraceThatWasImportedIsKnownFurther) {
  SourceCommit trace;
  trace.source.path = "/smi.csv";
  trace.source.kind = "import";
  trace.source.format = "nvidia-smi";
  trace.source.owner = kBen;
  trace.finished = {{"identity", "/smi.csv", 0, kNow}};
  commit(trace);
  SourceCommit log = source_with_run("/a.log", 3);
  log.source.kind = "import";
  log.source.owner = kBen;
  commit(log);
  must(writer().forget_owner(kBen));
  const auto sources = must(reader().sources());
  ASSERT_THAT(sources, SizeIs(1));
  EXPECT_EQ(sources[0].path, "/smi.csv") << "its samples stay, and are not to come twice";
  EXPECT_EQ(sources[0].format, "nvidia-smi");
  EXPECT_THAT(must(writer().finished_files()), SizeIs(1));
}

// They were what others' costs are counted by.
TEST_F(Forgetting, TheLayersThatARunShowedFirstGoWithIt) {
  const auto shows = [this](std::int64_t owner, double operations, bool pending = false) {
    SourceCommit log = source_with_run("/" + std::to_string(owner) + ".log", 1);
    log.source.owner = owner;
    log.source.pending = pending;
    Layer layer{"conv1", "Convolution", {}, {}, {}};
    layer.costs.operations = operations;
    layer.costs.outputs = 1;
    log.records.layers.push_back({0, {layer}});
    return commit(std::move(log)).source.id;
  };
  const auto operations = [this] {
    const auto layers = must(reader().layers(lenet().architecture));
    return layers.empty() ? 0 : layers[0].costs.operations.value();
  };
  shows(kBen, 1e12);
  const std::int64_t anns = shows(kAnn, 5);
  EXPECT_EQ(operations(), 1e12) << "once for each architecture";
  must(writer().forget_owner(kBen));
  EXPECT_EQ(operations(), 0);
  const std::int64_t again = shows(kAnn, 5, true);
  must(writer().replace_source(anns, again));
  EXPECT_EQ(operations(), 5);
  must(writer().replace_source(again, shows(kAnn, 7, true)));
  EXPECT_EQ(operations(), 5) << "they stay where the log is read again";
}

TEST_F(Forgetting, NothingStaysOfANameWhenItsModelIsGone) {
  const auto named = [this](const char* network) {
    SourceCommit log = source_with_run(std::string("/") + network, 3);
    log.records.runs[0].network = network;
    return commit(std::move(log)).source.id;
  };
  const auto keys = [this] {
    std::int64_t reached = 0;
    return must(reader().changed_keys(0, reached)).size();
  };
  must(writer().pass_source_over(named("secret")));
  named("other");
  must(writer().forget_finished(kNow, kNow));
  EXPECT_EQ(keys(), 2U) << "a refit is to drop its model first";
  std::vector<ModelRow> models;
  must(writer().put_models(models, {}, RefitProgress{1, 9}));
  must(writer().forget_finished(kNow, kNow));
  EXPECT_EQ(keys(), 1U);
}

// Anybody may make files that come and go.
TEST_F(Forgetting, RowsOfFilesThatAreGoneAndBroughtNoRunsGo) {
  options_.budgets.finished_files = 2;
  const auto file = [this](const std::string& path, std::int64_t owner, bool gone, bool runs = false) {
    SourceCommit log = source_with_run(path, 1);
    if (!runs) log.records.clear();
    log.source.owner = owner;
    log.source.gone = gone;
    log.source.read_at = kNow;
    commit(log);
  };
  for (int i = 0; i < 5; ++i) file("/ben" + std::to_string(i), kBen, true);
  file("/there", kBen, false);
  file("/run", kBen, true, true);
  file("/ann", kAnn, true);
  const auto count = [this] { return must(reader().sources()).size(); };
  must(writer().forget_finished(Instant{}, kNow));
  EXPECT_EQ(count(), 8U) << "the follower may still know them";
  must(writer().forget_finished(Instant{}, after(1)));
  EXPECT_EQ(count(), 5U) << "the newest two of each";
  must(writer().forget_finished(after(1), after(1)));
  EXPECT_EQ(count(), 2U);
}

}  // namespace
}  // namespace etad::test
