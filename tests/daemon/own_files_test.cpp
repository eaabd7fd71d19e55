#include "daemon/own_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "daemon/system.h"

#include "tests/daemon/followed_files.h"

namespace etad {
namespace {

using OwnFiles = FollowedFiles;

TEST_F(OwnFiles, TheDatabaseIsNoFileToFollowUnderWhateverName) {
  std::filesystem::create_symlink(path(), file("link.log"));
  std::filesystem::create_hard_link(path() + "-wal", file("hard.log"));
  append("real.log", "a line\n");
  const auto files = without_database(follow::posix_filesystem(), path());
  for (const std::string& name : {path(), file("link.log").string(), file("hard.log").string()}) {
    EXPECT_EQ(files->open(name).error(), EINVAL) << name;
    EXPECT_EQ(files->status(name).value().type, follow::FileType::other) << name;
  }
  const auto handle = files->open(file("real.log").string());
  ASSERT_TRUE(handle);
  files->close(*handle);
}

TEST_F(OwnFiles, AFileIsItsOwnersAccounts) {
  append("real.log", "a line\n");
  const std::string path_of_log = file("real.log").string();
  const std::int64_t uid = geteuid();
  const std::string text = "77777:" + std::to_string(uid) + ":1\n";
  const auto accounts = Accounts::parse(text, -1, [](const std::string&) { return std::nullopt; });
  const auto files = without_database(follow::posix_filesystem(), path(), accounts);
  EXPECT_EQ(files->status(path_of_log)->owner, 77777);
  const auto handle = files->open(path_of_log);
  ASSERT_TRUE(handle);
  EXPECT_EQ(files->status(*handle)->owner, 77777);
  files->close(*handle);
}

TEST_F(OwnFiles, ANameIsWhoseItIsAndNotWhoseItLeadsTo) {
  const std::string link = file("link.log").string();
  std::filesystem::create_symlink("/etc/passwd", link);
  const bool is_root = geteuid() == 0;
  const std::int64_t uid = is_root ? 77777 : geteuid();
  ASSERT_EQ(lchown(link.c_str(), static_cast<uid_t>(uid), static_cast<gid_t>(-1)), 0);
  EXPECT_EQ(system::owner_of_name(link), uid);
  EXPECT_EQ(system::owner_of_name(file("none/below/it.log").string()), geteuid()) << "whose the folder is";
  EXPECT_EQ(system::owner_of_name("/nothing-of-that-name"), 0);
  EXPECT_EQ(system::owner_of_name("journal:caffe.service"), std::nullopt);
}

TEST(OwnFilesPatterns, ThatFindTheDatabaseAreKnown) {
  for (const char* pattern :
       {"/var/lib/etad/history.db", "/var/lib/etad/*", "/var/lib/*/history*", "/var/lib/etad/*-wal"})
    EXPECT_TRUE(names_database(pattern, "/var/lib/etad/history.db")) << pattern;
  for (const char* pattern : {"/var/lib/*", "/var/lib/etad/*.log", "/var/log/*"})
    EXPECT_FALSE(names_database(pattern, "/var/lib/etad/history.db")) << pattern;
}

}  // namespace
}  // namespace etad
