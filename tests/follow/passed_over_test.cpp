// Logs of their own whose names are those of rotated files: told where nobody reads them, and read where the
// configuration says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/follow/harness.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kPattern = "/logs/exp*";

class PassedOver : public ::testing::Test {
 protected:
  void write(const std::string& name) { etad_.files.write("/logs/" + name, name + "\n"); }
  void minutes(int count, const std::vector<std::string>& growing) {
    for (int i = 0; i < count; ++i) {
      for (const std::string& name : growing) write(name);
      etad_.poll(std::chrono::seconds(61));
    }
  }
  std::vector<std::string> told() const {
    std::vector<std::string> out;
    for (const Obstacle& each : etad_.follower->lookup().passed_over) out.push_back(each.path);
    return out;
  }

  Harness etad_{{{kPattern, 0, false}}};
};

TEST_F(PassedOver, LiveLogsNamedAsRotatedOnesAreTold) {
  for (const char* name : {"exp", "exp.1", "exp.2"}) write(name);
  minutes(5, {"exp", "exp.1", "exp.2"});
  EXPECT_THAT(told(), ElementsAre("/logs/exp.1", "/logs/exp.2"));
  EXPECT_EQ(etad_.follower->lookup().passed_over[0].text,
            "grows and is not read: by its name it is a rotated file of /logs/exp");
}

TEST_F(PassedOver, SoIsOneOfWhomAnotherUserHasManyMore) {
  const auto create = [this](const std::string& name, std::int64_t owner) {
    write(name);
    etad_.files.file("/logs/" + name)->owner = owner;
  };
  write("exp");  // whose it is nobody says
  for (int i = 1; i < 1100; ++i) create("exp." + std::to_string(i), 1001);
  create("exp.9999", 1002);
  minutes(5, {"exp.9999"});
  EXPECT_THAT(told(), ElementsAre("/logs/exp.9999"));
}

TEST_F(PassedOver, ALiveLogWithADateInItsNameIsTold) {
  for (const char* name : {"exp.log", "exp-20260711.log"}) write(name);
  minutes(5, {"exp.log", "exp-20260711.log"});
  EXPECT_THAT(told(), ElementsAre("/logs/exp-20260711.log"));
}

TEST_F(PassedOver, RotatedFilesAreNot) {
  for (const char* name : {"exp", "exp.1", "exp.2"}) write(name);
  for (int i = 0; i < 10; ++i) {
    etad_.files.rename("/logs/exp.1", "/logs/exp.2");
    etad_.files.rename("/logs/exp", "/logs/exp.1");
    minutes(1, {"exp.1"});  // the writer has it open still
    minutes(1, {"exp"});
  }
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(PassedOver, WhatIsToldEndsWithItsReason) {
  for (const char* name : {"exp", "exp.1"}) write(name);
  minutes(5, {"exp", "exp.1"});
  ASSERT_THAT(told(), ElementsAre("/logs/exp.1"));
  etad_.files.rename("/logs/exp.1", "/logs/elsewhere");
  minutes(2, {"exp"});
  EXPECT_THAT(told(), IsEmpty());
}

TEST(Apart, LogsNamedAsRotatedOnesAreReadAsTheirOwn) {
  Harness etad({{kPattern, 0, false, true}});
  const std::vector<std::string> names{"/logs/exp", "/logs/exp.1", "/logs/exp.2", "/logs/exp-20260711.log"};
  for (int i = 0; i < 5; ++i) {
    for (const std::string& name : names) etad.files.write(name, std::to_string(i) + "\n");
    etad.poll(std::chrono::seconds(61));
    if (i == 2) etad.restart();
  }
  for (const std::string& name : names)
    EXPECT_THAT(etad.lines_of[name], ElementsAre("0", "1", "2", "3", "4")) << name;
  EXPECT_THAT(etad.follower->lookup().passed_over, IsEmpty());
}

}  // namespace
}  // namespace etad::follow
