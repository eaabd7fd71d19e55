// What goes into the history comes out of it, once.
#include <gmock/gmock.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cmath>
#include <filesystem>

#include "tests/sanitized.h"
#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(HistoryTest, ARunComesBackWhole) {
  auto source = source_with_run("/var/log/caffe/lenet.log", 3);
  etad::Run& run = source.records.runs.front();
  run.state = RunState::failed;
  run.ended_at = after(20);
  run.iteration = 300;
  run.max_iterations = 10'000;
  run.first_iteration = 0;
  run.startup = std::chrono::milliseconds(1500);
  run.snapshot_time = std::chrono::seconds(2);
  run.snapshots = 1;
  run.stalls = 4;
  run.loss_is_nan = true;
  run.message = "Check failed: error == cudaSuccess (2 vs. 0)  \xff out of memory";
  run.test.batch_size = 100;
  commit(source);

  const auto rows = must(reader().runs({}));
  ASSERT_THAT(rows, SizeIs(1));
  const etad::Run& read = rows.front().run;
  EXPECT_EQ(rows.front().source, "/var/log/caffe/lenet.log");
  EXPECT_EQ(rows.front().updated_at, kNow);
  EXPECT_EQ(read.state, RunState::failed);
  EXPECT_EQ(read.network, "LeNet");
  EXPECT_EQ(read.started_at, run.started_at);
  EXPECT_EQ(read.ended_at, run.ended_at);
  EXPECT_EQ(read.settings, run.settings);
  EXPECT_EQ(read.startup, run.startup);
  EXPECT_EQ(read.snapshot_time, run.snapshot_time);
  EXPECT_EQ(read.message, run.message);
  EXPECT_TRUE(read.loss_is_nan);
  EXPECT_EQ(read.train.segments, 3);
  EXPECT_EQ(read.train.iterations, 300);
  EXPECT_EQ(read.train.duration, run.train.duration);
  EXPECT_EQ(read.test.batch_size, 100);
  EXPECT_EQ(must(reader().run(rows.front().id))->run.max_iterations, 10'000);
  EXPECT_FALSE(must(reader().run(rows.front().id + 1)).has_value());
}

TEST_F(HistoryTest, ASourceComesBackWithItsStateAndFiles) {
  auto source = source_with_run("/a.log", 0);
  source.source.identity = "8:1:42:abc";
  source.source.marker = "m";
  source.source.head = "h";
  source.source.lines = 7;
  source.source.lost_bytes = 3;
  source.source.last_error = "permission denied";
  source.source.read_at = kNow;
  source.finished = {{"8:1:41:abd", "/a.log.1", 0, kNow}};
  commit(source);
  source.source.offset = 2000;
  source.finished.clear();
  commit(source);
  close();

  const auto sources = must(writer().sources());
  ASSERT_THAT(sources, SizeIs(1));
  EXPECT_EQ(sources[0].id, source.source.id);
  EXPECT_EQ(sources[0].identity, "8:1:42:abc");
  EXPECT_EQ(sources[0].offset, 2000);
  EXPECT_EQ(sources[0].state, "") << "only the source that is asked for brings its state";
  EXPECT_EQ(must(writer().source(sources[0].id))->state, source.source.state);
  EXPECT_FALSE(must(writer().source(sources[0].id + 1)).has_value());
  EXPECT_EQ(sources[0].lost_bytes, 3);
  EXPECT_EQ(sources[0].read_at, kNow);
  EXPECT_EQ(must(reader().sources())[0].state, "");

  const auto files = must(writer().finished_files());
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].identity, "8:1:41:abd");
  EXPECT_EQ(files[0].source_id, source.source.id);
  must(writer().forget_finished(kNow, kNow));
  EXPECT_THAT(must(writer().finished_files()), SizeIs(1));
  must(writer().forget_finished(after(1), kNow));
  EXPECT_THAT(must(writer().finished_files()), IsEmpty());
}

