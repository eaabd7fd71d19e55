// etactl check-rules: rule files beside those that are installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "daemon/client/commands.h"
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
  }
  ~CheckRules() override { std::filesystem::remove_all(folder_); }

  int check(const std::string& name, const std::string& toml) {
    const auto file = folder_ / name;
    std::ofstream(file) << toml;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = check_rules({file.string()}, "", {ETAD_RULES});
    said_ = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
    return code;
  }
  std::string renamed() const {
    const std::string name = "format = \"caffe\"";
    std::string out = caffe_;
    return out.replace(out.find(name), name.size(), "format = \"mine\"");
  }

  std::filesystem::path folder_;
  std::string caffe_, said_;
};

TEST_F(CheckRules, one_that_recognises_what_an_installed_one_does_is_in_its_way) {
  EXPECT_EQ(check("mine.toml", renamed()), kRefused);
  EXPECT_THAT(said_, HasSubstr("is also recognised by the format"));
  EXPECT_THAT(said_, HasSubstr("caffe.toml"));
}

TEST_F(CheckRules, a_name_that_is_taken_is_told) {
  EXPECT_EQ(check("mine.toml", caffe_), kRefused);
  EXPECT_THAT(said_, HasSubstr("is also described in"));
}

TEST_F(CheckRules, one_that_replaces_an_installed_file_is_not_in_its_way) {
  EXPECT_EQ(check("caffe.toml", caffe_), kDone) << said_;
  EXPECT_THAT(said_, HasSubstr("all samples as stated"));
}

}  // namespace
}  // namespace etad::client
