#include "daemon/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

std::vector<std::string> mistakes(std::string_view toml) {
  std::vector<std::string> out;
  const auto config = parse_config("etad.toml", toml);
  if (!config) {
    for (const Error& error : config.error()) out.push_back(error.text());
  }
  return out;
}

TEST(Config, AnEmptyFileIsAllDefaults) {
  const auto config = parse_config("etad.toml", "");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->storage.path, "/var/lib/etad/history.db");
  EXPECT_EQ(config->socket.path, "/run/etad/etad.sock");
  EXPECT_EQ(config->refit.interval, std::chrono::seconds(60));
  EXPECT_TRUE(config->sources.empty());
}

TEST(Config, AUsersOwnDaemonAnswersToThatUserAndKnowsTheHome) {
  paths::Paths mine = paths::of_system("/usr");
  mine.home = "/home/ada";
  const auto config = parse_config("etad.toml", R"([[source]]
paths = ["~/runs/*.log", "/srv/*.log"]
)",
                                   mine);
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->socket.open_to_all);
  EXPECT_EQ(config->sources.at(0).paths, (std::vector<std::string>{"/home/ada/runs/*.log", "/srv/*.log"}));
  EXPECT_FALSE(parse_config("etad.toml", "[[source]]\npaths = ['~/x']")) << "a system's daemon has no home";
}

TEST(Config, ReadsEveryKey) {
  const auto config = parse_config("etad.toml", R"(
host = "gpu1"
[storage]
path = "/tmp/h.db"
raw_samples = "2d"
minute_samples = "30d"
hour_samples = "365d"
[socket]
path = "/tmp/s"
open_to_all = false
admin_group = "wheel"
max_connections = 8
[rules]
path = "/tmp/rules"
[refit]
interval = "5m"
[budgets]
files = 77
megabytes_a_day = 3

[follow]
lost_after = "2h"
poll = 0.05
scan = 3
line_limit = 4096
max_open_files = 9
[log]
level = "debug"
[[source]]
paths = ["/var/log/caffe/*.log", "/var/log/*.txt"]
format = "caffe"
labels = { batch_size = 64, device = "Tesla K80" }
path_pattern = '/(?P<network>[^/]+)\.log$'
read_rotated = true
)");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->host, "gpu1");
  EXPECT_EQ(config->storage.raw_samples, std::chrono::days(2));
  EXPECT_FALSE(config->socket.open_to_all);
  EXPECT_EQ(config->rules.path, std::vector<std::string>{"/tmp/rules"});
  EXPECT_EQ(config->refit.interval, std::chrono::minutes(5));
  EXPECT_EQ(config->follow.poll, std::chrono::milliseconds(50));
  EXPECT_EQ(config->follow.line_limit, 4096U);
  EXPECT_EQ(config->follow.files_of_owner, 77);
  EXPECT_EQ(config->budgets.bytes_a_day, 3 << 20);
  ASSERT_EQ(config->sources.size(), 1U);
  EXPECT_EQ(config->sources[0].paths.size(), 2U);
  EXPECT_EQ(config->sources[0].labels.at("batch_size"), "64");
  EXPECT_TRUE(config->sources[0].read_rotated);
}

TEST(Config, RotatedFilesAreLeftOutReadOrLogsOfTheirOwn) {
  const auto with = [](const std::string& value) {
    return parse_config("etad.toml", "[[source]]\npaths = [\"/logs/*\"]\nread_rotated = " + value + "\n");
  };
  EXPECT_FALSE(with("false")->sources[0].read_rotated);
  EXPECT_TRUE(with("true")->sources[0].read_rotated);
  const auto apart = with("\"apart\"");
  ASSERT_TRUE(apart);
  EXPECT_TRUE(apart->sources[0].read_apart);
  EXPECT_FALSE(apart->sources[0].read_rotated);
  EXPECT_FALSE(with("\"separate\""));
}

TEST(Config, FoldersOfRotatedFilesAreBelowTheLogsOrAbsolute) {
  const auto with = [](const std::string& value) {
    return parse_config("etad.toml", "[[source]]\npaths = [\"/logs/*\"]\nrotated_in = " + value + "\n");
  };
  const auto both = with("[\"old/\", \"/srv/old\"]");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->sources[0].rotated_in, (std::vector<std::string>{"old", "/srv/old"}));
  for (const char* wrong : {"\"\"", "\"../old\"", "\"old/*\"", "\"./old\"", "3"})
    EXPECT_FALSE(with(wrong)) << wrong;
}

