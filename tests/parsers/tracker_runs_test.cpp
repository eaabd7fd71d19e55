// Where a run begins, whose lines are its own, and how it ends.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/parsers/hand_log.h"

namespace etad::test {
namespace {

constexpr std::uint16_t kDeviceRule = 3;

TEST(Runs, HeaderLinesOfOneStartAreOneRun) {
  HandLog log;
  const Records& records = log.line(0, EventKind::run_start, {{Field::device, "CPU"}}, kDeviceRule)
                               .line(1, EventKind::section, {{Field::section, "solver"}})
                               .line(2, EventKind::run_start, {{Field::network, "net"}}, 4)
                               .iteration(3, "0")
                               .end();
  ASSERT_EQ(records.runs.size(), 1u);
  EXPECT_EQ(records.runs[0].network, "net");
  EXPECT_EQ(records.runs[0].device, "CPU");
  EXPECT_EQ(records.runs[0].host, "testhost");
  EXPECT_EQ(records.runs[0].state, RunState::lost);
}

TEST(Runs, AStartAfterProgressIsAnother) {
  HandLog log;
  const Records& records = log.line(0, EventKind::run_start)
                               .iteration(3, "0")
                               .iteration(5, "10")
                               .line(100, EventKind::run_start)
                               .iteration(103, "0")
                               .line(104, EventKind::run_end, {{Field::outcome, "finished"}})
                               .end();
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs[0].state, RunState::lost);
  EXPECT_EQ(records.runs[0].ended_at, HandLog::instant(5));
  EXPECT_EQ(records.runs[1].state, RunState::finished);
  EXPECT_EQ(records.runs[1].ordinal, 1);
  EXPECT_EQ(records.segments.size(), 1u) << "nothing between the two";
}

TEST(Runs, TheSameStartAgainAfterADescriptionIsAnother) {
  HandLog log;
  const Records& records = log.line(0, EventKind::run_start, {}, kDeviceRule)
                               .line(1, EventKind::section, {{Field::section, "solver"}})
                               .line(9, EventKind::run_start, {}, kDeviceRule)
                               .line(10, EventKind::section, {{Field::section, "solver"}})
                               .iteration(12, "0")
                               .end();
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs[0].state, RunState::lost);
}

TEST(Runs, SeveralProcessesSayingTheSameAreOne) {
  HandLog log;
  for (int i = 0; i < 8; ++i) log.line(0.1 * i, EventKind::run_start, {{Field::network, "n"}}, kDeviceRule);
  EXPECT_EQ(log.iteration(3, "0").end().runs.size(), 1u);
}

TEST(Runs, WithoutAHeaderNothingIsGuessed) {
  HandLog log;
  const Records& records = log.iteration(3, "500").iteration(13, "600").end();
  ASSERT_EQ(records.runs.size(), 1u);
  const etad::Run& run = records.runs[0];
  EXPECT_EQ(run.network, "");
  EXPECT_EQ(run.architecture, "");
  EXPECT_EQ(run.train.batch_size, std::nullopt);
  EXPECT_EQ(run.max_iterations, std::nullopt);
  EXPECT_EQ(run.startup, std::nullopt);
  EXPECT_EQ(run.first_iteration, 500);
  EXPECT_EQ(records.segments.at(0).value.samples_per_iteration, 0);
}

TEST(Runs, WithoutHeadersCountingFromTheBeginningIsAnother) {
  HandLog log;
  const Records& records =
      log.iteration(0, "0").iteration(1, "10").iteration(5, "0").iteration(6, "10").end();
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.segments.size(), 2u);
}

TEST(Runs, ANetLoadedByItselfIsNoRun) {
  HandLog log;
  log.line(0, EventKind::section, {{Field::section, "net"}})
      .body("name: 'lonely'")
      .body("layer { name: 'a' }");
  log.line(1, EventKind::layer, {{Field::layer, "a"}}).line(2, EventKind::error, {{Field::message, "gone"}});
  EXPECT_TRUE(log.end().runs.empty());
  EXPECT_FALSE(log.tracker().running());
}

