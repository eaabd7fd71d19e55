#include "daemon/client/views.h"

#include <gtest/gtest.h>

#include <sstream>

#include "daemon/client/text.h"

namespace etad::client {
namespace {

Object parsed(std::string_view text) {
  return boost::json::parse(text).as_object();
}

// Braces around one value are an array to one compiler and a copy of it to another.
boost::json::array list_of(const Object& only) {
  boost::json::array list;
  list.emplace_back(only);
  return list;
}

const Object kRun = parsed(R"({"id": 7, "network": "LeNet", "state": "running", "framework": "caffe",
  "device": "Tesla K80", "devices": 1, "started_at": "2026-11-20T12:00:00Z", "source": "/var/log/lenet.log",
  "train": {"batch_size": 64, "seconds": 310}, "test": {"batch_size": 100, "seconds": 20},
  "progress": {"iteration": 6200, "of": 10000},
  "remaining": {"seconds": 192, "lower": 182, "upper": 210}, "expected_end": "2026-11-20T12:08:42Z"})");

TEST(EstimateText, SaysHowLongAndWhatItRestsOn) {
  const std::string text = estimate_text(parsed(R"({"network": "LeNet", "framework": "caffe", "host": "gpu1",
    "device": "Tesla K80", "devices": 2, "phase": "train", "batch_size": 64, "iterations": 10000, "seconds": 512.3,
    "lower": 498, "upper": 529.9, "confidence": 0.9, "seconds_per_iteration": 0.0512, "samples_per_second": 1249.3,
    "extrapolates": ["batch_size"], "parts": [],
    "model": {"id": 12, "runs": 7, "segments": 140, "error_percent": 1.4, "changed_at": "2026-11-19T12:00:00Z",
              "fitted_at": "2026-11-20T12:00:00Z"}})"),
                                         {});
  EXPECT_TRUE(text.starts_with("8 min 32 s (8 min 18 s to 8 min 50 s)\n")) << text;
  for (const char* part :
       {"10,000 iterations over 64 samples each", "2 x Tesla K80 of gpu1", "51.2 ms an iteration",
        "1249 samples/s", "90 of 100", "model 12: 7 runs, 140 measurements", "cross-validated error 1.4 %",
        "deployment changed 2026-11-19", "outside what was seen: batch_size"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(EstimateText, SaysOfEachPartWhoAnsweredIt) {
  const std::string text = estimate_text(parsed(R"({"network": "LeNet", "phase": "total", "iterations": 100,
    "seconds": 12, "lower": 10, "upper": 14, "confidence": 0.9999, "seconds_per_iteration": 0.12, "parts": [
    {"phase": "train", "seconds": 10, "lower": 9, "upper": 12,
     "estimator": {"name": "combined", "left_out_error_percent": 12.8, "tested_on": 12},
     "rests_on": {"runs": 18, "networks": 2, "devices": 1},
     "model": {"id": 3, "runs": 8, "segments": 118, "error_percent": 12.8, "fitted_at": "2026-11-20T12:00:00Z"}},
    {"phase": "test", "seconds": 1, "lower": 1, "upper": 1, "estimator": {"name": "end_to_end"},
     "model": {"id": 4, "runs": 7, "segments": 26, "error_percent": 5.2, "fitted_at": "2026-11-20T12:00:00Z"}},
    {"phase": "startup", "seconds": 1, "lower": 1, "upper": 1, "runs": 7}]})"),
                                         {});
  for (const char* part :
       {"18 runs of 2 networks on 1 device model, estimator combined: error 12.8 % in 12 such questions",
        "model 4: 7 runs, 26 measurements, cross-validated error 5.2 %", "as in 7 runs",
        "the interval holds 99.99 of 100 runs"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("model 3"), std::string::npos) << text;
}

TEST(EstimateText, SaysWhatOfItNeverRan) {
  Object estimate =
      parsed(R"({"network": "LeNet", "host": "gpu1", "device": "Tesla K80", "devices": 8, "phase": "train",
    "iterations": 100, "seconds": 10, "lower": 9, "upper": 11, "parts": [], "kind": "devices", "new_here": [],
    "estimator": {"name": "combined"}, "rests_on": {"runs": 6, "networks": 2, "devices": 1}})");
  const auto says = [&](std::string_view words) {
    const std::string text = estimate_text(estimate, {});
    EXPECT_NE(text.find("estimator combined; " + std::string(words) + "\n"), std::string::npos) << text;
  };
  says("it never ran on 8 devices");
  estimate["new_here"] = boost::json::parse(R"(["host", "devices"])");
  says("nothing here ever ran on the host gpu1, nor on 8 devices");
  estimate["new_here"] = boost::json::array();
  estimate["kind"] = "device";
  says("it never ran on this machine");
  estimate["parts"] = boost::json::parse(
      R"([{"phase": "train", "seconds": 8, "lower": 7, "upper": 9, "kind": "devices", "new_here": ["devices"],
           "estimator": {"name": "combined"}, "rests_on": {"runs": 6, "networks": 2, "devices": 1}}])");
  says("nothing here ever ran on 8 devices");
}

