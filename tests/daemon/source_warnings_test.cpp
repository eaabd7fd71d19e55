// What the log says of files that can't be read, however their owners play with them.
#include "daemon/source_warnings.h"

#include <gmock/gmock.h>

namespace etad {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::SizeIs;

class SourceWarningsTest : public testing::Test {
 protected:
  static follow::Status file(const std::string& path, const std::string& text) {
    follow::Status out;
    out.path = path;
    out.text = text;
    out.state = text == "following" ? follow::State::following : follow::State::waiting;
    return out;
  }

  std::vector<std::string> told_;
  SourceWarnings warnings_{
      [this](log::Level, const std::string& text, const std::string&) { told_.push_back(text); }};
  follow::SteadyTime now_{std::chrono::hours(1000)};
};

TEST_F(SourceWarningsTest, TellWhenAFileCanNotBeReadAndWhenItCanAgain) {
  warnings_.look({file("/a.log", "following"), file("/b.log", "waiting: denied")}, now_);
  warnings_.look({file("/a.log", "following"), file("/b.log", "waiting: denied")}, now_ + seconds(500));
  warnings_.look({file("/a.log", "following"), file("/b.log", "following")}, now_ + seconds(501));
  EXPECT_THAT(told_, ElementsAre("/b.log: waiting: denied", "/b.log: no longer waiting: denied"));
}

TEST_F(SourceWarningsTest, OfAFileWhoseErrorComesAndGoesThereIsOneAMinute) {
  for (int i = 0; i < 2400; ++i)  // ten minutes
    warnings_.look({file("/a.log", i % 3 == 0   ? "following"
                                   : i % 3 == 1 ? "waiting: denied"
                                                : "waiting: I/O error")},
                   now_ + i * milliseconds(250));
  EXPECT_THAT(told_, SizeIs(testing::AllOf(testing::Ge(5), testing::Le(11))));
  told_.clear();
  warnings_.look({}, now_ + seconds(700));
  warnings_.look({}, now_ + seconds(800));
  EXPECT_THAT(told_, SizeIs(testing::Le(1))) << "and how it stands at last is known";
}

TEST_F(SourceWarningsTest, OfManyFilesSomeAreToldAndHowManyWereNot) {
  for (int i = 0; i < 1000; ++i) warnings_.tell("/folder" + std::to_string(i) + ": denied", now_);
  EXPECT_THAT(told_, SizeIs(SourceWarnings::kMostAMinute));
  told_.clear();
  warnings_.tell("/another: denied", now_ + seconds(61));
  EXPECT_THAT(told_, ElementsAre("940 messages about files were left out: `etactl sources` tells all",
                                 "/another: denied"));
}

}  // namespace
}  // namespace etad
