#include "parsers/log/log_parser.h"

#include <gtest/gtest.h>

#include "parsers/rules/shape_memory.h"
#include "tests/parsers/log_reader.h"
#include "tests/places.h"

namespace etad {
namespace {

std::vector<std::string> lenet_log() {
  return test::lines_of(test::file_text(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log"));
}

LogOptions options() {
  LogOptions out;
  out.formats = &test::shipped_formats();
  out.host = "gpu1";
  return out;
}

// An instant after the example logs were written.
const Instant kModified =
    Instant(std::chrono::sys_days(std::chrono::year(2026) / 11 / 22).time_since_epoch());

struct Outcome {
  std::vector<Run> runs;
  std::vector<Records::Of<Segment>> segments;

  void add(Records& records) {
    for (const Run& run : records.runs) {
      runs.resize(std::max(runs.size(), static_cast<std::size_t>(run.ordinal) + 1));
      runs[static_cast<std::size_t>(run.ordinal)] = run;
    }
    segments.insert(segments.end(), records.segments.begin(), records.segments.end());
    records.clear();
  }
};

TEST(LogParser, RecognisesByContentAndReadsAWholeTraining) {
  LogParser parser(options());
  Records records;
  for (const std::string& line : lenet_log()) parser.feed(line, std::nullopt, kModified, records);
  parser.flush(records);
  EXPECT_EQ(parser.format(), "caffe");
  ASSERT_EQ(records.runs.size(), 1U);
  const etad::Run& run = records.runs[0];
  EXPECT_EQ(run.network, "LeNet");
  EXPECT_EQ(run.host, "gpu1");
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.train.batch_size, 64);
  EXPECT_EQ(run.test.batch_size, 100);
  EXPECT_EQ(run.train.iterations, 500);
  EXPECT_EQ(run.train.segments, 10);
  EXPECT_EQ(run.test.segments, 6);
  EXPECT_GT(parser.matched(), 50);
  EXPECT_GT(parser.unmatched(), 0);
}

// Followed: each line is told of as it comes, a second behind the one before.
struct FollowedLog {
  LogParser parser{options()};
  Records records;
  int second = 0;

  void say(const std::string& line) {
    parser.feed(line, kModified + std::chrono::seconds(second++), kModified, records);
    parser.flush(records);
  }
  std::map<std::int64_t, Run> end() {
    test::read_to_end(parser, records);
    return test::runs_of(records);
  }
};

// Keras says how long an epoch took at its end. Before it the states of its bar, on lines of their own, would do as steps
// of no known framework.
TEST(LogParser, WaitsForTheEndOfAKnownFormatsFirstEpoch) {
  FollowedLog log;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    log.say(test::written("Epoch %d/3", epoch));
    for (int i = 1; i < 250; ++i) {
      log.say(test::written("%d/250 [%s] - ETA: %ds - loss: 0.5125", i, i < 125 ? "==>......" : "=====>...",
                            2 * (250 - i)));
      ++log.second;
    }
    log.second += 20;  // validating
    log.say("250/250 [=========] - 520s 2s/step - loss: 0.5125 - val_loss: 0.6125");
  }
  const auto runs = log.end();
  EXPECT_EQ(log.parser.format(), "keras");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 750);
  EXPECT_EQ(runs.at(0).train.segments, 3);
  EXPECT_EQ(runs.at(0).train.duration, std::chrono::seconds(1560));
}

// Nor is it evidence for a generic format when lines come that another claims, which measures epochs.
TEST(LogParser, ReadsNoKnownFormatsLinesByWhenTheyCome) {
  FollowedLog log;
  log.say("               batch_size: 1");
  log.say("The number of training images = 300");
  for (int epoch = 1; epoch <= 3; ++epoch) {
    for (int i = 10; i <= 300; i += 10)
      log.say(
          test::written("(epoch: %d, iters: %d, time: 0.100, data: 0.002) D_A: 0.125 G_A: 0.250", epoch, i));
    log.say(test::written("End of epoch %d / 3 \t Time Taken: 31 sec", epoch));
  }
  const auto runs = log.end();
  EXPECT_EQ(log.parser.format(), "cyclegan");
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).train.duration, std::chrono::seconds(93));
}