TEST(RunText, TellsTheStepTimeAndASilence) {
  Object run = kRun;
  EXPECT_EQ(run_text(run, {}).find("hang"), std::string::npos);
  run["pace"] =
      parsed(R"({"seconds_per_iteration": 0.05, "lower": 0.04, "upper": 0.06, "since_iteration": 1200})");
  run["stalled"] = true;
  const std::string text = run_text(run, {});
  EXPECT_NE(text.find("step time 50.0 ms (40.0 ms to 60.0 ms), since iteration 1,200"), std::string::npos)
      << text;
  EXPECT_NE(text.find("it may hang"), std::string::npos) << text;
  EXPECT_NE(run_line(run).find(", may hang, 3 min 12 s ("), std::string::npos) << run_line(run);
}

TEST(RunText, OfALostRunSaysWhatWasLeftOfItThen) {
  Object run = kRun;
  run["state"] = "lost";
  run["wall_seconds"] = 320;
  run["expected_end"] = nullptr;
  const std::string text = run_text(run, {});
  EXPECT_NE(
      text.find("6,200 of 10,000 iterations, took 5 min 20 s; 3 min 12 s (3 min 2 s to 3 min 30 s) were "
                "left when its log ended\n"),
      std::string::npos)
      << text;
}

TEST(EstimateText, OfOneRunSaysThatNothingTestedIt) {
  const std::string text = estimate_text(parsed(R"({"seconds": 10, "lower": 9, "upper": 11, "parts": [],
    "model": {"id": 3, "runs": 1, "segments": 32, "error_percent": null}})"),
                                         {});
  EXPECT_NE(text.find("1 run, 32 measurements, tested on no other run yet"), std::string::npos) << text;
}

TEST(EstimateText, SaysHowTheMachinesMoodMovedIt) {
  const auto with = [](const char* mood) {
    return estimate_text(
        parsed(std::string(R"({"seconds": 10, "lower": 9, "upper": 11, "parts": [], "mood": )") + mood + "}"),
        {});
  };
  EXPECT_NE(with("1.084").find("took 8.4 % longer than usual: counted in"), std::string::npos)
      << with("1.084");
  EXPECT_NE(with("0.93").find("took 7.0 % less than usual"), std::string::npos) << with("0.93");
  EXPECT_EQ(with("1").find("usual"), std::string::npos);
  EXPECT_EQ(with("1.001").find("usual"), std::string::npos);
}

TEST(EstimateText, ShowsTheParts) {
  const std::string text = estimate_text(parsed(R"({"phase": "total", "seconds": 10, "lower": 9, "upper": 11,
    "parts": [{"phase": "train", "seconds": 8, "lower": 7, "upper": 9, "model": {"id": 1}},
              {"phase": "startup", "seconds": 2, "lower": 1, "upper": 3, "runs": 5}]})"),
                                         {});
  EXPECT_NE(text.find("train     8.00 s (7.00 s to 9.00 s), model 1"), std::string::npos) << text;
  EXPECT_NE(text.find("startup   2.00 s (1.00 s to 3.00 s), as in 5 runs"), std::string::npos) << text;
}