TEST(Runs, StoppedEarlyStaysStopped) {
  HandLog log;
  const Records& records = log.line(0, EventKind::run_start)
                               .iteration(1, "0")
                               .line(2, EventKind::run_end, {{Field::outcome, "stopped"}})
                               .line(3, EventKind::run_end, {{Field::outcome, "finished"}})
                               .end();
  ASSERT_EQ(records.runs.size(), 1u);
  EXPECT_EQ(records.runs[0].state, RunState::stopped);
  EXPECT_EQ(records.runs[0].iteration, 0);
}

TEST(Runs, WhatGoesOnAfterAnEarlyStopWithoutAHeaderIsTheSameTraining) {
  HandLog log;
  log.line(0, EventKind::run_start,
           {{Field::max_iter, "100"}, {Field::batch_size, "32"}, {Field::solver_type, "SGD"}})
      .iteration(1, "0")
      .iteration(2, "10")
      .line(3, EventKind::run_end, {{Field::outcome, "stopped"}})
      .iteration(60, "10")
      .iteration(61, "20");
  const Records& records = log.end();
  ASSERT_EQ(records.runs.size(), 2u);
  const auto &before = records.runs[0], &after = records.runs[1];
  EXPECT_EQ(before.state, RunState::stopped);
  EXPECT_EQ(after.max_iterations, 100);
  EXPECT_EQ(after.settings, before.settings);
  EXPECT_FALSE(after.settings.empty());
  EXPECT_EQ(after.first_iteration, 10);
  ASSERT_EQ(records.segments.size(), 2u);
  EXPECT_EQ(records.segments[1].value.samples_per_iteration, 32);
}

TEST(Runs, WhatBeginsAnewAfterAnEarlyStopInheritsNothing) {
  HandLog log;
  log.line(0, EventKind::run_start, {{Field::max_iter, "100"}, {Field::batch_size, "32"}})
      .iteration(1, "0")
      .iteration(2, "10")
      .line(3, EventKind::run_end, {{Field::outcome, "stopped"}})
      .iteration(60, "0")
      .iteration(61, "10");
  const Records& records = log.end();
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs[1].max_iterations, std::nullopt);
}

TEST(Runs, FinishedItHasComeToItsEnd) {
  HandLog log;
  const Records& records = log.line(0, EventKind::run_start, {{Field::max_iter, "100"}})
                               .iteration(1, "0")
                               .iteration(2, "90")
                               .line(3, EventKind::run_end, {{Field::outcome, "finished"}})
                               .end();
  EXPECT_EQ(records.runs.at(0).iteration, 100);
  EXPECT_EQ(records.runs[0].max_iterations, 100);
}

TEST(Runs, AFatalErrorFailsItAndTheFirstMessageStays) {
  HandLog log;
  const Records& records = log.line(0, EventKind::run_start)
                               .iteration(1, "0")
                               .line(2, EventKind::error, {{Field::message, "out of memory"}})
                               .line(2, EventKind::error, {{Field::message, "stack trace"}})
                               .line(3, EventKind::run_end, {{Field::outcome, "finished"}})
                               .end();
  EXPECT_EQ(records.runs.at(0).state, RunState::failed);
  EXPECT_EQ(records.runs[0].message, "out of memory");
}

TEST(Runs, AnErrorAfterTheEndChangesNothing) {
  HandLog log;
  const Records& records = log.line(0, EventKind::run_start)
                               .iteration(1, "0")
                               .line(2, EventKind::run_end, {{Field::outcome, "finished"}})
                               .line(3, EventKind::error, {{Field::message, "driver shutting down"}})
                               .end();
  EXPECT_EQ(records.runs.at(0).state, RunState::finished);
}

TEST(Runs, LostUntilItGoesOn) {
  HandLog log;
  log.line(0, EventKind::run_start).iteration(1, "0").iteration(2, "10");
  EXPECT_TRUE(log.tracker().running());
  EXPECT_EQ(log.end().runs.back().state, RunState::lost);
  EXPECT_FALSE(log.tracker().running());
  log.iteration(50, "20");
  EXPECT_TRUE(log.tracker().running());
  log.tracker().flush(log.records());
  EXPECT_EQ(log.records().runs.back().state, RunState::running);
  EXPECT_EQ(log.records().runs.back().ordinal, 0);
  EXPECT_EQ(log.records().runs.back().train.iterations, 20);
}

