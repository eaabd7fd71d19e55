#include "daemon/paths/paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

namespace etad::paths {
namespace {

Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Paths, TheSystemsAreThoseOfThePrefix) {
  const Paths usr = of_system("/usr");
  EXPECT_EQ(usr.config, "/etc/etad/etad.toml");
  EXPECT_EQ(usr.rules, (std::vector<std::string>{"/usr/share/etad/rules.d", "/etc/etad/rules.d"}));
  EXPECT_EQ(usr.history, "/var/lib/etad/history.db");
  EXPECT_EQ(usr.socket, "/run/etad/etad.sock");
  const Paths local = of_system("/usr/local");
  EXPECT_EQ(local.config, "/usr/local/etc/etad/etad.toml");
  EXPECT_EQ(local.rules,
            (std::vector<std::string>{"/usr/local/share/etad/rules.d", "/usr/local/etc/etad/rules.d"}));
}

TEST(Paths, AProgramKnowsItsPrefixByTheRulesBesideIt) {
  std::string pattern = (std::filesystem::temp_directory_path() / "etad-prefix-XXXXXX").string();
  const std::filesystem::path prefix = mkdtemp(pattern.data());
  EXPECT_EQ(install_prefix((prefix / "sbin/etad").string()), "/usr") << "nothing was installed here";
  std::filesystem::create_directories(prefix / "share/etad/rules.d");
  EXPECT_EQ(install_prefix((prefix / "sbin/etad").string()), prefix.string());
  EXPECT_EQ(install_prefix((prefix / "bin/etactl").string()), prefix.string());
  EXPECT_EQ(install_prefix((prefix / "build/etad").string()), "/usr");
  EXPECT_EQ(install_prefix(""), "/usr");
  std::filesystem::remove_all(prefix);
}

TEST(Paths, AUsersAreTheXdgFolders) {
  const Paths plain =
      of_user("/usr", environment({{"HOME", "/home/ada"}, {"XDG_RUNTIME_DIR", "/run/user/7"}}));
  EXPECT_EQ(plain.config, "/home/ada/.config/etad/etad.toml");
  EXPECT_EQ(plain.rules,
            (std::vector<std::string>{"/usr/share/etad/rules.d", "/home/ada/.config/etad/rules.d"}));
  EXPECT_EQ(plain.history, "/home/ada/.local/state/etad/history.db");
  EXPECT_EQ(plain.socket, "/run/user/7/etad/etad.sock");
  EXPECT_EQ(plain.home, "/home/ada");
  const Paths moved = of_user("/usr", environment({{"HOME", "/home/ada"},
                                                   {"XDG_CONFIG_HOME", "/c"},
                                                   {"XDG_STATE_HOME", "/s"},
                                                   {"XDG_RUNTIME_DIR", "relative"}}));
  EXPECT_EQ(moved.config, "/c/etad/etad.toml");
  EXPECT_EQ(moved.history, "/s/etad/history.db");
  EXPECT_FALSE(moved.socket.starts_with("relative")) << "the standard has relative paths ignored";
}

TEST(Paths, AClientAsksWhereItIsToldOrWhereSomebodyListens) {
  EXPECT_EQ(client_socket(environment({{"ETAD_SOCKET", "/x/s"}, {"XDG_RUNTIME_DIR", "/nowhere"}})), "/x/s");
  EXPECT_EQ(client_socket(environment({{"XDG_RUNTIME_DIR", "/nowhere"}})), "/run/etad/etad.sock");
}

}  // namespace
}  // namespace etad::paths
