// Which models' data changed, and what it is: runs come, grow, get labels, are imported and dropped.
#include <gmock/gmock.h>

#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ModelKey key_of(const etad::Run& run, Phase phase = Phase::train) {
  return {run.network, run.architecture, run.framework, run.host, run.device, run.devices, phase};
}

class DatasetsTest : public HistoryTest {
 protected:
  // The keys changed since the last call.
  std::vector<ModelKey> changed() { return must(reader().changed_keys(generation_, generation_)); }
  std::vector<RunData> data(const ModelKey& key, int runs = 100, int windows = 100) {
    return must(reader().run_data(key, runs, windows));
  }
  std::int64_t generation_ = 0;
};

TEST_F(DatasetsTest, AKeyIsDirtyOnceForEachCommitThatBringsSegments) {
  auto source = source_with_run("/a.log", 2);
  etad::Run run = source.records.runs.front();
  commit(source);
  EXPECT_THAT(changed(), ElementsAre(key_of(run)));
  EXPECT_THAT(changed(), IsEmpty());

  source.records.clear();
  run.iteration = 250;
  source.records.runs = {run};
  commit(source);
  EXPECT_THAT(changed(), IsEmpty()) << "progress alone is no data";

  source.records.segments = {{0, window(run, 2)}, {0, window(run, 0, Phase::test, 100)}};
  source.records.runs = {run};
  commit(source);
  EXPECT_THAT(changed(), ElementsAre(key_of(run), key_of(run, Phase::test)));
  EXPECT_THAT(data(key_of(run, Phase::test)).front().windows, SizeIs(1));
  EXPECT_EQ(data(key_of(run)).front().tested, data(key_of(run, Phase::test)).front().duration);
  EXPECT_EQ(data(key_of(run, Phase::test)).front().tested, Duration::zero()) << "a training's";
}

TEST_F(DatasetsTest, WhatTracesToldOfARunHoldsUntilTheRunGoesOn) {
  auto source = source_with_run("/a.log", 2);
  etad::Run run = source.records.runs.front();
  commit(source);
  EXPECT_FALSE(data(key_of(run)).front().joules);
  must(writer().put_costs(1, Phase::train, 500, 2e9));
  source.records.clear();
  source.records.runs = {run};
  commit(source);
  EXPECT_EQ(data(key_of(run)).front().joules, 500);
  EXPECT_EQ(data(key_of(run)).front().peak_bytes, 2e9);

  source.records.segments = {{0, window(run, 2)}};
  source.records.runs = {run};
  commit(source);
  EXPECT_FALSE(data(key_of(run)).front().joules) << "of fewer iterations";

  source.records.segments = {{0, window(run, 3)}};
  run.train.joules = 900;
  source.records.runs = {run};
  commit(source);
  EXPECT_EQ(data(key_of(run)).front().joules, 900) << "its log's word";
}