TEST(Runs, ToldOnlyWhenSomethingChanged) {
  HandLog log;
  log.line(0, EventKind::run_start);
  Records first, second;
  log.tracker().flush(first);
  log.tracker().flush(second);
  EXPECT_EQ(first.runs.size(), 1u);
  EXPECT_TRUE(second.empty());
}

TEST(Runs, AResumeStatesWhereItBegins) {
  HandLog log;
  const Records& records = log.line(0, EventKind::run_start)
                               .line(1, EventKind::resume, {{Field::iteration, "950"}, {Field::file, "s"}})
                               .iteration(4, "1000")
                               .iteration(9, "1100")
                               .end();
  EXPECT_EQ(records.runs.at(0).first_iteration, 950);
  EXPECT_EQ(records.runs[0].train.iterations, 100);
  EXPECT_EQ(records.runs[0].settings.at("resumed_from"), "s");
}

TEST(Runs, ADivergedLossIsNoted) {
  HandLog log;
  EXPECT_FALSE(log.iteration(0, "0", {{Field::loss, "2.3"}}).end().runs.back().loss_is_nan);
  EXPECT_FALSE(log.iteration(1, "1", {{Field::loss, "1.4125W0000"}}).end().runs.back().loss_is_nan)
      << "glog, within";
  EXPECT_TRUE(log.iteration(2, "2", {{Field::loss, "-nan"}}).end().runs.back().loss_is_nan);
}

TEST(Runs, DevicesIterSizeAndBatchMultiply) {
  HandLog log;
  const Records& records =
      log.line(0, EventKind::run_start, {{Field::device_index, "0,1,2,3"}})
          .line(0, EventKind::setting, {{Field::device_index, "0"}, {Field::device, "Tesla K80"}})
          .line(0, EventKind::setting, {{Field::batch_size, "16"}, {Field::iter_size, "2"}})
          .line(0, EventKind::setting, {{Field::test_batch_size, "50"}, {Field::test_iter, "3"}})
          .iteration(1, "0")
          .line(2, EventKind::test_start)
          .line(3, EventKind::test_result)
          .iteration(9, "10")
          .end();
  const etad::Run& run = records.runs.at(0);
  EXPECT_EQ(run.devices, 4);
  EXPECT_EQ(run.device, "Tesla K80");
  EXPECT_EQ(run.train.batch_size, 16);
  EXPECT_EQ(run.train.samples_per_iteration, 128);
  EXPECT_EQ(run.test.samples_per_iteration, 50) << "only one device tests";
}

TEST(Runs, LabelsSayWhatTheLogDoesNot) {
  HandLog log({{"network", "labelled"},
               {"batch_size", "32"},
               {"device", "V100"},
               {"cluster", "b"},
               {"max_iter", "x"}});
  const Records& records = log.line(0, EventKind::run_start, {{Field::network, "logged"}})
                               .iteration(1, "0")
                               .iteration(2, "10")
                               .end();
  const etad::Run& run = records.runs.at(0);
  EXPECT_EQ(run.network, "logged") << "the log wins";
  EXPECT_EQ(run.device, "V100");
  EXPECT_EQ(run.train.batch_size, 32);
  EXPECT_EQ(records.segments.at(0).value.samples_per_iteration, 32);
  EXPECT_EQ(run.settings.at("cluster"), "b");
  EXPECT_EQ(run.max_iterations, std::nullopt);
}

