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

  void look(const std::vector<follow::Status>& streams, follow::SteadyTime now) {
    warnings_.look(streams, {}, now);
  }

  std::vector<std::string> told_;
  int asked_ = 0;  // whose a name is
  SourceWarnings warnings_{
      [this](log::Level, const std::string& text, const std::string&) { told_.push_back(text); },
      [this](const std::string& path) {
        ++asked_;
        return MessageLimit::Owner(path.starts_with("/ada/") ? 1001 : 1002);
      }};
  follow::SteadyTime now_{std::chrono::hours(1000)};
};

TEST_F(SourceWarningsTest, TellWhenAFileCanNotBeReadAndWhenItCanAgain) {
  look({file("/a.log", "following"), file("/b.log", "waiting: denied")}, now_);
  look({file("/a.log", "following"), file("/b.log", "waiting: denied")}, now_ + seconds(500));
  look({file("/a.log", "following"), file("/b.log", "following")}, now_ + seconds(501));
  EXPECT_THAT(told_, ElementsAre("/b.log: waiting: denied", "/b.log: no longer waiting: denied"));
}

TEST_F(SourceWarningsTest, OfAFileWhoseErrorComesAndGoesThereIsOneAMinute) {
  for (int i = 0; i < 2400; ++i)  // ten minutes
    look({file("/a.log", i % 3 == 0   ? "following"
                         : i % 3 == 1 ? "waiting: denied"
                                      : "waiting: I/O error")},
         now_ + i * milliseconds(250));
  EXPECT_THAT(told_, SizeIs(testing::AllOf(testing::Ge(5), testing::Le(11))));
  told_.clear();
  look({}, now_ + seconds(700));
  look({}, now_ + seconds(800));
  EXPECT_THAT(told_, SizeIs(testing::Le(1))) << "and how it stands at last is known";
}

TEST_F(SourceWarningsTest, OfManyFilesSomeAreToldAndHowManyWereNot) {
  for (int i = 0; i < 1000; ++i) warnings_.tell("/ada/" + std::to_string(i), "denied", now_);
  EXPECT_THAT(told_, SizeIs(SourceWarnings::kMostAMinute));
  told_.clear();
  warnings_.tell("/ada/another", "denied", now_ + seconds(61));
  EXPECT_THAT(told_,
              ElementsAre("940 messages about files of user 1001 were left out: `etactl sources` tells all",
                          "denied"));
}

TEST_F(SourceWarningsTest, HowManyWereLeftOutIsToldAlsoWhereNoMoreCome) {
  for (int i = 0; i < 1000; ++i) warnings_.tell("/ada/" + std::to_string(i), "denied", now_);
  told_.clear();
  look({}, now_ + seconds(59));
  EXPECT_THAT(told_, SizeIs(0));
  look({}, now_ + seconds(61));
  look({}, now_ + seconds(122));
  EXPECT_THAT(told_,
              ElementsAre("940 messages about files of user 1001 were left out: `etactl sources` tells all"));
}

TEST_F(SourceWarningsTest, OneUsersManyHideNoneOfAnothers) {
  std::vector<follow::Status> files;
  follow::Lookup lookup;
  for (int i = 0; i < 500; ++i) {
    files.push_back(file("/ada/" + std::to_string(i) + ".log", "waiting: denied"));
    lookup.unreadable.push_back({"/ada/" + std::to_string(i), "denied"});
  }
  files.push_back(file("/ben/a.log", "waiting: denied"));
  lookup.unreadable.push_back({"/ben/private", "denied"});
  lookup.passed_over.push_back({"/ben/exp.1", "grows and is not read"});
  lookup.unasked.push_back({"/ben/b.log", "Input/output error"});
  warnings_.look(files, lookup, now_);
  EXPECT_THAT(told_, SizeIs(SourceWarnings::kMostAMinute + 4));
  EXPECT_THAT(told_,
              testing::IsSupersetOf({"/ben/a.log: waiting: denied", "/ben/private: denied",
                                     "/ben/exp.1: grows and is not read", "/ben/b.log: Input/output error"}));
}

TEST_F(SourceWarningsTest, WhatIsOverIsToldAsWhoseItWas) {
  look({file("/ada/a.log", "waiting: denied")}, now_);
  look({}, now_ + seconds(61));  // its name may be gone, or another's
  EXPECT_THAT(told_, SizeIs(2));
  EXPECT_EQ(asked_, 1);
}

}  // namespace
}  // namespace etad