// Twenty states of a bar in one line, as a container's runtime keeps it: all have come when that did.
TEST(LogParser, ABarThatCameAsOneLineIsTimedByWhatItSays) {
  FollowedLog log;
  log.say("***** Running training *****");
  for (int step = 1; step <= 400; ++step) {
    log.second = 2 + 30 * ((step + 19) / 20);
    log.say(test::written("%3d%%|####      | %d/400 [%02d:%02d<10:00,  1.50s/it]", step / 4, step,
                          step * 3 / 2 / 60, step * 3 / 2 % 60));
    if (step % 20 == 0) log.say("{'loss': 1.25, 'learning_rate': 2.5e-05, 'epoch': 0.5}");
  }
  log.say("{'train_runtime': 600.5, 'train_steps_per_second': 0.666, 'epoch': 2.0}");
  const auto runs = log.end();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).iteration, 400);
  EXPECT_NEAR(test::step_time(runs.at(0)), 1.5, 0.02);
}

// The wall time of a training that bears stamps at its head alone, and is seen so long after it was written.
std::optional<Duration> wall_time_seen(std::chrono::milliseconds later, bool head_first = true) {
  const Instant written = Instant(std::chrono::sys_days(std::chrono::year(2026) / 3 / 4).time_since_epoch()) +
                          std::chrono::hours(5);
  LogParser parser(options());
  Records records;
  const auto see = [&](const std::string& line, int second) {
    parser.feed(line, written + std::chrono::seconds(second) + later, kModified, records);
  };
  see(head_first ? "[INFO|trainer.py:2313] 2026-03-04 05:00:00,000 >> ***** Running training *****"
                 : "***** Running training *****",
      0);
  see("[INFO|trainer.py:2314] 2026-03-04 05:00:00,000 >>   Total optimization steps = 40", 0);
  see("{'train_runtime': 100.0, 'train_steps_per_second': 0.4, 'epoch': 1.0}", 101);
  parser.flush(records);
  const Run& run = records.runs.back();
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.train.iterations, 40);
  if (!run.started_at || !run.ended_at) return {};
  return std::chrono::duration_cast<Duration>(*run.ended_at - *run.started_at);
}

TEST(LogParser, WhatComesLongAfterItWasWrittenIsNotDatedByItsComing) {
  using std::chrono::minutes;
  using std::chrono::seconds;
  EXPECT_EQ(wall_time_seen(seconds(2)), seconds(103)) << "it is followed";
  EXPECT_EQ(wall_time_seen(minutes(32)), seconds(0)) << "it was copied here";
  EXPECT_EQ(wall_time_seen(minutes(32), false), seconds(0)) << "the first stamp came late";
  for (const int zone : {-480, 60, 330})
    EXPECT_EQ(wall_time_seen(minutes(zone) + seconds(1)), seconds(102)) << "its zone is another";
}

// What was there before it was followed has the zone of the daemon, and so has a training amid which following began.
TEST(LogParser, AZoneIsThatOfTheTrainingsThatWereSeenFromTheirBeginning) {
  using std::chrono::seconds;
  for (const bool amid : {false, true}) {
    const Instant midnight(std::chrono::sys_days(std::chrono::year(2026) / 3 / 4).time_since_epoch());
    LogParser parser(options());
    Outcome outcome;
    const auto feed = [&](int at, const std::string& text, bool live) {
      Records records;
      const Instant seen = midnight + seconds(at + 3600);
      parser.feed(
          test::written("[INFO|trainer.py:2313] 2026-03-04 00:%02d:%02d,000 >> ", at / 60, at % 60) + text,
          live ? std::optional(seen) : std::nullopt, kModified, records);
      parser.flush(records);
      outcome.add(records);
    };
    const std::string begin = "***** Running training *****";
    const std::string end = "{'train_runtime': 100.0, 'train_steps_per_second': 0.4, 'epoch': 1.0}";
    feed(0, begin, false);
    feed(100, end, amid);
    feed(200, begin, true);
    feed(300, end, true);
    ASSERT_EQ(outcome.runs.size(), 2U);
    EXPECT_EQ(outcome.runs[0].ended_at, midnight + seconds(100));
    EXPECT_EQ(outcome.runs[1].started_at, midnight + seconds(200 + 3600));
    EXPECT_EQ(outcome.runs[1].ended_at, midnight + seconds(300 + 3600));
  }
}