TEST(ProblemText, ShowsDetailHintAndCandidates) {
  const std::string text =
      problem_text(parsed(R"({"title": "Unknown network", "detail": "No model of \"LNet\" yet.",
    "hint": "look again", "candidates": ["LeNet", "CaffeNet"]})"));
  EXPECT_EQ(text, "etactl: No model of \"LNet\" yet.\n  look again\n  there is: LeNet, CaffeNet\n");
  EXPECT_EQ(problem_text(parsed(R"({"detail": "It holds nothing that a rule knows."})"), "/logs/a.log"),
            "etactl: /logs/a.log: It holds nothing that a rule knows.\n");
  const std::string ambiguous = problem_text(parsed(R"({"detail": "2 models fit.", "candidates": [
    {"network": "LeNet", "architecture": "9c1d7a52", "framework": "caffe", "device": "CPU", "devices": 1, "host": ""}]})"));
  EXPECT_EQ(ambiguous, "etactl: 2 models fit.\n  LeNet (9c1d7a52), caffe on CPU\n");
}

TEST(ProblemText, SaysWhatChoosesOneOfSeveral) {
  const std::string text =
      problem_text(parsed(R"({"detail": "2 models fit.", "parameters": ["network", "device", "devices"],
    "candidates": [
      {"network": "VGG", "architecture": "1a", "framework": "caffe", "device": "Tesla K80", "devices": 2, "host": "g1"},
      {"network": "VGG", "architecture": "1a", "framework": "caffe", "device": "", "devices": null, "host": "g1"}]})"));
  EXPECT_EQ(text,
            "etactl: 2 models fit.\n"
            "  VGG (1a), caffe on 2 x Tesla K80 of g1: VGG --device 'Tesla K80' --devices 2\n"
            "  VGG (1a), caffe on unknown devices of g1: VGG --device '' --devices ''\n");
}

TEST(ProblemText, ShowsTheRunsOfANetworkWithoutAModel) {
  const std::string text = problem_text(parsed(R"({"detail": "No model yet.", "known": [
    {"network": "VGG", "architecture": "1a", "frameworks": ["caffe"], "devices": ["K80"], "batch_sizes": [16, 32],
     "runs": 2}]})"));
  EXPECT_EQ(text, "etactl: No model yet.\n  VGG (1a), 2 runs by caffe on K80, batch sizes 16, 32\n");
}

TEST(ProblemText, NamesParametersAsTheOptionsTheyAre) {
  const auto detail = [](std::string_view parameter) {
    const std::string name(parameter);
    return problem_text({{"detail", "Parameter \"" + name + "\" is missing: why"}, {"parameter", name}});
  };
  EXPECT_EQ(detail("test_interval"), "etactl: --test-interval is missing: why\n");
  EXPECT_EQ(detail("setting.type"), "etactl: --set type is missing: why\n");
  EXPECT_EQ(problem_text(parsed(R"({"detail": "What?", "candidates": ["setting.type"]})")),
            "etactl: What?\n  there is: type\n");
  EXPECT_EQ(detail("network"), "etactl: NETWORK is missing: why\n") << "an argument, and no option";
  EXPECT_EQ(
      problem_text(parsed(R"({"detail": "Parameter \"from\" must be before \"to\".", "parameter": "from",
                                    "hint": "say device=MODEL; `etactl label 7 device=NAME`"})")),
      "etactl: --from must be before --to.\n  say --device MODEL; `etactl label 7 device=NAME`\n")
      << "what it says of other parameters too";
  EXPECT_EQ(
      problem_text(parsed(R"({"detail": "Parameter \"at\" is wrong, not \"to\".", "parameter": "at"})")),
      "etactl: --at is wrong, not \"to\".\n");
  EXPECT_EQ(problem_text(parsed(R"({"detail": "How long? \"iterations\" or \"epochs\" is needed.",
                                    "hint": "say it by \"setting.sequence_length\""})")),
            "etactl: How long? --iterations or --epochs is needed.\n  say it by --set sequence_length=N\n");
  EXPECT_EQ(problem_text(parsed(R"({"detail": "It is no object.",
                                    "hint": "send a JSON object such as {\"batch_size\": 64}"})")),
            "etactl: It is no object.\n  send a JSON object such as {\"batch_size\": 64}\n");
}