TEST(Runs, ASolverThatBrokeOffIsTakenToSayNothingMoreAndThatIsNoted) {
  HandLog log;
  log.line(0, EventKind::section, {{Field::section, "solver"}}).body("max_iter: 10").body("net_param {");
  log.line(0, EventKind::section, {{Field::section, "train_net"}})
      .line(0, EventKind::section, {{Field::section, "net"}})
      .body("layer { top: 'd' data_param { batch_size: 10 } }");
  const etad::Run run = log.iteration(1, "0").end().runs.at(0);
  EXPECT_EQ(run.train.samples_per_iteration, 10);
  EXPECT_NE(run.settings.at("derived").find("iter_size"), std::string::npos);
  EXPECT_EQ(run.settings.count("type"), 0u) << "SGD is the default of a description that is whole";
}

TEST(Runs, ABatchDividedAmongTheDevices) {
  HandLog log;
  log.line(0, EventKind::run_start, {{Field::device_index, "0,1"}})
      .line(0, EventKind::section, {{Field::section, "solver"}})
      .line(0, EventKind::section, {{Field::section, "net"}})
      .body("layer { name: 'd' top: 'd' data_param { batch_size: 64 } }")
      .line(0, EventKind::layer, {{Field::layer, "d"}})
      .line(0, EventKind::shape, {{Field::dims, "32 3 8 8"}});
  const etad::Run run = log.iteration(1, "0").end().runs.at(0);
  EXPECT_EQ(run.train.batch_size, 32);
  EXPECT_EQ(run.train.samples_per_iteration, 64);
}

TEST(Runs, TheMachineNamedBehindARunIsTheNextOnes) {
  HandLog log;
  const Records& records = log.line({}, EventKind::setting, {{Field::host, "a"}})
                               .line(0, EventKind::run_start)
                               .iteration(1, "0")
                               .line({}, EventKind::setting, {{Field::host, "b"}})
                               .line(5, EventKind::run_start)
                               .iteration(6, "0")
                               .end();
  ASSERT_EQ(records.runs.size(), 2u);
  EXPECT_EQ(records.runs[0].host, "a");
  EXPECT_EQ(records.runs[1].host, "b");
}

TEST(Runs, WhatIsKeptOfALogIsUtf8) {
  HandLog log;
  log.line(0, EventKind::run_start, {{Field::network, "r\xE9seau"}})
      .line(0, EventKind::setting, {{Field::key, "\xFF"}, {Field::value, "caf\xC3\xA9 \xE2\x82"}})
      .line(0, EventKind::section, {{Field::section, "train_net"}})
      .body("layer { name: \"\x80\" type: '\xC0' top: '\xED\xA0\x80' }");
  auto restored = Tracker::restore({"hand", "testhost", "prototext", {}}, log.tracker().save());
  ASSERT_TRUE(restored) << restored.error().text();
  log.tracker() = std::move(*restored);
  const etad::Run run = log.iteration(1, "0").end().runs.at(0);
  EXPECT_EQ(run.network, "r\xC3\xA9seau");
  EXPECT_EQ(run.settings.at("\xC3\xBF"), "caf\xC3\xA9 \xC3\xA2\xC2\x82");
}