// A container's UTC stays what it is when the clocks of the machine's zone are put forward.
TEST(LogParser, AnotherZoneThanTheMachinesDoesNotChangeWithIt) {
  using std::chrono::hours;
  using std::chrono::seconds;
  const Instant change(std::chrono::sys_days(std::chrono::year(2026) / 3 / 29).time_since_epoch() + hours(1));
  LogOptions with = options();
  with.zone = [](std::int64_t local) { return local < 1'774'749'600 ? 3600 : 7200; };
  for (const bool restarts : {false, true}) {
    LogParser parser(with);
    Outcome outcome;
    for (int i = -3; i <= 3; ++i) {
      Records records;
      const Instant at = change + hours(i);
      const auto feed = [&](const std::string& text) { parser.feed(text, at, at, records); };
      feed(test::written("[INFO|trainer.py:2313] 2026-03-%d %02d:00:00,000 >> ***** Running training *****",
                         i < -1 ? 28 : 29, (25 + i) % 24));
      feed("{'train_runtime': 100.0, 'train_steps_per_second': 0.4, 'epoch': 1.0}");
      parser.flush(records);
      outcome.add(records);
      EXPECT_EQ(outcome.runs.back().started_at, at) << i;
      if (restarts) parser = LogParser::restore(with, parser.save()).value();
    }
  }
}

// The distance of these years from today is more than nanoseconds can count; the sanitizers look on.
TEST(LogParser, AStampOfAnyYearIsNoZone) {
  for (const char* year : {"0001", "1700", "9999"}) {
    LogParser parser(options());
    Records records;
    parser.feed(
        std::string("[INFO|trainer.py:2313] ") + year + "-12-31 23:59:59,000 >> ***** Running training *****",
        kModified, kModified, records);
    parser.feed("{'train_runtime': 100.0, 'train_steps_per_second': 0.4, 'epoch': 1.0}", kModified, kModified,
                records);
    parser.flush(records);
    EXPECT_EQ(records.runs.back().state, RunState::finished) << year;
  }
}

TEST(LogParser, LinesBeforeTheFirstTellingOneAreNotLost) {
  LogParser parser(options());
  Records records;
  parser.feed("nohup: ignoring input", std::nullopt, kModified, records);
  EXPECT_EQ(parser.format(), "");
  for (const std::string& line : lenet_log()) parser.feed(line, std::nullopt, kModified, records);
  EXPECT_EQ(parser.matched() + parser.unmatched(), static_cast<std::int64_t>(lenet_log().size()) + 1);
}

TEST(LogParser, ASavedStateGoesOnAsIfNothingHadHappened) {
  const auto lines = lenet_log();
  Outcome whole;
  LogParser quiet(options());
  Records records;
  for (const std::string& line : lines) quiet.feed(line, std::nullopt, kModified, records);
  quiet.flush(records);
  whole.add(records);

  Outcome pieces;
  LogParser parser(options());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    parser.feed(lines[i], std::nullopt, kModified, records);
    if (i % 7 != 0) continue;
    parser.flush(records);
    pieces.add(records);
    auto restored = LogParser::restore(options(), parser.save());
    ASSERT_TRUE(restored) << restored.error().text();
    parser = std::move(*restored);
  }
  parser.flush(records);
  pieces.add(records);
  ASSERT_EQ(pieces.runs.size(), whole.runs.size());
  EXPECT_EQ(pieces.runs[0].train.duration, whole.runs[0].train.duration);
  EXPECT_EQ(pieces.runs[0].architecture, whole.runs[0].architecture);
  ASSERT_EQ(pieces.segments.size(), whole.segments.size());
  for (std::size_t i = 0; i < whole.segments.size(); ++i) {
    EXPECT_EQ(pieces.segments[i].value.duration, whole.segments[i].value.duration);
    EXPECT_EQ(pieces.segments[i].value.first_iteration, whole.segments[i].value.first_iteration);
  }
}

