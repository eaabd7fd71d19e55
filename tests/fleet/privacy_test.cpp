// What leaves a host, by its settings.
#include "fleet/export/privacy.h"

#include <gmock/gmock.h>

namespace etad::fleet {
namespace {

using testing::HasSubstr;
using testing::Not;

Changes changes() {
  Changes out;
  RunRow row;
  row.source = "/home/anna/secretnet.log";
  row.owner = 1001;
  row.run.network = "SecretNet";
  row.run.message = "cannot open /home/anna/secretnet.caffemodel";
  row.run.settings = {{"net", "/home/anna/secretnet.prototxt"},
                      {"type", "SGD"},
                      {"prefix", "secretnet_iter"},
                      {"save", "Anna_v2"}};
  row.labels = {
      {"network", "SecretNet"}, {"user", "anna"}, {"batch_size", "64"}, {"note", "anna's SecretNet"}};
  ChangedRun run;
  run.id = 1;
  run.now = row;
  run.places[Phase::train] = 7;
  out.runs.push_back(run);
  out.architectures.push_back(
      {"9c1d7a52", {{"secret_conv", "Convolution", "k=5;source=/home/anna/secret", {}, {}}}});
  return out;
}

const Privacy kHash{Names::hash, Names::hash, Names::hash, "a salt of sixteen"};
const Privacy kOmit{Names::omit, Names::omit, Names::omit, ""};

TEST(PrivacyTest, AllIsKeptWhereNothingIsSaid) {
  Changes kept = changes();
  make_private(kept, {});
  EXPECT_EQ(kept.runs[0].now->run.network, "SecretNet");
  EXPECT_EQ(kept.runs[0].now->source, "/home/anna/secretnet.log");
  EXPECT_EQ(kept.runs[0].now->run.settings.size(), 4U);
  EXPECT_EQ(kept.architectures[0].layers[0].name, "secret_conv");
  EXPECT_EQ(kept.architectures[0].layers[0].parameters, "k=5;source=/home/anna/secret");
}

TEST(PrivacyTest, HashedNamesAreTheSameOnAllHostsOfOneSalt) {
  Changes hashed_ones = changes();
  make_private(hashed_ones, kHash);
  const RunRow& row = *hashed_ones.runs[0].now;
  EXPECT_EQ(row.run.network, hashed("SecretNet", kHash.salt));
  EXPECT_EQ(row.labels.at("network"), row.run.network);
  EXPECT_NE(row.run.network, hashed("SecretNet", "another salt of 16"));
  EXPECT_NE(row.owner, 1001);
  EXPECT_TRUE(row.owner);
  // HMAC-SHA-256 as RFC 4231 has it, test case 2.
  EXPECT_EQ(hashed("what do ya want for nothing?", "Jefe"), "5bdcc146bf60754e");
}

TEST(PrivacyTest, WhatIsNotKeptIsNowhere) {
  for (const Privacy& privacy : {kHash, kOmit}) {
    Changes none = changes();
    make_private(none, privacy);
    const RunRow& row = *none.runs[0].now;
    std::string all = row.source + row.run.network + row.run.message;
    for (const auto& [name, value] : row.run.settings) all += value;
    for (const auto& [name, value] : row.labels) all += value;
    for (const Layer& layer : none.architectures[0].layers) all += layer.name + layer.parameters;
    EXPECT_THAT(all, Not(HasSubstr("anna")));
    EXPECT_THAT(all, Not(HasSubstr("Anna")));
    EXPECT_THAT(all, Not(HasSubstr("ecret")));
    EXPECT_EQ(row.run.settings.at("type"), "SGD");
    EXPECT_EQ(row.labels.at("batch_size"), "64");
    EXPECT_EQ(none.runs[0].places.empty(), !row.owner) << "they tell which runs are one owner's";
  }
}

TEST(PrivacyTest, LayersTellNoPathsWhereOnlyPathsStayAtHome) {
  Changes private_paths = changes();
  make_private(private_paths, {Names::keep, Names::omit, Names::keep, ""});
  EXPECT_EQ(private_paths.architectures[0].layers[0].name, "secret_conv");
  EXPECT_EQ(private_paths.architectures[0].layers[0].parameters, "");
}

}  // namespace
}  // namespace etad::fleet
