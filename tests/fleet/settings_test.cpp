// export.toml.
#include "fleet/export/settings.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "fleet/export/metrics.h"

namespace etad::fleet {
namespace {

using testing::HasSubstr;

std::string mistake(std::string_view toml) {
  const auto settings = parse_settings("export.toml", toml, "");
  return settings ? "" : settings.error().front().text();
}

TEST(SettingsTest, ADatabaseIsEnough) {
  const auto settings = parse_settings("export.toml", "database = \"postgresql://db/etad\"", "");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->database, "postgresql://db/etad");
  EXPECT_EQ(settings->interval.count(), 10);
  EXPECT_EQ(settings->privacy.networks, Names::keep);
}

TEST(SettingsTest, NoIntervalIsLongerThanTheOneBetweenTwoSignsOfLife) {
  const auto settings = parse_settings("export.toml", "database = \"x\"\ninterval = \"10m\"", "");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->interval, kSignOfLife);
}

TEST(SettingsTest, MistakesAreToldWithTheirPlace) {
  EXPECT_THAT(mistake(""), HasSubstr("no database is named"));
  EXPECT_THAT(mistake("database = \"x\"\nintervall = 3"),
              HasSubstr("export.toml:2: unknown key 'intervall'"));
  EXPECT_THAT(mistake("database = \"x\"\n[privacy]\npaths = \"hide\""),
              HasSubstr("\"keep\", \"hash\" or \"omit\""));
  EXPECT_THAT(mistake("database = \"x\"\n[privacy]\npaths = \"hash\""), HasSubstr("16 characters"));
  EXPECT_THAT(mistake("database = \"x\"\ntimeout = \"9d\""), HasSubstr("(timeout = \"2m\")"));
  EXPECT_TRUE(parse_settings("export.toml", "database = \"x\"\ntimeout = \"2m\"", ""));
  EXPECT_THAT(mistake("database = "), HasSubstr("export.toml:1"));
}

TEST(SettingsTest, CredentialsStandForWhatIsNotSaid) {
  std::string folder = testing::TempDir() + "etad-credentials-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/database") << "host=db user=etad\n";
  std::ofstream(folder + "/salt") << "a salt of sixteen\n";
  std::ofstream(folder + "/pgpass") << "*:*:*:*:secret\n";
  const auto settings = parse_settings("export.toml", "[privacy]\nnetworks = \"hash\"", folder);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(settings) << settings.error().front().text();
  EXPECT_EQ(settings->database, "host=db user=etad");
  EXPECT_EQ(settings->privacy.salt, "a salt of sixteen");
  EXPECT_EQ(settings->password_file, folder + "/pgpass");
}

TEST(SettingsTest, AFolderInPlaceOfAFileCantBeRead) {
  std::string folder = testing::TempDir() + "etad-credentials-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::filesystem::create_directory(folder + "/database");
  std::ofstream(folder + "/empty");
  EXPECT_EQ(text_of_file(folder), std::nullopt);
  EXPECT_EQ(text_of_file(folder + "/none"), std::nullopt);
  EXPECT_EQ(text_of_file(folder + "/empty"), "");
  EXPECT_FALSE(parse_settings("export.toml", "", folder));
  std::filesystem::remove_all(folder);
}

TEST(SettingsTest, MetricsAreInTheTextFormat) {
  Status status;
  status.waiting = 42;
  status.counters.failures["53100"] = 2;
  const std::string text = metrics_text(status, 1.5);
  EXPECT_THAT(text, HasSubstr("# TYPE etad_export_backlog_changes gauge\netad_export_backlog_changes 42\n"));
  EXPECT_THAT(text, HasSubstr("etad_export_lag_seconds 1.5\n"));
  EXPECT_THAT(text, HasSubstr("etad_export_refused_total 0\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE etad_export_failures_total counter\n"
                              "etad_export_failures_total{reason=\"53100\"} 2\n"
                              "etad_export_failures_total{reason=\"connection\"} 0\n"
                              "etad_export_failures_total{reason=\"history\"} 0\n"));
}

}  // namespace
}  // namespace etad::fleet
