#include "fleet/export/settings.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "daemon/settings/table.h"

namespace etad::fleet {
namespace {

using config::Expected;
using config::Table;

// A credential without the newline that an editor leaves at its end; empty: there is none.
std::string credential(const std::string& folder, const char* name) {
  if (folder.empty()) return {};
  std::string text = text_of_file(folder + "/" + name).value_or("");
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

void read_names(Table& table, std::string_view key, Names& out) {
  table.read(key, [&](const toml::node& node) -> Expected {
    const auto word = node.value_exact<std::string>();
    if (word == "keep") {
      out = Names::keep;
    } else if (word == "hash") {
      out = Names::hash;
    } else if (word == "omit") {
      out = Names::omit;
    } else {
      return R"("keep", "hash" or "omit")";
    }
    return std::nullopt;
  });
}

void read_all(Table& table, Settings& out) {
  table.text("database", out.database);
  table.text("password_file", out.password_file);
  table.text("history", out.history);
  table.text("host", out.host);
  table.text("metrics", out.metrics);
  table.duration("interval", out.interval);
  out.interval = std::min(out.interval, kSignOfLife);
  table.duration("timeout", out.timeout);
  table.number("batch", out.batch, 1, 10'000);
  table.texts("series", out.series);
  table.section("privacy", [&](Table& privacy) {
    read_names(privacy, "networks", out.privacy.networks);
    read_names(privacy, "paths", out.privacy.paths);
    read_names(privacy, "users", out.privacy.users);
    privacy.text("salt", out.privacy.salt);
  });
}

}  // namespace

std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream file(path);
  file.peek();  // a folder can be opened; to read from its buffer would throw
  if (!file.is_open() || file.bad()) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

tl::expected<Settings, std::vector<Error>> parse_settings(std::string_view where, std::string_view toml,
                                                          const std::string& credentials) {
  Settings out;
  config::Errors errors;
  const auto table = config::parse(where, toml);
  if (!table) return tl::unexpected(config::Errors{table.error()});
  Table all(where, "", *table, errors);
  read_all(all, out);
  all.done();
  if (out.database.empty()) out.database = credential(credentials, "database");
  if (out.privacy.salt.empty()) out.privacy.salt = credential(credentials, "salt");
  if (out.password_file.empty() && !credentials.empty() &&
      access((credentials + "/pgpass").c_str(), R_OK) == 0)
    out.password_file = credentials + "/pgpass";
  const Privacy& privacy = out.privacy;
  const bool hashes =
      privacy.networks == Names::hash || privacy.paths == Names::hash || privacy.users == Names::hash;
  if (errors.empty() && out.database.empty())
    errors.push_back(
        {std::string(where), "no database is named",
         "database = \"postgresql://USER@HOST/NAME?sslmode=verify-full\", or the credential \"database\""});
  if (errors.empty() && out.timeout > std::chrono::hours(24))
    errors.push_back({std::string(where), "with a timeout beyond a day a silent server would not be noticed",
                      "timeout = \"2m\""});
  if (errors.empty() && hashes && privacy.salt.size() < 16)
    errors.push_back(
        {std::string(where), "names are to be hashed, and privacy.salt has fewer than 16 characters",
         "without a secret, every name that can be guessed can be found; give all hosts the same one"});
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return out;
}

}  // namespace etad::fleet