// Of an owner only so many are looked at: those that were over by then, not the newest of today.
TEST_F(DatasetsTest, RunsThatWereOverByThenAreFoundBehindAnyNumberOfNewerOnes) {
  constexpr Instant kStart{std::chrono::hours{400'000}};
  for (int i = 0; i < 12; ++i) {
    etad::Run run = lenet();
    run.started_at = kStart + std::chrono::hours{i};
    run.ended_at = *run.started_at + std::chrono::minutes{30};
    commit(source_with_run("/" + std::to_string(i) + ".log", 2, run));
  }
  const ModelKey key = key_of(lenet());
  const auto over_by = [&](std::chrono::minutes when) {
    return must(reader().run_data(key, 1, 10, {.over_by = kStart + when}));
  };
  ASSERT_THAT(over_by(std::chrono::minutes{45}), SizeIs(1));
  EXPECT_EQ(over_by(std::chrono::minutes{45}).front().started_at, kStart);
  EXPECT_THAT(over_by(std::chrono::minutes{29}), IsEmpty());
  EXPECT_EQ(over_by(std::chrono::hours{30}).front().run_id, 12);
}

TEST_F(DatasetsTest, AnUnknownNumberOfDevicesIsNoneOfTheKnown) {
  etad::Run unknown = lenet();
  unknown.devices = 0;
  auto source = source_with_run("/unknown.log", 3, unknown);
  commit(source);
  commit(source_with_run("/one.log", 2, lenet()));
  EXPECT_THAT(changed(), ElementsAre(key_of(unknown), key_of(lenet())));
  EXPECT_THAT(data(key_of(unknown)), SizeIs(1));
  EXPECT_EQ(must(reader().run(1))->run.devices, 0);

  must(writer().set_labels(1, {{"devices", "1"}}));
  EXPECT_THAT(data(key_of(unknown)), IsEmpty());
  EXPECT_THAT(data(key_of(lenet())), SizeIs(2));
  must(writer().set_labels(1, {{"devices", ""}}));
  EXPECT_THAT(data(key_of(unknown)), SizeIs(1));
}

TEST_F(DatasetsTest, ALabelledNumberOfDevicesMultipliesABatchOfOne) {
  etad::Run unknown = lenet();
  unknown.devices = 0;
  unknown.settings["iter_size"] = "2";
  unknown.train.samples_per_iteration = 128;
  commit(source_with_run("/unknown.log", 3, unknown));
  etad::Run known = lenet();
  known.train.samples_per_iteration = 640;
  known.devices = 0;
  commit(source_with_run("/known.log", 3, known));
  for (const std::int64_t run : {1, 2}) must(writer().set_labels(run, {{"devices", "4"}}));
  EXPECT_EQ(must(reader().run(1))->run.train.samples_per_iteration, 512);
  EXPECT_EQ(must(reader().run(2))->run.train.samples_per_iteration, 640) << "the log's own word";
  must(writer().set_labels(1, {{"devices", ""}}));
  EXPECT_EQ(must(reader().run(1))->run.train.samples_per_iteration, 128);
}

TEST_F(DatasetsTest, WhatTheTracesOfOtherGpusToldOfARunDoesNotHold) {
  auto log = source_with_run("/a.log", 3);
  commit(log);
  auto table = source_with_run("/table.csv", 3);
  table.source.format = "measurements";
  table.records.runs[0].train.joules = 900;
  table.records.runs[0].network = "ResNet";
  commit(table);
  must(writer().put_costs(1, Phase::train, 500, 2e9));
  changed();
  must(writer().set_labels(1, {{"job", "4711"}}));
  EXPECT_THAT(changed(), IsEmpty());
  EXPECT_EQ(must(reader().run(1))->run.train.joules, 500);
  for (const std::int64_t run : {1, 2}) must(writer().set_labels(run, {{"gpus", "1"}}));
  EXPECT_THAT(changed(), SizeIs(2)) << "to be measured anew";
  EXPECT_FALSE(must(reader().run(1))->run.train.joules);
  EXPECT_FALSE(must(reader().run(1))->run.train.peak_bytes);
  EXPECT_EQ(must(reader().run(2))->run.train.joules, 900) << "the table's own word";
}

TEST_F(DatasetsTest, TimingRunsAndUnknownNetworksAreNoData) {
  etad::Run timing = lenet();
  timing.job = Job::time;
  commit(source_with_run("/time.log", 3, timing));
  etad::Run unknown = lenet();
  unknown.network = unknown.architecture = "";
  commit(source_with_run("/unknown.log", 3, unknown));
  EXPECT_THAT(changed(), IsEmpty());

  etad::Run unnamed = lenet();
  unnamed.network = "";
  commit(source_with_run("/unnamed.log", 3, unnamed));
  EXPECT_THAT(changed(), ElementsAre(key_of(unnamed)));
}

TEST_F(DatasetsTest, RunDataIsTheNewestRunsWithTheirSumsAndABoundedSample) {
  for (std::int64_t i = 0; i < 4; ++i) {
    etad::Run run = lenet();
    run.settings["iter_size"] = "2";
    run.settings["precision"] = "fp16";
    run.settings["workers"] = "4";
    commit(source_with_run("/" + std::to_string(i) + ".log", 1000 * (i + 1), run));
  }
  const auto runs = data(key_of(lenet()), 3, 20);
  ASSERT_THAT(runs, SizeIs(3));
  EXPECT_EQ(runs[0].run_id, 4);
  EXPECT_EQ(runs[0].iterations, 400'000);
  EXPECT_EQ(runs[0].samples_per_iteration, 64);
  EXPECT_EQ(runs[0].settings.at("type"), "SGD");
  EXPECT_EQ(runs[0].settings.at("iter_size"), "2");
  EXPECT_EQ(runs[0].settings.at("precision"), "fp16");
  EXPECT_EQ(runs[0].settings.at("workers"), "4");
  EXPECT_EQ(runs[0].started_at, kNow);
  ASSERT_THAT(runs[0].windows, SizeIs(20));
  EXPECT_EQ(runs[0].windows.front().first_iteration, 0);
  EXPECT_GT(runs[0].windows.back().first_iteration, 360'000);
  EXPECT_THAT(data(key_of(lenet()), 0, 20), IsEmpty());
}

TEST_F(DatasetsTest, RunDataLacksNoBatchSizeThatRanLessOfLate) {
  for (std::int64_t i = 0; i < 12; ++i) {
    etad::Run run = lenet();
    run.train.samples_per_iteration = i < 3 ? 32 : 64;
    commit(source_with_run("/" + std::to_string(i) + ".log", 1, run));
  }
  std::vector<std::int64_t> samples;
  for (const RunData& run : data(key_of(lenet()), 5)) samples.push_back(run.samples_per_iteration);
  EXPECT_THAT(samples, ElementsAre(64, 64, 64, 32, 32));
}

// However a run's segments arrive, its sample holds between 64 and 128 of them, evenly spaced.
TEST_F(DatasetsTest, TheSampleStaysEvenAsTheRunGrows) {
  auto source = source_with_run("/a.log", 0);
  etad::Run run = lenet();
  for (std::int64_t n = 0; n < 700;) {
    source.records.clear();
    for (std::int64_t i = 0; i < 7; ++i) source.records.segments.push_back({0, window(run, n++)});
    source.records.runs = {run};
    commit(source);
  }
  const auto windows = data(key_of(run), 1, 1000).front().windows;
  ASSERT_THAT(windows, SizeIs(88));  // every eighth of 700
  for (std::size_t i = 0; i < windows.size(); ++i) {
    EXPECT_EQ(windows[i].first_iteration, static_cast<std::int64_t>(800 * i));
  }
}

// A run whose log names neither its network nor its batch size, labelled with both.
class LabelledRun : public DatasetsTest {
 protected:
  LabelledRun() {
    run_.network = "";
    run_.train.batch_size.reset();
    run_.train.samples_per_iteration.reset();
    run_.settings["iter_size"] = "2";
    nameless_ = key_of(run_);
    for (std::int64_t n = 0; n < 3; ++n) go_on(n);
    EXPECT_THAT(changed(), ElementsAre(nameless_));
    must(writer().set_labels(
        1, {{"network", "MyNet"}, {"batch_size", "32"}, {"device", "ignored: the log knows"}}));
    named_ = nameless_;
    named_.network = "MyNet";
    EXPECT_THAT(changed(), ElementsAre(nameless_, named_));
  }

  // The n-th window, and what the log says of the run by then.
  void go_on(std::int64_t n) {
    source_.records.clear();
    source_.records.segments.push_back({0, window(run_, n, Phase::train, 0)});
    source_.records.runs = {run_};
    commit(source_);
  }

  SourceCommit source_ = source_with_run("/a.log", 0);
  etad::Run run_ = lenet();  // as the log has it
  ModelKey nameless_, named_;
};

TEST_F(LabelledRun, MovesToTheOtherKey) {
  EXPECT_THAT(data(nameless_), IsEmpty());
  ASSERT_THAT(data(named_), SizeIs(1));
  EXPECT_EQ(data(named_)[0].samples_per_iteration, 64);
  EXPECT_EQ(data(named_)[0].windows[0].samples_per_iteration, 64);
  EXPECT_EQ(must(reader().segments(1, 0, 1))[0].samples_per_iteration, 64);
}

TEST_F(LabelledRun, KeepsItsLabelsAsTheLogGoesOnKnowingAsLittle) {
  go_on(3);
  const auto row = *must(reader().run(1));
  EXPECT_EQ(row.run.network, "MyNet");
  EXPECT_EQ(row.run.device, "Tesla K80");
  EXPECT_EQ(row.run.train.batch_size, 32);
  EXPECT_EQ(row.run.train.segments, 4);
  EXPECT_EQ(row.labels.at("batch_size"), "32");
  EXPECT_THAT(changed(), ElementsAre(named_));
}

TEST_F(LabelledRun, IsWhatItsLogSaysAfterAll) {
  run_.train.batch_size = 16;
  run_.train.samples_per_iteration = 32;
  source_.records.segments.clear();  // nothing new is measured
  source_.records.runs = {run_};
  commit(source_);
  EXPECT_EQ(must(reader().run(1))->run.train.batch_size, 16);
  EXPECT_THAT(changed(), ElementsAre(named_));
}

TEST_F(LabelledRun, MovesBackWhenItsLabelIsTakenBack) {
  must(writer().set_labels(1, {{"network", ""}}));
  EXPECT_EQ(must(reader().run(1))->run.network, "");
  EXPECT_THAT(changed(), ElementsAre(nameless_, named_));
  EXPECT_THAT(data(nameless_), SizeIs(1));
}

TEST_F(DatasetsTest, WhatWasFoundOutFillsInAndTheUsersWordStays) {
  etad::Run run = lenet();
  run.network = "";
  run.train.batch_size.reset();
  run.train.samples_per_iteration.reset();
  auto source = source_with_run("/a.log", 0);
  source.records.runs = {run};
  commit(source);
  must(writer().set_labels(1, {{"network", "MyNet"}}));
  const std::int64_t id = source.source.id;
  must(writer().add_found_labels(id, 0, {{"network", "resnet"}, {"batch_size", "32"}, {"devices", "many"}},
                                 "command line"));
  must(writer().add_found_labels(id, 7, {{"batch_size", "1"}}, "command line"));  // no such run
  auto row = *must(reader().run(1));
  EXPECT_EQ(row.run.network, "MyNet");
  EXPECT_EQ(row.run.train.batch_size, 32);
  EXPECT_EQ(row.labels, (std::map<std::string, std::string>{{"network", "MyNet"}, {"batch_size", "32"}}));
  EXPECT_EQ(row.label_origins, (std::map<std::string, std::string>{{"batch_size", "command line"}}));

  must(writer().set_labels(1, {{"batch_size", "64"}}));
  must(writer().add_found_labels(id, 0, {{"batch_size", "16"}}, "command line"));
  row = *must(reader().run(1));
  EXPECT_EQ(row.run.train.batch_size, 64);
  EXPECT_TRUE(row.label_origins.empty());
}

TEST_F(DatasetsTest, WrongLabelsAreRefused) {
  commit(source_with_run("/a.log", 1));
  EXPECT_FALSE(writer().set_labels(1, {{"colour", "green"}}));
  for (const char* wrong : {"0", "-1", "64x", "9999999999", " 64"}) {
    EXPECT_FALSE(writer().set_labels(1, {{"batch_size", wrong}})) << wrong;
  }
  EXPECT_FALSE(writer().set_labels(2, {{"network", "X"}}));
  EXPECT_TRUE(must(reader().run(1))->labels.empty());
}

TEST_F(DatasetsTest, ADroppedSourceTakesItsDataAlong) {
  const auto kept = commit(source_with_run("/a.log", 5));
  const auto dropped = commit(source_with_run("/b.log", 7));
  changed();
  must(writer().drop_source(dropped.source.id));
  EXPECT_THAT(changed(), ElementsAre(key_of(lenet())));
  EXPECT_THAT(data(key_of(lenet())), SizeIs(1));
  EXPECT_EQ(must(reader().size()).segments, 5);
  EXPECT_EQ(must(reader().size()).runs, 1);
  must(writer().drop_source(kept.source.id));
  EXPECT_THAT(data(key_of(lenet())), IsEmpty());
}

TEST_F(DatasetsTest, APendingImportIsNotThereUntilItIsComplete) {
  auto import = source_with_run("lenet.log.gz", 5);
  import.source.kind = "import";
  import.source.pending = true;
  commit(import);
  EXPECT_THAT(must(reader().runs({})), IsEmpty());
  EXPECT_FALSE(must(reader().run(1)).has_value());
  EXPECT_THAT(must(reader().segments(1, 0, 10)), IsEmpty());
  EXPECT_THAT(must(reader().networks()), IsEmpty());
  EXPECT_EQ(must(reader().size()).runs, 0);
  EXPECT_THAT(changed(), IsEmpty());
  EXPECT_FALSE(writer().set_labels(1, {{"network", "X"}}));

  must(writer().adopt_source(import.source.id));
  EXPECT_THAT(must(reader().runs({})), SizeIs(1));
  EXPECT_THAT(changed(), ElementsAre(key_of(lenet())));
  EXPECT_THAT(data(key_of(lenet())), SizeIs(1));
}

TEST_F(DatasetsTest, ATraceThatIsImportedLateConcernsTheRunsOfItsTimeWithoutCosts) {
  const auto trace = [this](double from, double to) {
    SourceCommit import;
    import.source.path = "trace.csv";
    import.source.pending = true;
    for (const double at : {from, to}) import.records.add_sample({"gpu.power", "gpu=0", "W"}, after(at), 100);
    commit(import);
    must(writer().adopt_source(import.source.id));
  };
  etad::Run run = lenet();
  run.ended_at = after(600);
  run.state = RunState::finished;
  auto source = source_with_run("/a.log", 2, run);
  commit(source);
  EXPECT_THAT(changed(), SizeIs(1));
  SourceCommit followed;
  followed.source.path = "/smi.csv";
  followed.records.add_sample({"gpu.power", "gpu=0", "W"}, after(300), 100);
  commit(followed, after(310));
  EXPECT_THAT(changed(), IsEmpty()) << "it came when it was taken";
  commit(followed, after(900));
  EXPECT_THAT(changed(), ElementsAre(key_of(run))) << "it came late";
  trace(-200, -100);
  trace(700, 800);
  EXPECT_THAT(changed(), IsEmpty()) << "of other times";
  trace(-200, 10);
  EXPECT_THAT(changed(), ElementsAre(key_of(run)));
  must(writer().put_costs(1, Phase::train, 500, std::nullopt));
  trace(0, 700);
  EXPECT_THAT(changed(), ElementsAre(key_of(run))) << "its memory is not known";
  must(writer().put_costs(1, Phase::train, 900, 2e9));
  trace(0, 700);
  EXPECT_THAT(changed(), IsEmpty()) << "what it cost is known";
  EXPECT_EQ(must(reader().run(1))->run.train.joules, 500) << "and stays";
}

TEST_F(DatasetsTest, ARestartDropsWhatAnImportLeftPending) {
  auto import = source_with_run("lenet.log.gz", 5);
  import.source.pending = true;
  commit(import);
  commit(source_with_run("/a.log", 3));
  close();
  EXPECT_THAT(must(writer().sources()), SizeIs(1));
  EXPECT_EQ(must(reader().size()).segments, 3);
  import.records.clear();
  std::vector<SourceCommit> late{import};
  EXPECT_FALSE(writer().commit(late, kNow)) << "the dropped source does not come back by itself";
}

TEST_F(DatasetsTest, AModelKeepsItsIdWhenItIsFittedAnew) {
  std::vector<ModelRow> models(2);
  models[0].key = key_of(lenet());
  models[0].body = R"({"basis": "c0 + n*c1"})";
  models[0].fitted_at = kNow;
  models[1].key = key_of(lenet(), Phase::test);
  must(writer().put_models(models));
  EXPECT_EQ(models[0].id, 1);
  models[0].id = 0;
  models[0].body = "{}";
  models[0].fitted_at = after(60);
  must(writer().put_models(models));
  EXPECT_EQ(models[0].id, 1);
  EXPECT_EQ(models[1].id, 2);
  ModelFilter all;
  all.bodies = true;
  const auto read = must(reader().models(all));
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_EQ(read[0].key, key_of(lenet()));
  EXPECT_EQ(read[0].body, "{}");
  EXPECT_EQ(read[0].fitted_at, after(60));
  EXPECT_THAT(changed(), IsEmpty()) << "a model is no data";
}

TEST_F(DatasetsTest, TheEstimatorsRecordsAreThoseThatWerePutLast) {
  Writer& writer = this->writer();
  const auto models = ModelReader::open(path()).value();
  EXPECT_EQ(must(models->estimator_records()), "");
  must(writer.put_estimator_records("those of before"));
  must(writer.put_estimator_records("those of now"));
  EXPECT_EQ(must(models->estimator_records()), "those of now");
  EXPECT_THAT(changed(), IsEmpty()) << "they are no data";
}

TEST_F(DatasetsTest, WhoWasThereFirstStaysSoWhenTheLogIsReadAgain) {
  const auto of = [this](std::int64_t owner, bool pending = false) {
    auto log = source_with_run("/" + std::to_string(owner) + ".log", 2);
    log.source.owner = owner;
    log.source.pending = pending;
    return commit(std::move(log)).source.id;
  };
  const std::int64_t first = of(1002);
  const std::int64_t other = of(1001);
  for (int i = 0; i < 40; ++i) of(1002);
  const auto is_first = [this](std::int64_t owner) {
    std::map<std::int64_t, std::int64_t> places;
    for (const RunData& run : data(key_of(lenet()), 4)) places[run.owner] = run.place;
    return places.size() == 2 && places.at(owner) < places.at(owner == 1001 ? 1002 : 1001);
  };
  EXPECT_TRUE(is_first(1002)) << "though his first run is none of the newest";
  must(writer().replace_source(first, of(1002, true)));
  EXPECT_TRUE(is_first(1002));
  must(writer().replace_source(other, of(1001, true)));
  EXPECT_TRUE(is_first(1002));
  must(writer().forget_owner(1002));
  EXPECT_EQ(data(key_of(lenet())).size(), 1U);
  of(1002);
  EXPECT_TRUE(is_first(1001)) << "nothing is left of what was there before";
}

TEST_F(DatasetsTest, AnOldRunThatALabelBringsIsNotTheFirstOne) {
  etad::Run nameless = lenet();
  nameless.network = nameless.architecture = "";
  auto log = source_with_run("/a.log", 2, nameless);
  log.source.owner = 1001;
  commit(log);
  etad::Run named = lenet();
  named.architecture = "";
  log = source_with_run("/b.log", 2, named);
  log.source.owner = 1002;
  commit(log);
  must(writer().set_labels(1, {{"network", "LeNet"}}));
  const auto runs = data(key_of(named));
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_LT(runs[0].place, runs[1].place);
}

// A log may make up as many as it likes, and each question for an unknown name would look at all of them.
TEST_F(DatasetsTest, NamesWithoutAModelAreNotAllLookedAtForThoseThatAreNear) {
  ModelKey key = key_of(lenet());
  std::vector<ModelRow> models(1);
  models[0].key = key;
  models[0].key.network = "n9";
  must(writer().put_models(models));
  const auto made_up = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      auto commit_of_one = source_with_run("/" + std::to_string(i) + ".log", 3);
      commit_of_one.records.runs[0].network = "n" + std::to_string(i);
      commit(commit_of_one);
    }
  };
  const auto near = [&] {
    return must(must(ModelReader::open(path()))->names_around(NameOf::network, "n", 2));
  };
  made_up(1, 4);
  EXPECT_THAT(near(), ElementsAre("n9"));
  made_up(4, 6);
  EXPECT_THAT(near(), IsEmpty());
}

}  // namespace
}  // namespace etad::test
