// What a command asks the daemon for.
#include "daemon/client/commands.h"

#include <gtest/gtest.h>

namespace etad::client {
namespace {

TEST(Pages, AreAskedForUntilThereIsEnough) {
  std::vector<std::string> asked;
  const auto get = [&](const std::string& target) -> Result<Response> {
    asked.push_back(target);
    if (target.ends_with("cursor=c")) return Response{503, R"({"title": "later"})"};
    return Response{200, R"({"runs": [{}], "next": ")" + std::string(asked.size() == 1 ? "b" : "c") + "\"}"};
  };
  int told = 0;
  const auto each = [&](const Response&, const Object&) { ++told; };
  EXPECT_TRUE(for_each_page(get, "/v1/runs", {{"state", "lost"}}, 1500, each)->ok());
  EXPECT_EQ(asked, (std::vector<std::string>{"/v1/runs?state=lost&limit=1000",
                                             "/v1/runs?state=lost&limit=500&cursor=b"}));
  EXPECT_EQ(told, 2);
  asked.clear();
  EXPECT_EQ(for_each_page(get, "/v1/runs", {}, 1'000'000, each)->status, 503U);
  EXPECT_EQ(asked.size(), 3U);
  EXPECT_EQ(told, 4) << "and not of the one that was refused";
}

TEST(SourceMeant, IsFoundByIdOrPathAlsoOfBytesThatAreNoText) {
  const std::vector<Source> sources = {
      {1, "/logs/a.log", ""}, {2, "/logs/a.log", "import"}, {3, "/logs/odd\xEF\xBF\xBD.log", "import"}};
  EXPECT_EQ(source_meant(sources, "1")->id, 1);
  const auto several = source_meant(sources, "/logs/x/../a.log");
  ASSERT_FALSE(several) << "none is forgotten for another";
  EXPECT_EQ(several.error().message, "is the path of several sources, 1, 2");
  EXPECT_FALSE(source_meant(sources, "/logs/b.log"));
  const auto odd = source_meant(sources, "/logs/odd\xff.log");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->id, 3);
  EXPECT_EQ(odd->path, "/logs/odd\xff.log") << "which can be opened";
  auto two = sources;
  two.push_back({4, sources[2].path, "import"});
  EXPECT_FALSE(source_meant(two, "/logs/odd\xff.log"));
  EXPECT_EQ(source_meant(two, "3")->id, 3);
}

TEST(Target, EscapesItsParameters) {
  EXPECT_EQ(target_of("/v1/x", {{"name", "/tmp/a b&c.log"}, {"label.device", "Tesla K80"}}),
            "/v1/x?name=/tmp/a%20b%26c.log&label.device=Tesla%20K80");
  EXPECT_EQ(target_of("/v1/x", {}), "/v1/x");
  EXPECT_EQ(percent_encoded("\xff%+"), "%FF%25%2B");
}

TEST(KeyAndValue, NeedsAKey) {
  std::pair<std::string, std::string> pair;
  EXPECT_TRUE(key_and_value("device=Tesla=K80", pair));
  EXPECT_EQ(pair.second, "Tesla=K80");
  EXPECT_FALSE(key_and_value("=x", pair));
  EXPECT_FALSE(key_and_value("x", pair));
}

}  // namespace
}  // namespace etad::client
