// The description of solver and nets alone: whose a line is, and which net it was.
#include "parsers/training/description.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace etad::track {
namespace {

struct Solver : PrototextReader::Sink {
  void open(const PrototextReader::Path&, std::string_view) override {}
  void close(const PrototextReader::Path&, std::string_view) override {}
  void value(const PrototextReader::Path&, std::string_view key, std::string_view value) override {
    values[std::string(key)] = value;
  }
  std::map<std::string, std::string> values;
};

void describe_net(Description& description, NetRole role, std::string_view phase) {
  Solver solver;
  description.begin_net(role, 0);
  description.read("name: \"tiny\"", solver);
  if (!phase.empty()) description.read("state { phase: " + std::string(phase) + " }", solver);
  description.read("layer { name: \"ip\" type: \"InnerProduct\" }", solver);
  EXPECT_TRUE(solver.values.empty()) << "the lines are the net's";
  EXPECT_TRUE(description.end_body());
}

TEST(Description, GivesASolversEntriesToTheSolver) {
  Description description;
  EXPECT_FALSE(description.begun());
  Solver solver;
  description.begin_solver();
  EXPECT_EQ(description.body, Body::solver);
  description.read("max_iter: 500", solver);
  EXPECT_EQ(solver.values["max_iter"], "500");
  EXPECT_TRUE(description.end_body());
  EXPECT_TRUE(description.begun());
  EXPECT_FALSE(description.solver_cut);
  EXPECT_EQ(description.body, Body::none);
}

TEST(Description, ASolverThatBreaksOffIsToldFromAWholeOne) {
  Description description;
  Solver solver;
  description.begin_solver();
  description.read("train_state {", solver);
  EXPECT_FALSE(description.end_body());
  EXPECT_TRUE(description.solver_cut);
}

TEST(Description, WaitsForTheNetThatWasAnnouncedByItsRole) {
  Description description;
  EXPECT_FALSE(description.awaits_net());
  description.begin_net(NetRole::test, 2);
  EXPECT_TRUE(description.awaits_net());
  EXPECT_EQ(description.net_index, 2);
  Solver solver;
  description.read("layer { name: \"ip\" }", solver);
  EXPECT_FALSE(description.awaits_net());
}

TEST(Description, ANetSaysItselfWhichOneItIs) {
  Description test;
  describe_net(test, NetRole::unknown, "TEST");
  EXPECT_EQ(test.role, NetRole::test);
  EXPECT_EQ(test.net().name, "tiny");
  Description train;
  describe_net(train, NetRole::unknown, "TRAIN");
  EXPECT_EQ(train.role, NetRole::train);
  Description said;
  describe_net(said, NetRole::train, "TEST");
  EXPECT_EQ(said.role, NetRole::train) << "what the log says of it comes first";
}

TEST(Description, ASolverMakesItsTrainNetFirst) {
  Description description;
  description.begin_solver();
  Solver solver;
  EXPECT_TRUE(description.end_body());
  describe_net(description, NetRole::unknown, "");
  EXPECT_EQ(description.role, NetRole::train);
  description.end_net(true);
  EXPECT_FALSE(description.net_open);
  EXPECT_TRUE(description.net().layers.empty()) << "it is forgotten";
  describe_net(description, NetRole::unknown, "");
  EXPECT_EQ(description.role, NetRole::test);
}

TEST(Description, ANetOfWhichNothingCameDoesNotCount) {
  Description description;
  description.begin_solver();
  description.end_body();
  description.begin_net(NetRole::unknown, 0);
  description.end_net(false);
  describe_net(description, NetRole::unknown, "");
  EXPECT_EQ(description.role, NetRole::train) << "still the first one";
}

TEST(Description, LayersThatAreSetUpGetTheShapesBehindThem) {
  Description description;
  describe_net(description, NetRole::train, "");
  description.builder.set_up("ip");
  description.builder.shape("64 10");
  ASSERT_EQ(description.net().layers.size(), 1u);
  EXPECT_EQ(description.net().layers[0].layer.shapes, (std::vector<std::vector<std::int64_t>>{{10}}));
}

}  // namespace
}  // namespace etad::track