TEST(Config, EveryMistakeIsToldWithItsLine) {
  const auto found = mistakes(
      "[storage]\n"
      "pth = \"/x\"\n"
      "[refit]\n"
      "interval = \"soon\"\n"
      "[[source]]\n"
      "format = 7\n"
      "[[source]]\n"
      "paths = \"logs/*.log\"\n");
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0],
            "etad.toml:2: unknown key 'storage.pth' (known here: path, machine, raw_samples, minute_samples, "
            "hour_samples)");
  EXPECT_EQ(found[1].substr(0, 51), "etad.toml:4: 'refit.interval' must be a duration: s");
  EXPECT_EQ(found[2], "etad.toml:6: 'source.format' must be a string");
  EXPECT_EQ(found[3].substr(0, 40), "etad.toml:5: a [[source]] needs paths (p");
  EXPECT_EQ(found[4].substr(0, 53), "etad.toml:8: 'logs/*.log' is not an absolute path (a ");
}

TEST(Config, NoTomlAtAllIsOneMistakeWithItsLine) {
  const auto found = mistakes("[storage\npath = 1");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].substr(0, 12), "etad.toml:1:");
}

TEST(Config, Durations) {
  EXPECT_EQ(parse_duration("90").value(), std::chrono::seconds(90));
  EXPECT_EQ(parse_duration("15m").value(), std::chrono::minutes(15));
  EXPECT_EQ(parse_duration("7d").value(), std::chrono::days(7));
  for (const char* wrong : {"", "m", "-5s", "0", "5 weeks", "99999999999999d", "1.5h"}) {
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
  }
}

TEST(Config, ATraceSourceHasColumns) {
  const auto config = parse_config("etad.toml", R"([[source]]
paths = ["/var/log/gpu/t.txt"]
format = "csv"
columns = ["time", "-", "gpu.temperature{gpu=0}", "room.temperature [C]"]
labels = { start = "2026-11-21 09:30:00", interval = 10 }
)");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->sources.at(0).columns.size(), 4U);
  EXPECT_EQ(config->sources.at(0).columns.at(2), "gpu.temperature{gpu=0}");
}

TEST(Config, MistakesInATraceSourceAreToldWithTheirLine) {
  const auto told = [](const std::string& lines) {
    const auto found = mistakes("[[source]]\npaths = [\"/t\"]\n" + lines);
    return found.size() == 1 ? found[0] : std::to_string(found.size()) + " mistakes";
  };
  EXPECT_TRUE(told("columns = [\"wattage\"]").starts_with("etad.toml:3: 'wattage' names no column ("));
  EXPECT_TRUE(told("\ncolumns = [\"gpu.power [MiB]\"]").starts_with("etad.toml:4: 'gpu.power' is in W"));
  EXPECT_TRUE(told("format = \"csv\"").starts_with("etad.toml:3: the format csv needs columns ("));
  EXPECT_TRUE(told("labels = { start = \"noon\" }").starts_with("etad.toml:3: start = 'noon' is no time"));
  EXPECT_TRUE(told("labels = { interval = 0 }").starts_with("etad.toml:3: interval = '0' is no interval"));
  EXPECT_TRUE(
      told("columns = [\"time\"]\nformat = \"caffe\"").starts_with("etad.toml:3: 'caffe' is a log's format"));
}

TEST(Config, LabelsThatAreNoNumbersWhereANumberBelongsAreToldWithTheirLine) {
  const auto found = mistakes("[[source]]\npaths = [\"/t\"]\nlabels = { batch_size = \"many\" }\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0],
            "etad.toml:3: label batch_size must be a whole number from 1 to 1000000000, not \"many\"");
}

TEST(Config, WhatWasOpenedAtTheStartStaysAndIsNamedWhereItChanged) {
  const auto running = parse_config("etad.toml", "[budgets]\nruns = 5\n").value();
  auto same =
      parse_config("etad.toml", "[budgets]\nruns = 5\nfiles = 3\n[refit]\ninterval = \"5s\"\n").value();
  EXPECT_TRUE(keep_until_restart(running, same).empty());
  EXPECT_EQ(same.refit.interval, std::chrono::seconds(5)) << "these take effect";
  EXPECT_EQ(same.follow.files_of_owner, 3);
  auto other =
      parse_config(
          "etad.toml",
          "host = \"another\"\n[storage]\npath = \"/h\"\n[budgets]\nruns = 6\n[socket]\nprivate = true\n"
          "[alerts]\nper_hour = 3\n[refit]\nmegabytes_in_memory = 99\n")
          .value();
  EXPECT_EQ(keep_until_restart(running, other),
            (std::vector<std::string>{"host", "[storage]", "[budgets]", "[socket]", "[alerts]",
                                      "megabytes_in_memory in [refit]"}));
  EXPECT_EQ(other.host, running.host) << "the whole daemon has one";
  EXPECT_EQ(other.storage.path, running.storage.path);
  EXPECT_EQ(other.budgets.runs, 5);
  EXPECT_FALSE(other.socket.private_runs);
  EXPECT_EQ(other.alerts.per_hour, running.alerts.per_hour);
}