TEST(ProblemText, SaysOnceWhatMayBeGiven) {
  EXPECT_EQ(problem_text(parsed(R"({"detail": "Parameter \"phase\" must be one of train, test, not \"x\".",
                                    "parameter": "phase", "candidates": ["train", "test"]})")),
            "etactl: --phase must be one of train, test, not \"x\".\n");
}

TEST(ModelText, ShowsWhatItHasLearnedBesideThePace) {
  const std::string text =
      model_text(parsed(R"({"id": 3, "network": "LeNet", "phase": "train", "framework": "caffe",
    "device": "CPU", "devices": 1, "host": "vm", "changed_at": "2026-03-01T10:00:00Z", "runs": 7, "dropped_runs": 4,
    "settings": {"iter_size": "1", "type": "SGD"}, "other_runs": 3,
    "startup": {"seconds": 0.5, "lower": 0.25, "upper": 2, "runs": 6}, "snapshot": null})"),
                 {});
  EXPECT_NE(text.find("  caffe on CPU of vm\n"), std::string::npos) << text;
  EXPECT_NE(text.find("what ran before 2026-03-01"), std::string::npos) << text;
  EXPECT_NE(text.find("of the runs with iter_size=1 type=SGD; 3 runs with others are not in it"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("startup: 500 ms (250 ms to 2.00 s), as in 6 runs"), std::string::npos) << text;
  EXPECT_EQ(text.find("snapshot:"), std::string::npos) << text;
}

TEST(ModelText, ShowsNoErrorOfWhatWasNotPutToTheTest) {
  const std::string text = model_text(parsed(R"({"id": 3, "network": "LeNet", "runs": 1, "rivals": [
    {"basis": "c1*n", "error_percent": null, "standard_error": null, "parameters": 1}]})"),
                                      {});
  EXPECT_NE(text.find("c1*n"), std::string::npos) << text;
  EXPECT_EQ(text.find("0.0 %"), std::string::npos) << text;
}

TEST(Views, TakeAnyObjectWithoutHarm) {
  const Object nonsense =
      parsed(R"({"runs": [1, {}, null, {"progress": 7, "id": "x"}], "models": {}, "networks": [[]],
    "seconds": "many", "sources": [{}], "failing": [3], "series": [{"samples": [1]}], "next": 5, "candidates": [[]]})");
  for (const auto view : {status_text, runs_text, run_text, estimate_text, models_text, model_text,
                          networks_text, accuracy_text, sources_text, series_list_text, series_text}) {
    EXPECT_FALSE(view(nonsense, {}).empty());
    EXPECT_FALSE(view({}, {40, true}).empty());
  }
  EXPECT_FALSE(problem_text(nonsense).empty());
}