TEST(Runs, SettingsAreBounded) {
  HandLog log;
  for (int i = 0; i < 10'000; ++i) {
    const std::string key = "key" + std::to_string(i), value(10'000, 'x');
    log.line(0, EventKind::setting, {{Field::key, key}, {Field::value, value}});
  }
  const etad::Run run = log.iteration(1, "0").end().runs.at(0);
  EXPECT_LE(run.settings.size(), 100u);
  EXPECT_LE(run.settings.begin()->second.size(), 256u);
}

TEST(Runs, AnEndThatSaysHowFarItCame) {
  for (const auto& [done, state, reached] :
       {std::tuple{"98", RunState::finished, 100}, std::tuple{"57", RunState::stopped, 57}}) {
    HandLog log;
    const Records& records =
        log.line(0, EventKind::run_start, {{Field::max_iter, "100"}})
            .iteration(1, "19")
            .iteration(2, "39")
            .line(3, EventKind::run_end, {{Field::outcome, "finished"}, {Field::iterations, done}})
            .iteration(3, "59")
            .end();
    ASSERT_EQ(records.runs.size(), 1u) << "its last line, once more";
    EXPECT_EQ(records.runs[0].state, state);
    EXPECT_EQ(records.runs[0].iteration, reached);
  }
}

TEST(Runs, AnotherRunBehindAnEnd) {
  HandLog log;
  const Records& records = log.iteration(1, "19")
                               .iteration(2, "39")
                               .line(3, EventKind::run_end, {{Field::outcome, "finished"}})
                               .iteration(4, "19")
                               .end();
  EXPECT_EQ(records.runs.size(), 2u);
}

TEST(Runs, ARunTooShortForItsLinesIsMeasuredAsAWhole) {
  for (const auto& [rate, planned, steps] : {std::tuple{"0.856", "8", 8}, std::tuple{"0.856", "", 8},
                                             std::tuple{"0.9", "", 8}, std::tuple{"1", "", 0}}) {
    HandLog log;
    if (*planned != '\0') log.line({}, EventKind::setting, {{Field::max_iter, planned}});
    const Records& records =
        log.iteration({}, "8", {{Field::elapsed, "00:09"}})
            .line({}, EventKind::run_end, {{Field::elapsed, "9.3417"}, {Field::rate, rate}})
            .end();
    const auto train = segments_of(records, Phase::train);
    ASSERT_EQ(train.size(), steps > 0 ? 1u : 0u) << rate;
    if (steps == 0) continue;
    EXPECT_EQ(train[0].iterations, steps);
    EXPECT_NEAR(to_seconds(train[0].duration), 9.3417, 1e-6);
  }
}

TEST(Runs, OneBarIsTheTrainings) {
  HandLog log;
  const auto bar = [&](std::string_view n, std::string_view of, std::string_view elapsed) {
    log.iteration({}, n, {{Field::max_iter, of}, {Field::elapsed, elapsed}});
  };
  bar("31", "31", "0:08");  // an evaluation before it
  bar("100", "1000", "1:40");
  bar("31", "31", "0:08");  // and within
  bar("200", "1000", "3:28");
  const Records& records = log.end();
  ASSERT_EQ(records.runs.size(), 1u);
  EXPECT_EQ(records.runs[0].max_iterations, 1000);
  const auto train = segments_of(records, Phase::train);
  ASSERT_EQ(train.size(), 2u) << "the first state tells of the steps before it";
  for (const Segment& s : train) {
    EXPECT_EQ(s.iterations, 100);
    EXPECT_EQ(to_seconds(s.duration), 100);
  }
}

TEST(Runs, AnEndThatIsSaidOfEveryRun) {
  for (const auto& [last, state] :
       {std::pair{"960", RunState::finished}, std::pair{"500", RunState::stopped}}) {
    HandLog log;
    log.line(0, EventKind::setting, {{Field::max_iter, "1000"}});
    const Records& records = log.iteration(1, "1")
                                 .iteration(9, last)
                                 .line(10, EventKind::run_end, {{Field::outcome, "ended"}})
                                 .end();
    EXPECT_EQ(records.runs.at(0).state, state) << last;
  }
}

TEST(Runs, TheSameStartMuchLaterIsAnother) {
  for (const auto& [later, runs] : {std::pair{30.0, 1u}, std::pair{3000.0, 2u}}) {
    HandLog log;
    EXPECT_EQ(log.line(0, EventKind::run_start).line(later, EventKind::run_start).end().runs.size(), runs);
  }
}

TEST(Runs, WhichOfSeveralNumbersCounts) {
  for (const auto& [since, devices] : {std::pair{"", 2}, std::pair{"start", 3}, std::pair{"most", 4}}) {
    HandLog log;
    for (const char* n : {"3", "4", "2"})
      log.line(0, EventKind::setting, {{Field::devices, n}, {Field::since, since}});
    EXPECT_EQ(log.iteration(1, "10").end().runs.at(0).devices, devices) << since;
  }
}

TEST(Runs, AnUnknownNumberOfDevicesStaysUnknown) {
  const auto run_of = [](const std::vector<std::pair<Field, std::string_view>>& said) {
    HandLog log;
    for (const auto& [name, value] : said) log.line(0, EventKind::setting, {{name, value}});
    return log.iteration(1, "10").iteration(2, "20").end().runs.at(0);
  };
  const etad::Run silent = run_of({{Field::batch_size, "32"}});
  EXPECT_EQ(silent.devices, 0);
  EXPECT_EQ(silent.train.samples_per_iteration, 32) << "all that is known of an iteration";
  const etad::Run whole = run_of({{Field::global_batch_size, "256"}});
  EXPECT_EQ(whole.devices, 0);
  EXPECT_EQ(whole.train.batch_size, std::nullopt) << "a device's share is not known";
  EXPECT_EQ(run_of({{Field::devices, "1"}}).devices, 1);
  EXPECT_EQ(run_of({{Field::device, "CPU"}}).devices, 1);
}

// Samples, the length of a sequence and tokens: two of them tell the third.
TEST(Runs, TokensOfAnIteration) {
  struct Case {
    const char *batch, *length, *tokens;
    std::int64_t samples;
    const char *told_length, *told_tokens;
  };
  for (const auto& [batch, length, tokens, samples, told_length, told_tokens] :
       {Case{"32", "2048", "", 32, "2048", "65536"}, Case{"32", "2048", "524,288", 256, "2048", "524288"},
        Case{"", "1024", "8,192", 8, "1024", "8192"}, Case{"16", "", "16,384", 16, "1024", "16384"},
        Case{"", "", "491,520", 491520, "1", "491520"}, Case{"16", "", "", 16, "", ""}}) {
    HandLog log;
    if (*batch) log.line(0, EventKind::setting, {{Field::batch_size, batch}});
    if (*length) log.line(0, EventKind::setting, {{Field::sequence_length, length}});
    if (*tokens)
      log.line(0, EventKind::setting, {{Field::key, "tokens_per_iteration"}, {Field::value, tokens}});
    const etad::Run run = log.iteration(1, "10").iteration(2, "20").end().runs.at(0);
    const auto setting = [&run](const char* name) {
      const auto found = run.settings.find(name);
      return found == run.settings.end() ? std::string() : found->second;
    };
    EXPECT_EQ(run.train.samples_per_iteration, samples) << tokens;
    EXPECT_EQ(setting("sequence_length"), told_length) << tokens;
    EXPECT_EQ(setting("tokens_per_iteration"), told_tokens) << tokens;
  }
}

TEST(Runs, TheBatchThatProgressItselfShows) {
  HandLog log;
  const auto shown = [&](double at, std::string_view n, std::string_view samples) {
    log.iteration(at, n, {{Field::key, "samples"}, {Field::value, samples}});
  };
  shown(1, "10", "640");
  shown(2, "20", "1280");
  const Records& records = log.end();
  EXPECT_EQ(records.runs.at(0).train.samples_per_iteration, 64);
}

TEST(Runs, TheNetThatARecurrentLayerMakesIsNoTestNet) {
  const auto data = [](HandLog& log, std::string_view layer, std::string_view dims) {
    log.line(0, EventKind::layer, {{Field::layer, layer}});
    log.line(0, EventKind::shape, {{Field::dims, dims}});
  };
  HandLog log;
  log.line(0, EventKind::section, {{Field::section, "solver"}});
  log.line(0, EventKind::section, {{Field::section, "train_net"}});
  log.line(0, EventKind::section, {{Field::section, "net"}});
  data(log, "data", "64 3 32 32");
  log.line(0, EventKind::section,
           {{Field::section, "net"}});  // unrolled in time: its first dimension is no batch
  data(log, "x", "80 64 3");
  log.line(0, EventKind::section, {{Field::section, "test_net"}, {Field::net, "0"}});
  log.line(0, EventKind::section, {{Field::section, "net"}});
  data(log, "data", "16 3 32 32");
  log.line(0, EventKind::section, {{Field::section, "net"}});
  data(log, "x", "80 16 3");
  const etad::Run run = log.iteration(1, "0").iteration(2, "10").end().runs.at(0);
  EXPECT_EQ(run.train.batch_size, 64);
  EXPECT_EQ(run.test.batch_size, 16);
}

}  // namespace
}  // namespace etad::test