TEST(Config, AKeyOfAHundredThousandPartsIsAMistakeAndNoOverflowOfTheStack) {
  std::string key = "a";
  for (int i = 0; i < 100'000; ++i) key += ".a";
  for (const std::string& text : {"[" + key + "]\n", key + " = 1\n", "x = {" + key + " = 1}\n"}) {
    const auto config = parse_config("etad.toml", text);
    ASSERT_FALSE(config);
    EXPECT_THAT(config.error().at(0).text(), testing::HasSubstr("16 dotted parts"));
  }
}

TEST(Config, AlertsAreAProgramAndItsArguments) {
  const auto config = parse_config("etad.toml", R"([alerts]
command = ["/usr/local/bin/tell", "--channel", "gpu"]
timeout = "5s"
per_hour = 6
)");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->alerts.command.size(), 3U);
  EXPECT_EQ(config->alerts.timeout, std::chrono::seconds(5));
  EXPECT_EQ(config->alerts.per_hour, 6);
  EXPECT_TRUE(parse_config("etad.toml", "")->alerts.command.empty()) << "off by default";
  const auto found = mistakes("[alerts]\ncommand = \"mail root\"\ntimeout = \"5m\"\nper_hour = 0\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(found[0].starts_with("etad.toml:4: 'alerts.per_hour' must be a whole number from 1"))
      << found[0];
  EXPECT_TRUE(found[1].starts_with("etad.toml:3: 'alerts.timeout' is more than a minute")) << found[1];
  EXPECT_TRUE(found[2].starts_with("etad.toml:2: 'mail root' is not an absolute path")) << found[2];
}

TEST(Config, AWrongPathPatternIsToldWithItsLine) {
  const auto found = mistakes(
      "[[source]]\npaths = ['/a']\npath_pattern = '(?P<batch_size>'\n"
      "[[source]]\npaths = ['/b']\npath_pattern = '/(?P<colour>[a-z]+)/'\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].starts_with("etad.toml:3: path_pattern '(?P<batch_size>'")) << found[0];
  EXPECT_TRUE(
      found[1].starts_with("etad.toml:6: path_pattern '/(?P<colour>[a-z]+)/' names 'colour', which is no"))
      << found[1];
}

TEST(Config, WhatIsHardlyMeantIsAWarningWithItsLine) {
  const auto config = parse_config("etad.toml", R"([[source]]
paths = ["/data/*/x.log", "/data/**/*.log", "/data/**.log"]
labels = { batchsize = 64, workers = 8, device = "K80" }

[[source]]
paths = ["/more/*.csv"]
labels = { start = "2026-11-21", interval = 10, gpu = 0, colour = "red" }
)");
  ASSERT_TRUE(config);
  std::vector<std::string> told;
  for (const Error& warning : config->warnings) told.push_back(warning.text());
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(
      told[0],
      "etad.toml:3: the label 'batchsize' is none that etad goes by: it is only kept as a setting of the run "
      "(did you mean 'batch_size'?)");
  EXPECT_TRUE(
      told[1].starts_with("etad.toml:2: '**' beside other characters in '/data/**.log' is the same as '*'"))
      << told[1];
  EXPECT_TRUE(told[2].starts_with("etad.toml:7: the label 'colour' is none")) << told[2];
}

TEST(Config, AFolderWithAllBelowItIsNamedOnceInAPath) {
  const auto config = parse_config("etad.toml", "[[source]]\npaths = ['/data/**']\n");
  ASSERT_TRUE(config);
  EXPECT_TRUE(config->warnings.empty());
  EXPECT_EQ(config->sources.front().paths, std::vector<std::string>{"/data/**/*"});
  const auto found = mistakes("[[source]]\npaths = ['/data/**/runs/**/*.log']\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("etad.toml:2: '/data/**/runs/**/*.log' has '**' twice")) << found[0];
}

TEST(Config, ASourceOfAFormatThatNobodyDescribesIsToldWithItsLine) {
  const auto config = parse_config("etad.toml", R"([rules]
path = "/nowhere"
[[source]]
paths = "/a"
format = "cafe"
[[source]]
paths = "/b"
format = "nvidia-smi"
)");
  ASSERT_TRUE(config);
  const auto found = check_config(*config, *shipped_formats());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text(), "etad.toml:5: no rule file describes the format 'cafe' (did you mean 'caffe'?)");
  const auto without_rules = check_config(*config, FormatSet());
  ASSERT_EQ(without_rules.size(), 2U);
  EXPECT_TRUE(without_rules[0].text().starts_with("/nowhere: there are no rule files"))
      << without_rules[0].text();
}

}  // namespace
}  // namespace etad
