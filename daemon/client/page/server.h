// The page's web server: on the loopback interface, as the user who runs etactl, for as long as he lets it.
// The daemon opens no network; what the page asks of it goes through its socket with the user's own rights.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "daemon/client/page/assets.h"
#include "parsers/base/error.h"

namespace etad::client {

struct PageOptions {
  std::string socket;      // the daemon's
  std::uint16_t port = 0;  // 0: the system chooses
};

// Serves until the process is interrupted; `ready` is told the address once it can be opened. Returns only
// where the port can't be had.
Result<void> serve_page(const PageOptions& options, const PageAssets& assets,
                        const std::function<void(const std::string& address)>& ready);

// A secret of 128 random bits, as hexadecimal digits.
std::string page_secret();

}  // namespace etad::client
