#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "daemon/client/cli.h"
#include "daemon/usage/usage.h"

namespace etad::client {
namespace {

// What etactl writes to stderr of these arguments; they must be wrong usage.
std::string mistake(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "etactl");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(static_cast<int>(arguments.size()), arguments.data(), "0"), 2);
  return testing::internal::GetCapturedStderr();
}

TEST(Usage, OfAMistypedCommandNamesTheNearest) {
  EXPECT_EQ(mistake({"estimat", "LeNet", "--phase", "train"}),
            "etactl: there is no command estimat; did you mean estimate?\n"
            "  `etactl --help` says what there is\n");
  EXPECT_EQ(mistake({"frobnicate"}),
            "etactl: there is no command frobnicate\n  `etactl --help` says what there is\n");
  EXPECT_EQ(mistake({}), "etactl: a command is missing\n  `etactl --help` says what there is\n");
}

TEST(Usage, OfAMistypedOptionNamesTheNearestAndNotItsValue) {
  EXPECT_EQ(mistake({"estimate", "LeNet", "--batchsize", "8"}),
            "etactl: estimate has no option --batchsize; did you mean --batch-size?\n"
            "  `etactl estimate --help` says what there is\n");
  EXPECT_EQ(mistake({"status", "--jsn"}),
            "etactl: status has no option --jsn; did you mean --json?\n"
            "  `etactl status --help` says what there is\n");
  EXPECT_EQ(mistake({"--verbos=3", "status"}),
            "etactl: status has no option --verbos\n  `etactl status --help` says what there is\n");
  EXPECT_EQ(mistake({"--versoin"}),
            "etactl: there is no option --versoin; did you mean --version?\n"
            "  `etactl --help` says what there is\n");
}

TEST(Usage, OfAWordTooManyNamesIt) {
  EXPECT_EQ(mistake({"status", "now"}),
            "etactl: status takes no argument now here\n"
            "  `etactl status --help` says what there is\n");
}

TEST(Usage, WhatWouldBeIgnoredIsAMistake) {
  EXPECT_EQ(mistake({"runs", "1", "--watch"}),
            "etactl: runs: of one run by its ID takes no option\n"
            "  `etactl runs --help` says what there is\n");
  EXPECT_EQ(mistake({"label", "1", "batch_size=64", "batch_size=32"}),
            "etactl: batch_size is given twice, with different values\n");
}

TEST(Usage, OfAWrongValueNamesItsOption) {
  EXPECT_EQ(mistake({"page", "--port", "99999"}),
            "etactl: --port: 99999 is no port: 0 to 65535\n"
            "  `etactl page --help` says what there is\n");
  EXPECT_EQ(
      mistake({"what-if", "LeNet", "--vary", "batchsize"}),
      "etactl: --vary: batchsize is none of batch-size, devices, device, split; did you mean batch-size?\n"
      "  `etactl what-if --help` says what there is\n");
  EXPECT_EQ(mistake({"next", "LeNet", "--budget", "foo"}),
            "etactl: --budget: foo is no time: write 2h, 30m or 90s\n"
            "  `etactl next --help` says what there is\n");
}

// The same of a program without commands, as the daemon is.
std::string mistake_of_daemon(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "etad");
  CLI::App app("A daemon", "etad");
  std::string config, socket;
  app.add_option("--config", config)->check(usage::names_a_file);
  app.add_option("--socket", socket)->required();
  testing::internal::CaptureStderr();
  EXPECT_EQ(usage::parse(app, static_cast<int>(arguments.size()), arguments.data()), usage::kExitStatus);
  return testing::internal::GetCapturedStderr();
}

TEST(Usage, OfAProgramWithoutCommandsIsTheSame) {
  const std::string help = "\n  `etad --help` says what there is\n";
  EXPECT_EQ(mistake_of_daemon({"--socket", "s", "--confg", "c"}),
            "etad: there is no option --confg; did you mean --config?" + help);
  EXPECT_EQ(mistake_of_daemon({"--sockt", "s"}),
            "etad: there is no option --sockt; did you mean --socket?" + help);
  EXPECT_EQ(mistake_of_daemon({"--socket", "s", "start"}), "etad: it takes no argument start here" + help);
  EXPECT_EQ(mistake_of_daemon({"--socket", "s", "--config", ""}),
            "etad: --config: an empty word names no file" + help);
  EXPECT_EQ(mistake_of_daemon({}), "etad: --socket is required" + help);
}

}  // namespace
}  // namespace etad::client
