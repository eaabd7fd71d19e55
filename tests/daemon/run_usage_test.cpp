// From the files to the answer: a log and the trace written beside it, through the daemon, to what the run
// consumed.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdio>
#include <sstream>

#include "daemon/service/router.h"
#include "prediction/run_traces.h"
#include "tests/daemon/temp_daemon.h"
#include "tests/daemon/temp_history.h"
#include "tests/places.h"

namespace etad {
namespace {

// So many seconds after noon, or before it.
std::string clock(int second) {
  const int of_day = 12 * 3600 + second;
  char text[32];
  std::snprintf(text, sizeof text, "%02d:%02d:%02d", of_day / 3600, of_day / 60 % 60, of_day % 60);
  return text;
}

// A Caffe training of 60 s on the second of two GPUs, from 12:00:00 on.
std::string caffe_log() {
  const auto line = [](int second, const std::string& text) {
    return "I1121 " + clock(second) + ".000000  4711 " + text + "\n";
  };
  std::string out = "Log file created at: 2026/11/21 12:00:00\nRunning on machine: gpu1\n";
  out += line(0, "caffe.cpp:197] Use GPU with device ID 1");
  out += line(0, "caffe.cpp:201] GPU 1: Quadro P5000");
  out += line(0, "solver.cpp:48] Initializing solver from parameters: ");
  out += "max_iter: 600\ndisplay: 100\ntype: \"SGD\"\n\n";
  out += line(0, "solver.cpp:289] Solving Small");
  for (int i = 0; i <= 6; ++i) {
    out += line(10 * i, "solver.cpp:239] Iteration " + std::to_string(100 * i) +
                            " (10 iter/s, 10s/100 iters), loss = 0.5");
  }
  return out + line(60, "caffe.cpp:325] Optimization Done.");
}

// A sample a second of both, from five minutes before the training to five behind it. The second draws 200 W
// and is 96 % busy while it trains.
std::string smi_csv() {
  std::string out = "timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n";
  for (int second = -300; second < 360; ++second) {
    const std::string at = "2026/11/21 " + clock(second) + ".000, ";
    const bool trains = second >= 0 && second <= 60;
    out += at + "0, 0 %, 100 MiB, 50.00 W\n";
    out += at + (trains ? "1, 96 %, 2048 MiB, 200.00 W\n" : "1, 0 %, 4000 MiB, 20.00 W\n");
  }
  return out;
}

class RunUsage : public TempDaemon {
 protected:
  RunUsage() {
    start();
    reader_ = Reader::open(history()).value();
  }

  service::ImportReport import(const std::string& name, const std::string& content) {
    auto session = daemon_->begin_import({name, "", {}, kToday}).value();
    EXPECT_TRUE(session->feed(content));
    return session->finish().value();
  }

  boost::json::value run(int id) {
    prediction::LiveRuns live(*reader_);
    service::Router router({"1", [] { return kToday; }, [] { return service::ServiceCounters{}; }, "gpu1"},
                           *daemon_, *reader_, live);
    service::Request request;
    request.method = "GET";
    request.target = "/v1/runs/" + std::to_string(id);
    const service::Outcome outcome = router.handle(request);
    return boost::json::parse(std::get<service::Reply>(outcome).body);
  }

