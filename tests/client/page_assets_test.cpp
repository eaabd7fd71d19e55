// The page's scripts as files and as one script, and what an exported file holds.
#include "daemon/client/page/assets.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "daemon/client/page/export.h"
#include "tests/places.h"

namespace etad::client {
namespace {

const std::string kPage = ETAD_RULES "/../../page";

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(PageAssets, ModulesLoseTheirImportsAndExportsInOneScript) {
  EXPECT_EQ(one_script({"// a\nexport const x = 1;\n",
                        "import {x} from './a.js';\nexport async function f() { return x; }\n"}),
            "// a\nconst x = 1;\nasync function f() { return x; }\n");
}

// In one script all top-level names share a scope.
TEST(PageAssets, TopLevelNamesOfAllModulesAreUnique) {
  const std::regex declared(
      R"((?:^|\n)(?:export )?(?:async )?(?:const|let|function|class) ([A-Za-z_$][\w$]*))");
  std::map<std::string, std::string> owner;
  int modules = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kPage + "/js")) {
    if (entry.path().extension() != ".js") continue;
    ++modules;
    const std::string text = text_of_file(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), declared), end; at != end; ++at) {
      const auto [other, fresh] = owner.emplace((*at)[1], entry.path().filename());
      EXPECT_TRUE(fresh) << (*at)[1] << " is in " << other->second << " and in " << entry.path().filename();
    }
  }
  EXPECT_GE(modules, 13);
}

TEST(PageAssets, NothingInThePageIsParsedAsMarkup) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kPage + "/js")) {
    if (entry.path().extension() != ".js") continue;
    const std::string text = text_of_file(entry.path());
    for (const char* const word : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("})
      EXPECT_EQ(text.find(word), std::string::npos) << word << " in " << entry.path();
  }
}

TEST(PageAssets, MissingFileSaysWhatToInstall) {
  const PageAssets assets(kPage, "/nonexistent");
  EXPECT_TRUE(assets.read("index.html").has_value());
  const auto charts = assets.read("vendor/dygraph.min.js");
  ASSERT_FALSE(charts.has_value());
  EXPECT_NE(charts.error().text().find("libjs-dygraphs"), std::string::npos);
  const auto own = PageAssets("/nonexistent", "").read("app.css");
  ASSERT_FALSE(own.has_value());
  EXPECT_NE(own.error().text().find("installed whole"), std::string::npos);
}

TEST(PageAssets, WhatIsNoFileOfThePageIsNoFaultOfTheInstallation) {
  const auto found = PageAssets(kPage, "").read("nosuch");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().text(), "there is no such page (the page is at /)");
}

class PageExport : public testing::Test {
 protected:
  void SetUp() override {
    // Each test has its own: they run beside each other, and one that ended took another's away.
    std::string pattern = testing::TempDir() + "etad-library-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    library_ = pattern;
    std::ofstream(library_ + "/dygraph.min.js") << "var Dygraph = 1;";
    std::ofstream(library_ + "/dygraph.min.css") << ".d{}";
  }
  void TearDown() override { std::filesystem::remove_all(library_); }

  Result<std::string> exported() {
    auto page = exported_page(
        [this](const std::string& target) -> Result<Response> {
          asked_.insert(target);
          const auto found = answers_.find(target);
          return found == answers_.end() ? Response{404, "{}"} : Response{200, found->second};
        },
        PageAssets(kPage, library_));
    if (!page) return tl::unexpected(page.error());
    left_out_ = page->left_out;
    return page->text;
  }

  std::string library_;
  std::map<std::string, std::string> answers_;
  std::set<std::string> asked_;
  std::vector<std::string> left_out_;
};

TEST_F(PageExport, HoldsTheAnswersAsDataThatNothingInALogCanLeave) {
  answers_["/v1/runs?limit=200"] = R"({"runs":[{"id":7,"network":"</script><script>alert(1)</script>"}]})";
  const auto file = exported();
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->find("<script>alert"), std::string::npos);
  EXPECT_NE(file->find("\\u003c/script>"), std::string::npos);
  EXPECT_NE(file->find("&lt;script&gt;"), std::string::npos) << "the table without scripts";
}

TEST_F(PageExport, AsksForTheNewestRunsInFullAndEachModelsCurve) {
  answers_["/v1/runs?limit=200"] = R"({"runs":[{"id":7}]})";
  answers_["/v1/networks?limit=200"] = R"({"networks":[{"network":"A & B"}]})";
  answers_["/v1/models?network=A%20%26%20B"] =
      R"({"models":[{"network":"A & B","architecture":"12","framework":"caffe","host":"h","device":"K80","devices":2,"phase":"test"}]})";
  ASSERT_TRUE(exported().has_value());
  EXPECT_TRUE(asked_.contains("/v1/runs/7/segments?points=1000"));
  EXPECT_TRUE(
      asked_.contains("/v1/"
                      "whatif?vary=batch_size&network=A%20%26%20B&architecture=12&framework=caffe&host=h&"
                      "device=K80&devices=2&phase=test&iterations=1000"));
}