TEST(RunsText, FitsATerminalOfEightyColumnsWithItsTimes) {
  Object answer;
  answer["runs"] = list_of(kRun);
  const std::string text = runs_text(answer, {80, false});
  EXPECT_NE(text.find("3 min 12 s (3 min 2 s to 3 min 30 s) left"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 80U) << line;
}

TEST(RunsText, OneLongNameTakesNothingOffTheTimesOfOthers) {
  Object answer, named = kRun, slow = kRun;
  named["network"] = std::string(62, 'x');
  slow["remaining"] = parsed(R"({"seconds": 13.2, "lower": 12, "upper": 1212})");
  slow["stalled"] = true;
  slow["anomaly"] = parsed(R"({"slowdown": 1.31})");
  answer["runs"] = boost::json::array{named, slow};
  const std::string text = runs_text(answer, {80, false});
  EXPECT_NE(text.find("  3 min 12 s (3 min 2 s to 3 "), std::string::npos) << text;
  EXPECT_NE(text.find("  may hang, 1.31 x slower, 13"), std::string::npos) << text;
  EXPECT_NE(runs_text(answer, {60, false}).find("3 min 12 s"), std::string::npos);
}

TEST(RunText, ShowsWhatIsKnownOfARun) {
  Object run = kRun;
  run["usage"] =
      parsed(R"({"chosen_by": "log", "absent": null, "utilization_percent": 93.1, "power_watts": 502.4,
    "energy_joules": 886234, "peak_memory_bytes": 11811160064, "covered": {"utilization": 0.8, "power": 0.8, "memory": null},
    "gpus": [{"gpu": "0", "power_watts": 250, "covered": {}}, {"gpu": "1", "covered": {}}]})");
  run["anomaly"] = parsed(R"({"since_iteration": 2000, "slowdown": 1.98, "lost_seconds": 97.2,
    "traces": {"gpus": [{"gpu": "0", "values": [
      {"series": "gpu.clock_sm", "unit": "Hz", "before": 1.4e9, "since": 7e8},
      {"series": "gpu.throttle_hw_thermal", "unit": "", "before": null, "since": 0.99}]}]}})");
  run["settings"] = parsed(R"({"max_iter": "10000", "derived": "batch_size: command line"})");
  run["labels"] = parsed(R"({"batch_size": "64"})");
  run["predictions"] =
      list_of(parsed(R"({"kind": "remaining", "at_fraction": 0.25, "seconds": 300, "lower": 280,
    "upper": 330, "actual_seconds": null, "error_percent": null})"));
  const std::string text = run_text(run, {80, false});
  for (const char* part :
       {"run 7: LeNet", "6,200 of 10,000 iterations", "502 W, 886 kJ, at most 11.0 GiB of memory",
        "traced for 80.0 % of its time", "250 W", "nothing known", "1.98 x its model since iteration 2,000",
        "gpu.clock_sm: 700 MHz, before 1.40 GHz",
        "gpu.throttle_hw_thermal: 99.0 % of the time, before not known", "derived=batch_size: command line",
        "batch_size=64", "25 %", "4 min 40 s to 5 min 30 s"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("etactl label"), std::string::npos) << "it has a name";
  run["network"] = "";
  EXPECT_NE(run_text(run, {}).find("`etactl label 7 network=NAME`"), std::string::npos);
  run["usage"] =
      parsed(R"({"absent": "its log does not say which of the 2 GPUs it ran on", "hint": "say which"})");
  EXPECT_NE(run_text(run, {}).find("not known: its log does not say which of the 2 GPUs"), std::string::npos);
}

TEST(RunsText, IsATableOfRuns) {
  Object answer;
  answer["runs"] = list_of(kRun);
  answer["next"] = nullptr;
  const std::string text = runs_text(answer, {});
  EXPECT_NE(text.find("3 min 12 s (3 min 2 s to 3 min 30 s) left"), std::string::npos) << text;
  EXPECT_NE(text.find("6,200 of 10,000"), std::string::npos) << text;
  EXPECT_NE(text.find("62 %"), std::string::npos) << text;
}

