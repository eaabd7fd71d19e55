// etactl reread and forget: what was read wrongly is read again, or goes.
#include <pwd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>

#include "daemon/client/commands.h"
#include "daemon/client/deployment_words.h"
#include "daemon/client/link/http_client.h"
#include "daemon/client/output.h"
#include "daemon/client/text.h"
#include "parsers/base/utf8.h"

namespace etad::client {
namespace {

namespace json = boost::json;

// All sources of the history.
Result<std::vector<Source>> all_sources(HttpClient& client) {
  std::vector<Source> out;
  const auto take = [&](const Response&, const Object& answer) {
    for (const Object& row : objects_of(answer, "sources")) {
      if (!known(row, "id")) continue;                // not in the history
      const auto* path = row.at("path").if_string();  // as it is, not as it is shown
      out.push_back({count_of(row, "id"), path == nullptr ? "" : std::string(*path), text_of(row, "kind")});
    }
  };
  const auto get = [&](const std::string& target) { return client.get(target); };
  const auto last = for_each_page(get, "/v1/sources", {}, std::numeric_limits<std::int64_t>::max(), take);
  if (!last) return tl::unexpected(last.error());
  if (!last->ok()) return fail("the daemon does not tell its sources");
  return out;
}

// `each` with every source that was asked for.
int with_sources(const Common& common, const std::vector<std::string>& asked,
                 const std::function<int(const Source&)>& each) {
  auto client = HttpClient::connect(common.socket);
  if (!client) return unreachable(client.error());
  const auto sources = all_sources(*client);
  if (!sources) return unreachable(sources.error());
  int worst = kDone;
  for (const std::string& name : asked) {
    const auto source = source_meant(*sources, name);
    if (!source) {
      std::cerr << "etactl: " << printable(name) << ' ' << source.error().message << "; "
                << source.error().hint << '\n';
      worst = std::max<int>(worst, kRefused);
      continue;
    }
    const int code = each(*source);
    if (code == kNoDaemon) return code;
    worst = std::max(worst, code);
  }
  return worst;
}

int remove(const Common& common, const std::string& target, const std::string& name) {
  return asked(
      common, [&](HttpClient& client) { return client.remove(target); },
      [&](const Object&) { return printable(name) + ": forgotten; the models follow\n"; });
}

// A uid as it is, or that of a user's name; nothing: there is no such user.
std::optional<std::string> uid_of(const std::string& user) {
  if (!user.empty() && user.find_first_not_of("0123456789") == std::string::npos) return user;
  const passwd* const entry = ::getpwnam(user.c_str());
  return entry == nullptr ? std::nullopt : std::optional(std::to_string(entry->pw_uid));
}

}  // namespace

Result<Source> source_meant(const std::vector<Source>& sources, const std::string& asked) {
  const std::string absolute = std::filesystem::absolute(asked).lexically_normal();
  const std::string told = valid_utf8(absolute);
  std::vector<Source> found;
  for (const Source& source : sources) {
    if (std::to_string(source.id) == asked) return source;
    if (source.path == asked || source.path == told) found.push_back(source);
  }
  if (found.empty()) return fail("is no source", "`etactl sources` lists them with their ids");
  if (found.size() > 1) {
    std::string ids;
    for (const Source& source : found) ids += (ids.empty() ? "" : ", ") + std::to_string(source.id);
    return fail("is the path of several sources, " + ids, "say which one by its id");
  }
  if (found[0].path == told) found[0].path = absolute;  // what an import is read from again
  return found[0];
}

int reread(const Common& common, const std::vector<std::string>& sources, const ImportOptions& options) {
  return with_sources(common, sources, [&](const Source& source) -> int {
    if (source.kind == "import") {
      ImportOptions again = options;
      again.files = {source.path};
      again.replaces = source.id;
      return import_files(common, again);
    }
    return change(common, "/v1/sources/" + std::to_string(source.id) + "/reread", "", [&](const Object&) {
      return printable(source.path) + ": read again; the models follow\n";
    });
  });
}

int forget_runs(const Common& common, const std::vector<std::string>& ids) {
  int worst = kDone;
  for (const std::string& id : ids) {
    const int code = remove(common, "/v1/runs/" + path_segment(id), "run " + id);
    if (code == kNoDaemon) return code;
    worst = std::max(worst, code);
  }
  return worst;
}

int forget_owners(const Common& common, const std::vector<std::string>& users) {
  int worst = kDone;
  for (const std::string& user : users) {
    const auto uid = uid_of(user);
    if (!uid) {
      std::cerr << "etactl: there is no user " << printable(user) << " here; a uid will do\n";
      worst = std::max<int>(worst, kRefused);
      continue;
    }
    const auto forgotten = [&](const Object& answer) {
      return "user " + printable(user) + ": " + counted(count_of(answer, "runs"), "run") + " of " +
             counted(count_of(answer, "sources"), "source") + " forgotten; the models follow\n";
    };
    const int code = asked(
        common, [&](HttpClient& client) { return client.remove("/v1/owners/" + *uid); }, forgotten);
    worst = std::max(worst, code);
  }
  return worst;
}

int forget_sources(const Common& common, const std::vector<std::string>& sources) {
  return with_sources(common, sources, [&](const Source& source) {
    return remove(common, "/v1/sources/" + std::to_string(source.id), source.path);
  });
}

}  // namespace etad::client