TEST(LogParser, HeldLinesSurviveARestartByteForByte) {
  LogParser parser(options());
  Records records;
  parser.feed("caf\xe9 \xff\x01", std::nullopt, kModified, records);  // no UTF-8
  const auto restored = LogParser::restore(options(), parser.save());
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->save(), parser.save());
}

TEST(LogParser, AStateThatMakesNoSenseIsRefused) {
  for (const char* state : {"{", "[]", "7", "{\"version\":99}",
                            "{\"version\":2,\"own\":{\"tracker\":\"?\",\"format\":\"caffe\"}}",
                            "{\"version\":2,\"own\":{\"tracker\":\"\",\"format\":\"no such\"}}",
                            "{\"version\":2,\"traced\":\"many\"}",
                            "{\"version\":2,\"format\":\"nvidia-smi\",\"trace\":{\"header\":[1]}}"}) {
    EXPECT_FALSE(LogParser::restore(options(), state)) << state;
  }
}

TEST(LogParser, WhatShowsNoFormatIsCountedAndBounded) {
  LogParser parser(options());
  Records records;
  const std::string line(1000, 'x');
  for (int i = 0; i < 1000; ++i) parser.feed(line, std::nullopt, kModified, records);
  EXPECT_TRUE(records.empty());
  EXPECT_LT(parser.save().size(), 100'000U);
  EXPECT_GE(parser.unmatched(), 900);
}

// Nor does a training stay unseen behind megabytes of what a tokenizer or a download's bar says again and again.
TEST(LogParser, LinesAlikeHideNoTrainingBehindThem) {
  ShapeMemory shapes;
  LogOptions with = options();
  with.shapes = &shapes;
  LogParser parser(with);
  Records records;
  const std::string rest(400, 'x');
  for (int i = 0; i < 15'000; ++i)
    parser.feed(test::written("a sequence of %05d tokens is longer than 512 ", i) + rest, std::nullopt,
                kModified, records);
  for (const std::string& line : lenet_log()) parser.feed(line, std::nullopt, kModified, records);
  EXPECT_EQ(parser.format(), "caffe");
}

// A format that reads along has found layers and rejected what could not be true before it takes the log over.
TEST(LogParser, WhatARivalHasFoundSurvivesARestart) {
  auto lines = lenet_log();
  lines.insert(lines.begin(), "***** Running training *****");
  std::size_t layers = 0;
  for (const bool restarts : {false, true}) {
    LogParser parser(options());
    Records records;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      parser.feed(lines[i], std::nullopt, kModified, records);
      if (restarts && i % 5 == 0) parser = LogParser::restore(options(), parser.save()).value();
    }
    EXPECT_EQ(parser.format(), "caffe");
    if (!restarts) layers = records.layers.size();
    EXPECT_GT(records.layers.size(), 0U);
    EXPECT_EQ(records.layers.size(), layers);
  }
}

TEST(LogParser, WhatARivalKnewAndRejectedIsCounted) {
  LogParser parser(options());
  Records records;
  for (int i = 0; i < 50; ++i)
    parser.feed(test::written("reading file %d of the data", i), std::nullopt, kModified, records);
  for (int i = 1; i <= 20; ++i) {
    const int minute = i == 10 ? 1 : i;
    parser.feed(test::written("2026-03-01 10:%02d:12,750 - INFO - step %d loss 0.8125", minute, 40 * i),
                std::nullopt, kModified, records);
  }
  parser.settle(records);
  EXPECT_EQ(parser.format(), "generic");
  EXPECT_EQ(parser.matched(), 20);
  EXPECT_EQ(parser.unmatched(), 50);
  EXPECT_GE(records.rejected, 1);
}

// Its state is saved at each commit.
TEST(LogParser, ABarOfNoTrainingKeepsLittle) {
  LogParser parser(options());
  Records records;
  for (int i = 1; i <= 5000; ++i)
    parser.feed(test::written(" %2d%%|#     | %d/10000 [%02d:%02d<50:00,  2.00it/s]", i / 100, i, i / 120,
                              i / 2 % 60),
                std::nullopt, kModified, records);
  EXPECT_TRUE(records.empty());
  EXPECT_LT(parser.save().size(), 400'000U);
}

// Keras' heading of an epoch, and behind it steps of no framework, of which no two lines are alike.
TEST(LogParser, MeasurementsBehindAnEpochThatDoesNotEndAreBoundedAndNotLost) {
  constexpr int kSteps = 25'000;
  LogParser parser(options());
  Records records;
  const auto say = [&](const std::string& line) { parser.feed(line, std::nullopt, kModified, records); };
  for (const char* const head : {"Using TensorFlow backend.", "Train on 5000 samples", "Epoch 1/10"})
    say(head);
  std::string rest(200, 'x');
  std::size_t most = 0;
  for (int i = 1; i <= kSteps; ++i) {
    for (int digit = 0, left = i; digit < 4; ++digit, left /= 26)
      rest[static_cast<std::size_t>(digit)] = static_cast<char>('a' + left % 26);
    say(test::written("step %d loss 0.5123 time 0.52 s/it ", i) + rest);
    if (i % 2500 == 0) parser.flush(records);
    if (i % 5000 == 0) most = std::max(most, parser.save().size());
  }
  parser.flush(records);
  EXPECT_LT(most, 2'000'000U);
  const auto runs = test::runs_of(records);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_GE(runs.at(0).train.iterations, kSteps - 1);
  std::int64_t iterations = 0;
  for (const auto& segment : records.segments) iterations += segment.value.iterations;
  EXPECT_EQ(iterations, runs.at(0).train.iterations);
}

TEST(LogParser, CloseLeavesAnUnfinishedRunLostAndMoreLinesReviveIt) {
  const auto lines = lenet_log();
  LogParser parser(options());
  Records records;
  std::size_t half = lines.size() - 20;
  for (std::size_t i = 0; i < half; ++i) parser.feed(lines[i], std::nullopt, kModified, records);
  EXPECT_TRUE(parser.running());
  parser.close(records);
  parser.flush(records);
  ASSERT_FALSE(records.runs.empty());
  EXPECT_EQ(records.runs.back().state, RunState::lost);
  records.clear();
  for (std::size_t i = half; i < lines.size(); ++i) parser.feed(lines[i], std::nullopt, kModified, records);
  parser.flush(records);
  ASSERT_EQ(records.runs.size(), 1U);
  EXPECT_EQ(records.runs[0].ordinal, 0);
  EXPECT_EQ(records.runs[0].state, RunState::finished);
}

// Ultralytics' results.csv, and what the args.yaml of its folder says.
Run run_beside(const std::string& text) {
  LogOptions with = options();
  with.beside = [&text](const std::string& name) { return name == "args.yaml" ? text : std::string(); };
  LogParser parser(with);
  Records records;
  for (const char* line :
       {"epoch,time,train/box_loss,train/cls_loss", "1,40.5,1.9,2.5", "2,71.5,1.8,2.4", "3,102.5,1.7,2.3"})
    parser.feed(line, std::nullopt, kModified, records);
  parser.flush(records);
  EXPECT_EQ(records.runs.size(), 1U);
  EXPECT_EQ(records.segments.size(), 3U);
  return records.runs.at(0);
}

TEST(LogParser, AFileBesideTheLogSaysHowItsRunWasStarted) {
  const etad::Run run = run_beside(
      "task: detect\r\nmodel: /data/yolo11m.pt\nepochs: 60\nbatch: 24\nimgsz: 640\ndevice:\n- 0\n- "
      "1\nclasses:\n- 7\n");
  EXPECT_EQ(run.network, "yolo11m");
  EXPECT_EQ(run.devices, 2);
  EXPECT_EQ(run.max_iterations, 60);
  EXPECT_EQ(run.train.batch_size, 12) << "of one device";
  EXPECT_EQ(run.train.samples_per_iteration, std::nullopt) << "an iteration is an epoch here";
  EXPECT_EQ(run.settings.at("imgsz"), "640");
}

// A training that was started again appends its rows.
TEST(LogParser, ARowOfAnEarlierEpochBeginsARunThatTheFileBesideTheLogTellsOf) {
  LogOptions with = options();
  with.beside = [](const std::string&) { return std::string("epochs: 3\n"); };
  LogParser parser(with);
  Records records;
  for (const char* line : {"epoch,time,train/box_loss,train/cls_loss", "1,40.5,1.9,2.5", "2,71.5,1.8,2.4",
                           "1,50.5,1.9,2.5", "2,91.5,1.8,2.4", "3,132.5,1.7,2.3"})
    parser.feed(line, std::nullopt, kModified, records);
  parser.flush(records);
  ASSERT_EQ(records.runs.size(), 2U);
  EXPECT_EQ(records.runs[1].max_iterations, 3);
}

TEST(LogParser, AFileBesideTheLogMeasuresNothing) {
  const etad::Run run =
      run_beside("epoch,time,train/box_loss\n1,1.0,1.0\n2,2.0,1.0\nbatch: -1\ndevice: null\n");
  EXPECT_EQ(run.ordinal, 0);
  EXPECT_EQ(run.iteration, 3);
  EXPECT_EQ(run.devices, 1);
  EXPECT_EQ(run.train.batch_size, std::nullopt);
  EXPECT_EQ(run_beside("").devices, 0) << "nobody said";
}

TEST(LogParser, ALogOfBeginningsHasTheFileBesideItReadSeldom) {
  int asked = 0;
  LogOptions with = options();
  with.beside = [&asked](const std::string&) {
    ++asked;
    return std::string("batch: 24\n");
  };
  LogParser parser(with);
  Records records;
  for (int i = 0; i < 1000; ++i) {
    parser.feed("epoch,time,train/box_loss,train/cls_loss", std::nullopt, kModified, records);
    parser.feed("1,40.5,1.9,2.5", std::nullopt, kModified, records);
    parser.feed("2,71.5,1.8,2.4", std::nullopt, kModified, records);
  }
  EXPECT_GT(asked, 4);
  EXPECT_LT(asked, 40);
}

// A monitor writes its header once: an upgraded daemon has it from the state of before.
TEST(LogParser, ATraceIsGoneOnWithFromAStateOfVersion1) {
  auto parser =
      LogParser::restore(options(), R"({"format":"nvidia-smi","last":null,"version":1,"trace":{"header":)"
                                    R"(["timestamp, index, power.draw [W]"],"labels":[18000000000000000001],)"
                                    R"("at":1715000000000000},"traced":7,"looked_at":0})");
  ASSERT_TRUE(parser) << parser.error().text();
  Records records;
  parser->feed("2024/05/06 07:08:09.250, 0, 61.50 W", std::nullopt, kModified, records);
  parser->flush(records);
  ASSERT_EQ(records.samples(), 1U);
  EXPECT_EQ(records.sampled[0].samples[0].value, 61.5);
  EXPECT_FALSE(LogParser::restore(options(), R"({"format":"nvidia-smi","version":1,"trace":{"header":7}})"));
}

}  // namespace
}  // namespace etad