  std::unique_ptr<Reader> reader_;
};

TEST_F(RunUsage, ALogAndATraceMeet) {
  EXPECT_EQ(import("/var/log/caffe/small.log", caffe_log()).runs, 1);
  const auto before = run(1);
  EXPECT_EQ(before.at("usage").at("absent"), "no monitoring trace of a GPU covers its time");
  ASSERT_TRUE(daemon_->label(1, {{"batch_size", "64"}}));
  ASSERT_TRUE(daemon_->refit());
  EXPECT_TRUE(daemon_->models()->energy->data().empty());

  EXPECT_EQ(import("/var/log/gpu/smi.csv", smi_csv()).format, "nvidia-smi");
  ASSERT_TRUE(daemon_->refit());
  const auto usage = run(1).at("usage");
  EXPECT_EQ(usage.at("chosen_by"), "log");
  ASSERT_EQ(usage.at("gpus").as_array().size(), 1U);
  EXPECT_EQ(usage.at("gpus").at(0).at("gpu"), "1");
  EXPECT_NEAR(usage.at("energy_joules").to_number<double>(), 60 * 200, 1e-6);
  EXPECT_NEAR(usage.at("power_watts").to_number<double>(), 200, 1e-6);
  EXPECT_NEAR(usage.at("utilization_percent").to_number<double>(), 96, 1e-6);
  EXPECT_EQ(usage.at("peak_memory_bytes").to_number<double>(), 2048.0 * 1024 * 1024);
  EXPECT_NEAR(usage.at("covered").at("power").to_number<double>(), 1, 1e-9);

  const auto models = daemon_->models();
  ASSERT_TRUE(models->energy && models->memory);
  ASSERT_EQ(models->energy->data().size(), 1U) << "joules of an iteration: its 0.1 s at 200 W";
  EXPECT_NEAR(models->energy->data().begin()->second.front().value, 20, 1e-6);
  EXPECT_EQ(models->memory->data().begin()->second.front().value, 2048.0 * 1024 * 1024);

  ASSERT_TRUE(daemon_->label(1, {{"gpus", "0"}}));  // its user knows better
  ASSERT_TRUE(daemon_->refit());
  const auto relabelled = daemon_->models();
  EXPECT_NEAR(relabelled->energy->data().begin()->second.front().value, 5, 1e-6) << "at 50 W";
  EXPECT_EQ(relabelled->memory->data().begin()->second.front().value, 100.0 * 1024 * 1024);
}

TEST_F(RunUsage, ATraceIsNotForgottenForItsSamplesWouldStay) {
  import("/var/log/gpu/smi.csv", smi_csv());
  daemon_.reset();
  {
    std::vector<SourceCommit> followed(1);
    followed[0].source.path = "/var/log/gpu/live.csv";
    followed[0].source.format = "nvidia-smi";
    ASSERT_TRUE(Writer::open(history()).value()->commit(followed, kToday));
  }
  start();
  for (const std::int64_t source : {1, 2}) {
    const auto done = daemon_->forget_source(source);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, ErrorKind::conflict);
  }
}

// Of each trace one of the two that a run's costs are made of.
TEST_F(RunUsage, WhatOneTraceLacksAnotherTellsLater) {
  import("/var/log/caffe/small.log", caffe_log());
  ASSERT_TRUE(daemon_->label(1, {{"batch_size", "64"}}));
  // Time and index, and the column at that place.
  const auto column = [](int place) {
    std::istringstream trace(smi_csv());
    std::string out;
    for (std::string line; std::getline(trace, line);) {
      std::istringstream cells(line + ",");
      for (int i = 0; i < 5; ++i) {
        std::string cell;
        std::getline(cells, cell, ',');
        if (i < 2 || i == place) out += cell + (i == place ? "\n" : ",");
      }
    }
    return out;
  };
  import("/var/log/gpu/memory.csv", column(3));
  ASSERT_TRUE(daemon_->refit());
  EXPECT_EQ(reader_->run(1).value()->run.train.peak_bytes, 2048.0 * 1024 * 1024);
  EXPECT_FALSE(reader_->run(1).value()->run.train.joules);
  import("/var/log/gpu/power.csv", column(4));
  ASSERT_TRUE(daemon_->refit());
  EXPECT_NEAR(reader_->run(1).value()->run.train.joules.value_or(0), 60 * 200, 1e-6);
  EXPECT_EQ(reader_->run(1).value()->run.train.peak_bytes, 2048.0 * 1024 * 1024);
}

class OldTraces : public TempHistory {
 protected:
  std::optional<double> watts_of_a_run(std::chrono::seconds length) {
    RunRow row;
    row.run.state = RunState::finished;
    row.run.host = "gpu1";
    row.run.started_at = kToday + std::chrono::seconds(610);
    row.run.ended_at = *row.run.started_at + length;
    row.labels = {{"gpus", "0"}};
    return prediction::costs_of_run(*reader_, row, {reader_->series().value(), "gpu1"}).value().watts;
  }
};

// The others of its minute, and of its hour, would count as well.
TEST_F(OldTraces, MeasureNoRunByStepsThatAreLongBesideIt) {
  std::vector<SourceCommit> trace(1);
  for (int second = 0; second < 3600; second += 10)
    trace[0].records.add_sample({"gpu.power", "gpu=0", "W"}, kToday + std::chrono::seconds(second), 100);
  const auto maintain = [&](Instant now) {
    ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.maintain(now); }));
  };
  ASSERT_TRUE(writer_->with([&](Writer& writer) { return writer.commit(trace, kToday); }));
  maintain(kToday);
  EXPECT_NEAR(watts_of_a_run(std::chrono::minutes(5)).value_or(0), 100, 1e-6);
  for (const int minute : {0, 1})  // the series are looked through in turns
    maintain(kToday + std::chrono::days(9) + std::chrono::minutes(minute));
  EXPECT_FALSE(watts_of_a_run(std::chrono::minutes(5)))
      << "half of its first and of its last minute are others'";
  EXPECT_NEAR(watts_of_a_run(std::chrono::minutes(20)).value_or(0), 100, 1e-6);
}

}  // namespace
}  // namespace etad