TEST(RunsText, CutsToTheScreen) {
  Object answer;
  answer["runs"] = list_of(kRun);
  std::istringstream lines(runs_text(answer, {60, false}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 60U);
}

TEST(LiveText, FitsEveryWidth) {
  std::map<std::int64_t, LiveRun> runs = {{7, {kRun, {}}}, {12, {kRun, {50, 93}}}};
  runs[12].run["network"] = "a network with a rather long name";
  for (std::size_t width = 1; width < 200; ++width) {
    std::istringstream lines(live_text(runs, {width, false}));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(width_of(line), width);
    EXPECT_EQ(count, 4);
  }
  const std::string wide = live_text(runs, {120, false});
  EXPECT_NE(wide.find("[####"), std::string::npos) << wide;
  EXPECT_NE(wide.find("3 min 12 s (3 min 2 s to 3 min 30 s) left"), std::string::npos) << wide;
  const std::string narrow = live_text(runs, {60, false});
  EXPECT_NE(narrow.find("3 min 12 s left"), std::string::npos) << narrow;
}

TEST(LiveText, TellsEverythingInEightyColumns) {
  setenv("TZ", "UTC", 1);
  tzset();
  LiveRun live{kRun, {0, 50, 93}};
  live.run["started_at"] = "2026-11-20T11:55:00Z";
  live.run["last_line_at"] = "2026-11-20T12:05:20Z";
  live.run["pace"] = parsed(R"({"seconds_per_iteration": 0.0512})");
  live.run["progress"] = parsed(R"({"iteration": 6200, "of": 10000, "loss": 0.01234})");
  EXPECT_NE(live_text({{7, live}}, {120, false})
                .find("      6,200 of 10,000, 51.2 ms each, 10 min 20 s so far, ends 12:08, loss 0.0123, GPU "
                      "93 % ▁▅█"),
            std::string::npos)
      << live_text({{7, live}}, {120, false});
  live.run["progress"] = parsed(R"({"iteration": 450000, "of": 1000000, "loss": 0.01234})");
  live.run["expected_end"] = "2026-11-22T04:30:00Z";
  const std::string narrow = live_text({{7, live}}, {80, false});
  EXPECT_NE(narrow.find("450 k/1.00 M  51.2 ms  10 min 20 s  ends 04:30  loss 0.0123  GPU 93 %"),
            std::string::npos)
      << narrow;
  live.run["state"] = "finished";
  EXPECT_EQ(live_text({{7, live}}, {80, false}).find("51.2 ms"), std::string::npos) << "only while it runs";
}

TEST(LiveText, TellsTroubleAtEightyColumns) {
  Object run = kRun;
  run["network"] = "a_network_with_a_rather_long_name";
  run["stalled"] = true;
  EXPECT_NE(live_text({{7, {run, {}}}}, {80, false}).find("may hang, 3 min 12 s left"), std::string::npos);
  run["stalled"] = false;
  run["anomaly"] = parsed(R"({"since_iteration": 2000, "slowdown": 1.98})");
  EXPECT_NE(live_text({{7, {run, {}}}}, {80, false}).find("1.98 x slower, 3 min 12 s left"),
            std::string::npos);
  EXPECT_NE(live_text({{7, {run, {}}}}, {80, true}).find("\033[31m"), std::string::npos) << "in red";
  run["state"] = "failed";
  run["message"] = "out of memory";
  EXPECT_NE(live_text({{7, {run, {}}}}, {80, false}).find("failed: out of memory"), std::string::npos);
  run = kRun;
  run["stalled"] = true;
  run.erase("remaining");
  EXPECT_NE(live_text({{7, {run, {}}}}, {44, false}).find("may hang"), std::string::npos);
}

TEST(RunsText, TellsTheTimeOnTheWallAndOneKindOfBatch) {
  Object run = kRun;
  run["state"] = "finished";
  run["train"] =
      parsed(R"({"batch_size": 16, "samples_per_iteration": 64, "iterations": 100, "seconds": 310})");
  EXPECT_NE(runs_text(Object{{"runs", list_of(run)}}, {}).find("5 min 30 s measured"), std::string::npos)
      << "its log shows no clock";
  run["wall_seconds"] = 400;
  const std::string text = runs_text(Object{{"runs", list_of(run)}}, {});
  EXPECT_NE(text.find("took 6 min 40 s"), std::string::npos) << text;
  EXPECT_NE(text.find(" 64 "), std::string::npos) << text;
  EXPECT_EQ(text.find(" 16 "), std::string::npos) << text;
  EXPECT_NE(run_text(run, {}).find("batch 64 (16 on each device at a time)"), std::string::npos);
}

TEST(RunsText, ARunWithoutANetworkHasAShortName) {
  Object run = kRun;
  run["network"] = "";
  EXPECT_NE(runs_text(Object{{"runs", list_of(run)}}, {}).find(" lenet "), std::string::npos);
  run["source"] = "/home/ada/a__very~long~way~of~naming~things__train.log.gz";
  const std::string text = runs_text(Object{{"runs", list_of(run)}}, {});
  EXPECT_NE(text.find("\u2026of~naming~things__train "), std::string::npos) << text;
}

TEST(RunsText, WhereThereAreNoneItSaysOfWhich) {
  const Object none = parsed(R"({"runs": []})");
  EXPECT_EQ(runs_text(none, {}), "No such runs. Only those under way are listed, unless --all is given.\n");
  EXPECT_EQ(all_runs_text(none, {}), "The history has no such run.\n");
}

TEST(AccuracyText, OfANetworkWithoutAnySaysWhereTheOthersAre) {
  const Object none = parsed(R"({"overall": [], "networks": []})");
  EXPECT_EQ(accuracy_text(none, {}),
            "No prediction has been scored yet: that takes a followed run that ends.\n");
  EXPECT_EQ(
      accuracy_of_network_text(none, {}),
      "No prediction of such a network has been scored yet: `etactl accuracy` lists those that were.\n");
}

TEST(SeriesText, SaysWhenThereAreSamples) {
  const std::string text = series_text(parsed(R"({"name": "gpu.power", "from": "2026-11-20T12:00:00Z",
    "to": "2026-11-20T13:00:00Z", "series": [], "known": [{"name": "gpu.power", "labels": "gpu=0",
    "first_at": "2019-05-01T00:00:00Z", "last_at": "2019-05-02T00:00:00Z", "samples": 7}]})"),
                                       {});
  EXPECT_NE(text.find("--from 2019-05-01T00:00:00Z --to 2019-05-02T00:00:00Z"), std::string::npos) << text;
}