// The runs of many networks are what fills it: each gives some, none all, and no curve is lost for them.
TEST_F(PageExport, HasEachOfManyNetworksAndTellsWhatDidNotFit) {
  const std::string large(5UL * 1024 * 1024, 'x');
  std::string networks;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "N" + std::to_string(i);
    networks += (i == 0 ? "" : ",") + ("{\"network\":\"" + name + "\"}");
    answers_["/v1/models?network=" + name] = R"({"models":[]})";
    answers_["/v1/runs?network=" + name + "&limit=200"] = R"({"runs":[]})";
  }
  answers_["/v1/networks?limit=200"] = "{\"networks\":[" + networks + "]}";
  answers_["/v1/runs?limit=200"] = R"({"runs":[{"id":9},{"id":8},{"id":7},{"id":6},{"id":5},{"id":4}]})";
  for (int id = 4; id <= 9; ++id)
    answers_["/v1/runs/" + std::to_string(id)] = "{\"message\":\"" + (id == 4 ? "short" : large) + "\"}";
  const auto file = exported();
  ASSERT_TRUE(file.has_value());
  for (int i = 0; i < 40; ++i)
    EXPECT_NE(file->find("/v1/runs?network=N" + std::to_string(i) + "&limit=200\""), std::string::npos) << i;
  EXPECT_NE(file->find("\"network_runs\":200"), std::string::npos) << "what the page asks for";
  EXPECT_EQ(left_out_, std::vector<std::string>{"run 5"});
  EXPECT_NE(file->find("\"left_out\":[\"run 5\"]"), std::string::npos);
  EXPECT_NE(file->find("short"), std::string::npos) << "what fits is in it none the less";
}

TEST_F(PageExport, AsksForTheTracesOfARunsGpusAsThePageDoes) {
  answers_["/v1/runs?limit=200"] = R"({"runs":[{"id":7},{"id":8}]})";
  answers_["/v1/runs/7"] =
      R"({"id":7,"usage":{"from":"2026-11-21T09:00:00.5Z","to":"2026-11-21T10:00:00Z","gpus":[{"gpu":"0"}]}})";
  answers_["/v1/runs/8"] =
      R"({"id":8,"usage":{"from":"2026-11-22T09:00:00Z","to":"2026-11-22T10:00:00Z","gpus":[]}})";
  ASSERT_TRUE(exported().has_value());
  EXPECT_TRUE(asked_.contains(
      "/v1/series/gpu.power?from=2026-11-21T09%3A00%3A00.5Z&to=2026-11-21T10%3A00%3A00Z&step=9"));
  EXPECT_FALSE(asked_.contains(
      "/v1/series/gpu.power?from=2026-11-22T09%3A00%3A00Z&to=2026-11-22T10%3A00%3A00Z&step=9"));
}

TEST_F(PageExport, TablesWithoutScriptsShowNoCharacterThatSteers) {
  answers_["/v1/runs?limit=200"] = "{\"runs\":[{\"id\":7,\"network\":\"a\\u202eb\\u001bc\"}]}";
  const auto file = exported();
  ASSERT_TRUE(file.has_value());
  EXPECT_NE(file->find("<td>a\\u202eb\\x1bc</td>"), std::string::npos);
}

TEST_F(PageExport, AllowsItsOwnScriptsByHashAndNothingElse) {
  const auto file = exported();
  ASSERT_TRUE(file.has_value());
  const std::regex policy(
      R"(content="default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+' 'sha256-[^']+'; img-src data:")");
  EXPECT_TRUE(std::regex_search(*file, policy)) << file->substr(0, 500);
}

TEST_F(PageExport, DaemonThatBreaksOffIsAnErrorNotAHalfFile) {
  const auto file = exported_page([](const std::string&) -> Result<Response> { return fail("broken off"); },
                                  PageAssets(kPage, library_));
  ASSERT_FALSE(file.has_value());
  EXPECT_NE(file.error().text().find("broken off"), std::string::npos);
}

TEST(ExportedFile, IsItsOwnersAloneInThePlaceOfAFileThatWasNot) {
  std::string folder = (std::filesystem::temp_directory_path() / "etad-export-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/page.html";
  std::ofstream(file) << "of before, for everybody";
  std::filesystem::permissions(file, std::filesystem::perms{0644});
  EXPECT_TRUE(replace_private(file, "of now"));
  EXPECT_EQ(text_of_file(file), "of now");
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms{0600});
  EXPECT_FALSE(write_private(file, "again")) << "it is there";
  std::filesystem::create_symlink(file, folder + "/link");
  EXPECT_FALSE(replace_private(folder + "/link", "by a link"));
  EXPECT_EQ(text_of_file(file), "of now");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2) << "nothing is left over";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace etad::client
