// How the commands report what came of a request.
#pragma once

#include <functional>
#include <string>

#include "daemon/client/commands.h"
#include "daemon/client/link/http_client.h"

namespace etad::client {

// To stderr; the exit code of a daemon that is not there.
int unreachable(const Error& error);

// The body as `view` shows it (or unchanged, with --json) to stdout; a problem to stderr, with the file it
// is about where that is one of several. The exit code.
int answered(const Common& common, const Response& response,
             const std::function<std::string(const Object&)>& view, const std::string& file = {});

// Asks the daemon: `send` makes the request, and `view` shows what came of it, as answered() does.
int asked(const Common& common, const std::function<Result<Response>(HttpClient&)>& send,
          const std::function<std::string(const Object&)>& view);

// Likewise for what etactl did without the daemon: `report` as `view` shows it, or with --json as it is. Gives kDone.
int done(const Common& common, const Object& report, const std::function<std::string(const Object&)>& view);

// Says that a file was written, with its size in bytes. Gives kDone.
int written_file(const Common& common, const std::string& file, double bytes);

}  // namespace etad::client
