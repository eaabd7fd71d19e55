#include "daemon/log.h"

#include <gmock/gmock.h>

namespace etad {
namespace {

TEST(Log, LetsNoNameSteerTheTerminalItIsShownOnOrBeginALineOfItsOwn) {
  testing::internal::CaptureStderr();
  log::warning("/tmp/\x1b]52;c;eA==\x07.log: denied\n2026-01-01 error forged", {{"SOURCE",
                                                                                 "gnp.\xe2\x80\xae"
                                                                                 "log"}});
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, testing::HasSubstr("\\x1b]52;c;eA==\\x07.log: denied\\x0a2026-01-01"));
  EXPECT_THAT(shown, testing::HasSubstr("SOURCE=gnp.\\u202elog"));
  EXPECT_EQ(shown.find('\n'), shown.size() - 1);
}

TEST(Log, LetsNoNameSteerTheTerminalThatTheJournalIsReadOn) {
  const auto fields =
      log::journal_fields(log::Level::warning, "/tmp/gnp.\xe2\x80\xaelog: denied\netad: forged",
                          {{"SOURCE", "/tmp/gnp.\xe2\x80\xaelog\nPRIORITY=0"}});
  EXPECT_THAT(fields, testing::ElementsAre("MESSAGE=/tmp/gnp.\\u202elog: denied\\x0aetad: forged",
                                           "PRIORITY=4", "SYSLOG_IDENTIFIER=etad",
                                           "ETAD_SOURCE=/tmp/gnp.\\u202elog\\x0aPRIORITY=0"));
}

}  // namespace
}  // namespace etad