TEST_F(HistoryTest, AFollowedSourceIsFoundByItsPath) {
  auto old = source_with_run("/a.log", 1);
  commit(old);
  auto followed = source_with_run("/a.log", 1);
  followed.source.state = "newer";
  commit(followed);
  auto imported = source_with_run("/a.log", 1);
  imported.source.kind = "import";
  commit(imported);
  const auto found = must(writer().followed_source("/a.log"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, followed.source.id) << "the newest one";
  EXPECT_EQ(found->state, "newer");
  EXPECT_FALSE(must(writer().followed_source("/b.log")).has_value());
}

TEST_F(HistoryTest, ImportsAreFoundByWhatTheirLogsBeginWith) {
  std::vector<std::int64_t> ids;
  for (const auto& [kind, head, pending] : {std::tuple("import", "1024:aa", false),
                                            {"import", "1024:bb", false},
                                            {"import", "1024:aa", true},
                                            {"file", "1024:aa", false},
                                            {"import", "1024:aa", false}}) {
    auto source = source_with_run("/a.log", 1);
    source.source.kind = kind;
    source.source.head = head;
    source.source.pending = pending;
    commit(source);
    ids.push_back(source.source.id);
  }
  std::vector<std::int64_t> found;
  for (const SourceRow& row : must(writer().imports("1024:aa"))) found.push_back(row.id);
  EXPECT_EQ(found, (std::vector{ids[0], ids[4]}));
}

TEST_F(HistoryTest, SourcesWithRunningRunsAreKnown) {
  auto over = source_with_run("/over.log", 1);
  over.records.runs[0].state = RunState::finished;
  commit(over);
  auto running = source_with_run("/running.log", 1);
  commit(running);
  EXPECT_EQ(must(writer().sources_with_running_runs()), std::vector{running.source.id});
}

TEST_F(HistoryTest, ARunIsForgottenWithAllThatRefersToIt) {
  auto source = source_with_run("/a.log", 10);
  commit(source);
  const std::int64_t id = must(reader().runs({})).at(0).id;
  std::int64_t generation = 0;
  must(reader().changed_keys(0, generation));
  must(writer().forget_run(id));
  EXPECT_THAT(must(reader().runs({})), IsEmpty());
  EXPECT_EQ(must(reader().size()).segments, 0);
  EXPECT_THAT(must(reader().changed_keys(generation, generation)), Not(IsEmpty())) << "its models follow";
  EXPECT_THAT(must(reader().sources()), SizeIs(1));
}

TEST_F(HistoryTest, AForgottenSourceGoesOnFromWhereItStands) {
  auto source = source_with_run("/a.log", 10);
  commit(source);
  must(writer().pass_source_over(source.source.id));
  auto row = must(writer().source(source.source.id));
  EXPECT_EQ(row->offset, 1000) << "it goes on from where it stands";
  EXPECT_EQ(row->state, "");
  EXPECT_THAT(must(reader().runs({})), IsEmpty());
  EXPECT_EQ(must(reader().unrecognised_sources(10)).count, 0) << "nothing was read of it any more";
}

TEST_F(HistoryTest, FilesThatNoFormatFitsAreCountedAndTheNewestNamed) {
  EXPECT_EQ(must(reader().unrecognised_sources(2)).count, 0);
  auto known = source_with_run("/known.log", 1);
  commit(known);
  for (const char* path : {"/x.log", "/y.log", "/z.log"}) {
    auto unknown = source_with_run(path, 0);
    unknown.source.format.clear();
    unknown.source.lines = 3;
    unknown.records.clear();
    commit(unknown);
  }
  const auto found = must(reader().unrecognised_sources(2));
  EXPECT_EQ(found.count, 3);
  EXPECT_THAT(found.paths, ElementsAre("/z.log", "/y.log"));
}

TEST_F(HistoryTest, RulesThatArriveHaveUnrecognisedSourcesLookedAtAgainOnce) {
  auto known = source_with_run("/known.log", 1);
  commit(known);
  auto unknown = source_with_run("/unknown.log", 0);
  unknown.source.format.clear();
  unknown.records.clear();
  commit(unknown);
  must(writer().look_again("rules"));
  EXPECT_EQ(must(writer().source(unknown.source.id))->offset, 0);
  EXPECT_EQ(must(writer().source(known.source.id))->offset, 1000);
  unknown.source.offset = 1000;
  commit(unknown);
  EXPECT_EQ(must(writer().look_again("rules")), 0) << "they know no more than they did";
  EXPECT_EQ(must(writer().look_again("other rules")), 1);
}

TEST_F(HistoryTest, AnImportReadAgainTakesTheOldOnesPlaceAtOnce) {
  auto old = source_with_run("/a.log", 10);
  old.source.kind = "import";
  commit(old);
  const std::int64_t run = must(reader().runs({})).at(0).id;
  must(writer().set_labels(run, {{"device", "Tesla K80"}}));
  PredictionRow prediction;
  prediction.run_id = run;
  must(writer().put_predictions({prediction}));
  auto again = source_with_run("/a.log", 20);
  again.source.kind = "import";
  again.source.pending = true;
  commit(again);
  must(writer().replace_source(old.source.id, again.source.id));
  const auto runs = must(reader().runs({}));
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_NE(runs[0].id, run);
  EXPECT_EQ(runs[0].labels.at("device"), "Tesla K80") << "what its user said stays";
  EXPECT_THAT(must(reader().predictions(runs[0].id)), SizeIs(1)) << "and the track record";
  EXPECT_EQ(must(reader().size()).segments, 20);
  EXPECT_THAT(must(reader().sources()), SizeIs(1));
}

// Segments come one tick at a time or by the thousand: the history is the same.
TEST_F(HistoryTest, SegmentsAndPointsKeepTheirOrderAcrossChunksAndCommits) {
  constexpr std::int64_t kAll = 1500;
  const auto whole = source_with_run("/whole.log", kAll);
  auto piecewise = source_with_run("/pieces.log", 0);
  etad::Run run = lenet();
  std::int64_t n = 0;
  for (const std::int64_t size : {1, 1, 1, 509, 2, 600, 386}) {
    piecewise.records.clear();
    for (std::int64_t i = 0; i < size; ++i, ++n) {
      piecewise.records.segments.push_back({0, window(run, n)});
      piecewise.records.points.push_back({0, whole.records.points[static_cast<std::size_t>(n)].value});
    }
    piecewise.records.runs = {run};
    commit(piecewise);
  }
  ASSERT_EQ(n, kAll);
  commit(SourceCommit(whole));

  const auto first = must(reader().segments(1, 0, 10'000));
  ASSERT_THAT(first, SizeIs(kAll));
  for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(first[i], whole.records.segments[i].value) << i;
  EXPECT_EQ(must(reader().segments(2, 0, 10'000)), first);
  const auto points = must(reader().points(1, 0, 10'000));
  ASSERT_THAT(points, SizeIs(kAll));
  EXPECT_EQ(points[1234].iteration, 123'400);
  EXPECT_EQ(points[1234].at, whole.records.points[1234].value.at);
  EXPECT_EQ(must(reader().size()).segments, 2 * kAll);
  EXPECT_EQ(must(reader().size()).points, 2 * kAll);

  for (const std::int64_t from : {0, 1, 511, 512, 513, 1499, 1500, 99'999}) {
    const auto page = must(reader().segments(1, from, 600));
    const auto left = static_cast<std::size_t>(std::clamp<std::int64_t>(kAll - from, 0, 600));
    ASSERT_THAT(page, SizeIs(left)) << from;
    if (left > 0) {
      EXPECT_EQ(page.front(), first[static_cast<std::size_t>(from)]);
    }
  }
  EXPECT_THAT(must(reader().segments(1, 0, 0)), IsEmpty());
}

// More runs than those whose last chunks the writer remembers, and one of them goes meanwhile.
TEST_F(HistoryTest, RunsThatGrowInTurnKeepWhatIsTheirs) {
  std::vector<SourceCommit> sources;
  std::vector<etad::Run> runs(40, lenet());
  for (std::size_t i = 0; i < runs.size(); ++i)
    sources.push_back(source_with_run("/" + std::to_string(i) + ".log", 0));
  for (std::int64_t n = 0; n < 6; ++n) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      sources[i].records.clear();
      sources[i].records.segments = {{0, window(runs[i], n)}};
      sources[i].records.segments.front().value.iterations = static_cast<std::int64_t>(i + 1);
      sources[i].records.runs = {runs[i]};
      if (n % 2 == 0) commit(sources[i]);  // alone, or all together
    }
    if (n % 2 == 1) must(writer().commit(sources, kNow));
    if (n == 2) must(writer().forget_run(40));
  }
  for (std::int64_t run = 1; run < 40; ++run) {
    const auto segments = must(reader().segments(run, 0, 100));
    ASSERT_THAT(segments, SizeIs(6)) << run;
    for (const Segment& each : segments) EXPECT_EQ(each.iterations, run);
  }
}

TEST_F(HistoryTest, APointWithoutLossOrTimeStaysWithout) {
  auto source = source_with_run("/a.log", 0);
  source.records.points = {{0, {10, std::nullopt, std::nan("")}}, {0, {20, kNow, 0.25}}};
  commit(source);
  const auto points = must(reader().points(1, 0, 10));
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_EQ(points[0].at, std::nullopt);
  EXPECT_TRUE(std::isnan(points[0].loss));
  EXPECT_EQ(points[1].at, kNow);
  EXPECT_EQ(points[1].loss, 0.25);
}

TEST_F(HistoryTest, PagesGoFromTheNewestDown) {
  auto source = source_with_run("/a.log", 0);
  source.records.runs.clear();
  for (std::int64_t i = 0; i < 5; ++i) {
    etad::Run run = lenet(i);
    if (i == 2) run.state = RunState::finished;
    if (i == 3) run.network = "CaffeNet";
    run.started_at = after(static_cast<double>(i));
    source.records.runs.push_back(run);
  }
  commit(source);
  const auto ids = [&](RunFilter filter) {
    std::vector<std::int64_t> result;
    for (const auto& row : must(reader().runs(filter))) result.push_back(row.id);
    return result;
  };
  RunFilter page;
  page.limit = 2;
  EXPECT_THAT(ids(page), ElementsAre(5, 4));
  page.before_id = 4;
  EXPECT_THAT(ids(page), ElementsAre(3, 2));
  RunFilter by_state;
  by_state.state = RunState::finished;
  EXPECT_THAT(ids(by_state), ElementsAre(3));
  RunFilter by_network;
  by_network.network = "CaffeNet";
  EXPECT_THAT(ids(by_network), ElementsAre(4));
  by_network.network = "caffenet";
  EXPECT_THAT(ids(by_network), ElementsAre(4)) << "in any case";
  RunFilter recent;
  recent.since = after(3);
  EXPECT_THAT(ids(recent), ElementsAre(5, 4));
  RunFilter other;
  other.framework = "darknet";
  EXPECT_THAT(ids(other), IsEmpty());
}

TEST_F(HistoryTest, TheLastPointsAreCountedFromTheEnd) {
  auto source = source_with_run("/a.log", 0);
  for (std::int64_t i = 0; i < 2000; ++i) source.records.points.push_back({0, {i, kNow, 0.5}});
  commit(source);
  const auto iterations = [&](std::int64_t from, std::int64_t limit) {
    std::vector<std::int64_t> out;
    for (const ProgressPoint& point : must(reader().points(1, from, limit))) out.push_back(point.iteration);
    return out;
  };
  EXPECT_THAT(iterations(-3, 8), ElementsAre(1997, 1998, 1999));
  EXPECT_THAT(iterations(-3, 2), ElementsAre(1997, 1998));
  EXPECT_THAT(iterations(511, 3), ElementsAre(511, 512, 513)) << "of two chunks";
  EXPECT_THAT(iterations(-5000, 1), ElementsAre(0));
  EXPECT_THAT(iterations(2000, 5), IsEmpty());
  EXPECT_THAT(must(reader().points(99, -3, 8)), IsEmpty());
}

TEST_F(HistoryTest, LayersAreKeptOnceForEachArchitecture) {
  const std::vector<Layer> layers = {{"conv1", "Convolution", "num_output=20", {{20, 24, 24}, {}}},
                                     {"ip1", "InnerProduct", "", {}}};
  auto source = source_with_run("/a.log", 0);
  source.records.layers = {{0, layers}};
  source.records.layer_times = {
      {0, {{"conv1", std::chrono::microseconds(10), std::chrono::microseconds(20)}}}};
  commit(source);
  auto again = source_with_run("/b.log", 0);
  again.records.layers = {{0, {layers[0]}}};
  commit(again);

  const auto read = must(reader().layers("9c1d7a52"));
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_EQ(read[0].parameters, "num_output=20");
  EXPECT_THAT(read[0].shapes, ElementsAre(ElementsAre(20, 24, 24), IsEmpty()));
  EXPECT_THAT(read[1].shapes, IsEmpty());
  const auto times = must(reader().layer_times(1));
  ASSERT_THAT(times, SizeIs(1));
  EXPECT_EQ(times[0].backward, std::chrono::microseconds(20));
}

TEST_F(HistoryTest, AnArchitectureGetsItsCostsWhenALogShowsThem) {
  Layer conv{"conv1", "Convolution", "num_output=20", {{20, 24, 24}}};
  auto before = source_with_run("/a.log", 0);  // as a version without costs wrote it
  before.records.layers = {{0, {conv}}};
  commit(before);
  EXPECT_EQ(must(reader().layers("9c1d7a52"))[0].costs.operations, std::nullopt);

  conv.costs.operations = 288000;
  conv.costs.parameters = 520;
  conv.costs.outputs = 11520;
  auto after = source_with_run("/b.log", 0);
  after.records.layers = {{0, {conv}}};
  commit(after);
  const auto read = must(reader().layers("9c1d7a52"));
  ASSERT_THAT(read, SizeIs(1));
  EXPECT_EQ(read[0].costs.operations, 288000);
  EXPECT_EQ(read[0].costs.parameters, 520);
  EXPECT_EQ(read[0].costs.outputs, 11520);
  EXPECT_EQ(read[0].costs.inputs, std::nullopt);  // unknown, not zero
}

TEST_F(HistoryTest, NetworksTellWhatWasSeenOfThem) {
  commit(source_with_run("/a.log", 3));
  etad::Run other = lenet();
  other.device = "Tesla P100";
  other.train.samples_per_iteration = 128;
  commit(source_with_run("/b.log", 5, other));
  etad::Run unknown;
  commit(source_with_run("/c.log", 1, unknown));

  const auto networks = must(reader().networks());
  ASSERT_THAT(networks, SizeIs(1));
  EXPECT_EQ(networks[0].network, "LeNet");
  EXPECT_EQ(networks[0].runs, 2);
  EXPECT_THAT(networks[0].devices, ElementsAre("Tesla K80", "Tesla P100"));
  EXPECT_THAT(networks[0].batch_sizes, ElementsAre(64, 128));
  EXPECT_EQ(networks[0].min_iterations, 300);
  EXPECT_EQ(networks[0].max_iterations, 500);
  EXPECT_EQ(networks[0].last_seen, kNow);
}

TEST_F(HistoryTest, RunsOfANetworkAreCountedByWhatTheyRanOnAndWith) {
  etad::Run other = lenet();
  other.device = "Tesla P100";
  other.devices = 2;
  other.train.samples_per_iteration = 128;
  commit(source_with_run("/a.log", 3));
  commit(source_with_run("/b.log", 1, other));
  commit(source_with_run("/c.log", 5, other));
  commit(source_with_run("/d.log", 0));  // showed no iteration
  const auto counted = [&](Phase phase, std::int64_t newest) {
    std::vector<std::string> out;
    for (const RunCount& each : must(reader().run_counts("lenet", phase, newest)))
      out.push_back(std::to_string(each.runs) + " of " + std::to_string(each.samples_per_iteration) + " on " +
                    std::to_string(each.devices) + " " + each.device);
    return out;
  };
  EXPECT_THAT(counted(Phase::train, 10), ElementsAre("1 of 64 on 1 Tesla K80", "2 of 128 on 2 Tesla P100"));
  EXPECT_THAT(counted(Phase::train, 1), ElementsAre("1 of 128 on 2 Tesla P100"));
  EXPECT_THAT(counted(Phase::test, 10), IsEmpty());
}

TEST_F(HistoryTest, NetworksComeInPagesByNameAndArchitecture) {
  int log = 0;
  for (const auto& [network, architecture] : std::vector<std::pair<const char*, const char*>>{
           {"b", "2"}, {"", "9"}, {"b", "1"}, {"B", "3"}, {"", ""}, {"a", ""}, {"b", "2"}}) {
    etad::Run run = lenet();
    run.network = network;
    run.architecture = architecture;
    commit(source_with_run("/" + std::to_string(++log), 1, run));
  }
  std::vector<std::string> pages;
  NetworkFilter filter;
  filter.limit = 2;
  for (;;) {
    const auto page = must(reader().networks(filter));
    if (page.empty()) break;
    std::string text;
    for (const NetworkRow& row : page) text += row.network + "/" + row.architecture + " ";
    pages.push_back(text);
    filter.after = NetworkName{page.back().network, page.back().architecture};
  }
  EXPECT_THAT(pages, ElementsAre("/9 B/3 ", "a/ b/1 ", "b/2 "));
  NetworkFilter named;
  named.network = "B";
  EXPECT_THAT(must(reader().networks(named)), SizeIs(3)) << "in any case";
  named.architecture = "2";
  ASSERT_THAT(must(reader().networks(named)), SizeIs(1));
  EXPECT_EQ(must(reader().networks(named))[0].runs, 2);
}

TEST_F(HistoryTest, RecordsOfARunNeverStatedAreRefusedAsAWhole) {
  auto good = source_with_run("/good.log", 3);
  auto bad = source_with_run("/bad.log", 3);
  bad.records.runs.clear();
  std::vector<SourceCommit> commits{good, bad};
  EXPECT_FALSE(writer().commit(commits, kNow));
  EXPECT_EQ(commits[0].source.id, 0);
  EXPECT_THAT(must(reader().runs({})), IsEmpty());
  EXPECT_THAT(must(reader().sources()), IsEmpty());
}

TEST_F(HistoryTest, ABackupIsAHistory) {
  commit(source_with_run("/a.log", 700));
  must(backup_history(path(), dir_.file("backup.db")));
  auto backup = must(Reader::open(dir_.file("backup.db")));
  EXPECT_THAT(must(backup->segments(1, 0, 1000)), SizeIs(700));
  EXPECT_FALSE(backup_history(path(), dir_.file("backup.db"))) << "an existing file is not overwritten";
  EXPECT_FALSE(backup_history(dir_.file("nothing.db"), dir_.file("copy.db")));
  EXPECT_FALSE(std::filesystem::exists(dir_.file("copy.db")));
}

#if defined(__GLIBC__) && !ETAD_SANITIZED
TEST_F(HistoryTest, AtRestTheDatabasesPagesAreGivenBack) {
  std::vector<SourceCommit> commits;
  for (int i = 0; i < 1000; ++i) commits.push_back(source_with_run("/" + std::to_string(i) + ".log", 1));
  for (SourceCommit& each : commits) each.source.state.assign(3000, 'x');
  must(writer().commit(commits, kNow));
  must(writer().maintain(kNow));
  const std::size_t busy = mallinfo2().uordblks;
  must(writer().maintain(after(61)));
  EXPECT_LT(mallinfo2().uordblks + 2'000'000, busy) << "though maintenance writes too";
}
#endif

}  // namespace
}  // namespace etad::test