TEST(RunLine, IsOnePlainLine) {
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ(run_line(kRun),
            "run 7 LeNet running: 6,200 of 10,000 iterations, 3 min 12 s (3 min 2 s to 3 min 30 s) left, "
            "until 2026-11-20 12:08\n");
  Object failed = kRun;
  failed["state"] = "failed";
  failed["message"] = "out of memory";
  failed.erase("expected_end");
  EXPECT_TRUE(run_line(failed).ends_with("; out of memory\n")) << run_line(failed);
}

TEST(StatusText, NamesWhatFailsAndWhatToDo) {
  const std::string text = status_text(parsed(R"({"status": "degraded", "version": "1.0", "failing": [
    {"part": "sources", "why": "2 files can't be read", "hint": "see etactl sources"}]})"),
                                       {});
  EXPECT_NE(text.find("! sources: 2 files can't be read\n  see etactl sources\n"), std::string::npos) << text;
}

TEST(StatusText, NamesWhatMayBeAMistakeAndTheNextStep) {
  const std::string text = status_text(parsed(R"({"status": "ok", "version": "1.0", "failing": [], "notes": [
    {"part": "patterns", "why": "match no file", "hint": "mend paths", "count": 8,
     "subjects": ["/a/*", "/b/*", "/c/*", "/d/*", "/e/*", "/f/*"]},
    {"part": "files", "why": "fit no format so far", "hint": "a rule file", "count": 1, "subjects": ["/x\u001b.log"]}]})"),
                                       {});
  EXPECT_NE(text.find("? patterns: 8 match no file\n    /a/*\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    /e/*\n    and 3 more\n  mend paths\n"), std::string::npos) << text;
  EXPECT_NE(text.find("? files: 1 fit no format so far\n    /x\\x1b.log\n  a rule file\n"), std::string::npos)
      << text;
}

TEST(ReloadText, NamesWhatWaitsForTheNextStart) {
  EXPECT_EQ(reload_text(parsed(R"({"reloaded": true, "after_restart": []})")), "reloaded\n");
  EXPECT_EQ(reload_text(parsed(R"({"reloaded": true, "after_restart": ["[socket]"]})")),
            "reloaded\n[socket] has changed, which takes effect with the next start\n");
}

}  // namespace
}  // namespace etad::client
