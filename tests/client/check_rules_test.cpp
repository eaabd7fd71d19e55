// etactl check-rules: rule files beside those that are installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "daemon/client/check_rules.h"
#include "tests/places.h"

namespace etad::client {
namespace {

using testing::HasSubstr;

class CheckRules : public testing::Test {
 protected:
  CheckRules() {
    std::string pattern = (std::filesystem::temp_directory_path() / "etad-rules-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::ostringstream text;
    text << std::ifstream(ETAD_RULES "/caffe.toml").rdbuf();
    caffe_ = text.str();
    installed_ = (folder_ / "installed").string();
    std::filesystem::create_directory(installed_);
    for (const char* const name : {"/caffe.toml", "/keras.toml"})
      std::filesystem::copy(std::string(ETAD_RULES) + name, installed_ + name);
  }
  ~CheckRules() override { std::filesystem::remove_all(folder_); }

  int check(const std::string& name, const std::string& toml) {
    const auto file = folder_ / name;
    std::ofstream(file) << toml;
    return check({{file.string()}, "", {installed_}});
  }
  int check(const RuleCheck& asked, bool json = false) {
    Common common;
    common.json = json;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = check_rules(common, asked);
    said_ = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
    return code;
  }
  Object answer() const { return boost::json::parse(said_).as_object(); }
  std::string renamed() const {
    const std::string name = "format = \"caffe\"";
    std::string out = caffe_;
    return out.replace(out.find(name), name.size(), "format = \"mine\"");
  }

  std::filesystem::path folder_;
  std::string installed_;  // a folder of rule files
  std::string caffe_, said_;
};

TEST_F(CheckRules, OneThatRecognisesWhatAnInstalledOneDoesIsInItsWay) {
  EXPECT_EQ(check("mine.toml", renamed()), kRefused);
  EXPECT_THAT(said_, HasSubstr("is also recognised by the format"));
  EXPECT_THAT(said_, HasSubstr("caffe.toml"));
}

TEST_F(CheckRules, ANameThatIsTakenIsTold) {
  EXPECT_EQ(check("mine.toml", caffe_), kRefused);
  EXPECT_THAT(said_, HasSubstr("is also described in"));
}

TEST_F(CheckRules, OneThatReplacesAnInstalledFileIsNotInItsWay) {
  EXPECT_EQ(check("caffe.toml", caffe_), kDone) << said_;
  EXPECT_THAT(said_, HasSubstr("all samples as stated"));
}

TEST_F(CheckRules, WithoutAFileThoseInstalledAreMeantOfNamesakesTheLater) {
  std::ofstream(folder_ / "caffe.toml") << "format = ";
  EXPECT_EQ(check({{}, "", {installed_}}), kDone) << said_;
  EXPECT_THAT(said_, HasSubstr("keras"));
  EXPECT_EQ(check({{}, "", {installed_, folder_.string()}}), kRefused);
  EXPECT_EQ(check({{}, "", {(folder_ / "none").string()}}), kUsage);
  EXPECT_THAT(said_, HasSubstr("name one"));
}

TEST_F(CheckRules, ALogIsTriedOnThoseInstalled) {
  EXPECT_EQ(check({{}, ETAD_TEST_DATA "/caffe/cifar10_quick_snap.log", {installed_}}), kDone) << said_;
  EXPECT_THAT(said_, HasSubstr("format caffe, 1 run\n  run 1: train, "));
  EXPECT_THAT(said_, HasSubstr(" s each; samples per iteration 32\n")) << "without zeros that say nothing";
  EXPECT_THAT(said_, HasSubstr("Lines that no rule matches ("));
}

TEST_F(CheckRules, LinesOfEverOtherFormsAreCountedToo) {
  const std::string log = (folder_ / "words.log").string();
  std::ofstream out(log);
  std::string word = "aaaaa";
  for (int i = 0; i < 20'500; ++i) {
    for (std::size_t at = 0; ++word[at] > 'z'; ++at) word[at] = 'a';
    out << word << "\n";
  }
  out.close();
  EXPECT_EQ(check({{}, log, {installed_}}), kRefused) << "none reads it";
  EXPECT_THAT(said_, HasSubstr("500 more lines of ever other forms, not counted apart\n"));
}

TEST_F(CheckRules, AsJson) {
  EXPECT_EQ(check({{}, ETAD_TEST_DATA "/caffe/cifar10_quick_snap.log", {installed_}}, true), kDone);
  const Object log = answer().at("log").as_object();
  EXPECT_EQ(text_of(log, "format"), "caffe");
  const Object run = log.at("runs").as_array().at(0).as_object();
  const Object train = run.at("train").as_object();
  EXPECT_GT(number_of(train, "seconds"), 0);
  EXPECT_GT(number_of(train, "measurements"), 0);
  EXPECT_EQ(number_of(train, "segments"), number_of(train, "measurements")) << "the older name";
  EXPECT_GT(number_of(log.at("unmatched").as_object(), "lines"), 0);

  std::ofstream(folder_ / "mine.toml") << renamed();
  EXPECT_EQ(check({{(folder_ / "mine.toml").string()}, "", {installed_}}, true), kRefused);
  EXPECT_EQ(answer().at("files").as_array().size(), 1U);
  EXPECT_THAT(text_of(answer().at("errors").as_array().at(0).as_object(), "message"),
              HasSubstr("is also recognised by the format"));
}

TEST_F(CheckRules, TheFoldersAreThoseThatTheConfigurationsName) {
  paths::Paths system, user;
  system.config = (folder_ / "etad.toml").string();
  system.rules = {"/usual", "/etc/usual"};
  user.config = (folder_ / "own.toml").string();
  user.rules = {"/usual", "/own"};
  user.home = "/home/ada";
  const auto folders = [&] { return installed_rules(system, user); };
  EXPECT_THAT(folders(), testing::ElementsAre("/usual", "/etc/usual", "/own")) << "there is no configuration";
  std::ofstream(system.config) << "[rules]\npath = \"" << installed_ << "\"\n[nobody]\nknows = 1\n";
  std::ofstream(user.config) << "[rules]\npath = [\"~/rules\", \"/more\"]\n";
  EXPECT_THAT(folders(), testing::ElementsAre(installed_, "/home/ada/rules", "/more"));
  EXPECT_EQ(check({{}, "", {installed_}}), 0) << said_;
  std::ofstream(system.config) << "[rules]\npath = 5\n";
  std::ofstream(user.config) << "[rules\n";
  testing::internal::CaptureStderr();
  EXPECT_THAT(folders(), testing::ElementsAre("/usual", "/etc/usual", "/own"));
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("etad.toml:2: 'rules.path' must be a string or a list of strings"));
  EXPECT_THAT(told, HasSubstr("own.toml:1: "));
}

// Docker's envelopes, gzip and all: what is tried is what an import would read.
TEST_F(CheckRules, ALogIsTriedAsAnImportReadsIt) {
  std::string log;
  std::ifstream in(ETAD_TEST_DATA "/caffe/cifar10_quick_snap.log");
  for (std::string line; std::getline(in, line);)
    log += boost::json::serialize(
               Object{{"log", line + "\n"}, {"stream", "stderr"}, {"time", "2026-07-11T10:15:28Z"}}) +
           "\n";
  const auto path = folder_ / "container.log";
  std::ofstream(path) << log;
  EXPECT_EQ(check({{}, path.string(), {installed_}}, true), kDone) << said_;
  EXPECT_EQ(answer().at("log").at("format"), "caffe");
  ASSERT_EQ(std::system(("gzip " + path.string()).c_str()), 0);
  EXPECT_EQ(check({{}, path.string() + ".gz", {installed_}}, true), kDone) << said_;
  EXPECT_EQ(answer().at("log").at("format"), "caffe");
}

TEST_F(CheckRules, ALogIsTriedThatIsPipedIn) {
  const std::string path = ETAD_EXAMPLES "/caffe/lenet_b8_i5000_tb100_ti40.log";
  check({{}, path, {installed_}}, true);
  Object of_file = answer().at("log").as_object();
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  std::istringstream piped(content.str());
  std::streambuf* const terminal = std::cin.rdbuf(piped.rdbuf());
  check({{}, "-", {installed_}}, true);
  std::cin.rdbuf(terminal);
  Object of_pipe = answer().at("log").as_object();
  EXPECT_EQ(of_pipe.at("path"), "-");
  of_pipe["path"] = of_file["path"];
  EXPECT_EQ(of_pipe, of_file);
}

TEST_F(CheckRules, APackedLogIsToldToBeUnpacked) {
  const auto path = (folder_ / "train.log.xz").string();
  std::ofstream(path) << std::string(
      "\xfd"
      "7zXZ\0",
      6);
  EXPECT_EQ(check({{}, path, {installed_}}), kUsage);
  EXPECT_THAT(said_, HasSubstr("train.log.xz: is packed (unpack it first: `xz -d`)"));
}

// A rule sees the message only: a pattern with the time before it would never match.
TEST_F(CheckRules, PatternsForALogThatNobodyKnowsLeaveItsTimesOut) {
  const auto log = folder_ / "train.log";
  std::ofstream out(log);
  for (int i = 0; i < 9; ++i) out << "2026-02-14 10:38:3" << i << ",691 a font is missing\n";
  out << "2026-02-14 10:39:00,000 pass 1 in 3.5 s\n";
  out.close();
  check({{}, log.string(), {installed_}}, true);
  const Object unmatched = answer().at("log").at("unmatched").as_object();
  EXPECT_EQ(unmatched.at("timestamp"), "iso8601");
  const auto& templates = unmatched.at("templates").as_array();
  ASSERT_EQ(templates.size(), 2U);
  EXPECT_EQ(templates[0].at("example"), "pass <1> in <3.5> s");
  EXPECT_EQ(templates[0].at("pattern"), "pass [\\d.e+-]+ in [\\d.e+-]+ s");
  EXPECT_EQ(templates[1].at("example"), "a font is missing");
}

// A pattern that is pasted into a rule file must be what was meant, whatever the log holds.
TEST_F(CheckRules, APatternWithQuotesStaysOneText) {
  const std::string log = (folder_ / "quotes.log").string();
  {
    std::ofstream file(log);
    for (int i = 1; i <= 9; ++i) file << "it says '''" << i << "''' \\weird\n";
  }
  check({{}, log, {installed_}});
  EXPECT_THAT(said_, HasSubstr(R"(pattern = "it says ''')"));
  EXPECT_THAT(said_, HasSubstr(R"(\\weird)"));
}

TEST_F(CheckRules, PatternsBesideAKnownFormatLeaveItsHeaderOut) {
  check({{}, ETAD_EXAMPLES "/caffe/lenet_b8_i5000_tb100_ti40.log", {installed_}}, true);
  const Object unmatched = answer().at("log").at("unmatched").as_object();
  EXPECT_TRUE(unmatched.at("timestamp").is_null()) << "the format has its own";
  EXPECT_GT(unmatched.at("templates").as_array().size(), 3U);
  for (const auto& each : unmatched.at("templates").as_array()) {
    EXPECT_EQ(each.at("pattern").as_string().find("net.cpp"), std::string::npos) << each;
    EXPECT_TRUE(each.at("rule").as_array().empty()) << "words of fields would change what the format reads";
  }
}

// As the daemon says of them: neither a FIFO nor a device ends.
TEST_F(CheckRules, WhatIsNoFileIsToldAndNotWaitedFor) {
  const std::string fifo = (folder_ / "fifo.toml").string(), device = (folder_ / "device.toml").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", device);
  const std::string large = (folder_ / "large.toml").string();
  std::ofstream(large) << caffe_;
  std::filesystem::resize_file(large, (std::uintmax_t{16} << 20) + 1);
  for (const std::string& path : {fifo, large}) {
    EXPECT_EQ(check({{path}, "", {installed_}}), kUsage);
    EXPECT_THAT(said_, HasSubstr(path + ": ")) << said_;
  }
  EXPECT_THAT(said_, HasSubstr("larger than 16 MiB"));
  EXPECT_EQ(check({{device}, "", {installed_}}), kUsage);
  EXPECT_THAT(said_, HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace etad::client
