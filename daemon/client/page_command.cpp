#include "daemon/client/page_command.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "daemon/client/link/http_client.h"
#include "daemon/client/output.h"
#include "daemon/client/page/export.h"
#include "daemon/client/page/server.h"
#include "daemon/client/text.h"

namespace etad::client {
namespace {

// Shows the address in the desktop's browser. It goes by way of a file that only its owner can read: every
// user of the machine can read the arguments of a process, and the address holds the token.
void open_in_browser(const std::string& address) {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  const bool desktop = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (!desktop || runtime == nullptr || isatty(STDOUT_FILENO) == 0) return;
  std::string file = std::string(runtime) + "/etactl-page-" + std::to_string(getpid()) + ".html";
  // One of the same name is what a page of the same process id has left behind.
  if (!replace_private(file,
                       "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=" + address + "\">"))
    return;
  std::string program = "xdg-open";
  char* const arguments[] = {program.data(), file.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return;
  int status = 0;
  waitpid(child, &status, 0);
}

// "without the runs of LeNet, run 12 and 20 more\n"
std::string left_out_text(const std::vector<std::string>& parts) {
  constexpr std::size_t kShown = 10;
  std::string out = "without ";
  for (std::size_t i = 0; i < std::min(parts.size(), kShown); ++i)
    out += (i == 0 ? "" : ", ") + printable(parts[i]);
  if (parts.size() > kShown) out += " and " + std::to_string(parts.size() - kShown) + " more";
  return out + "\n";
}

int export_page(const Common& common, const std::string& file) {
  auto client = HttpClient::connect(common.socket);
  if (!client) return unreachable(client.error());
  const auto ask = [&](const std::string& target) { return client->get(target); };
  const Result<ExportedPage> exported = exported_page(ask, PageAssets::installed());
  if (!exported) {
    std::cerr << "etactl: " << printable(exported.error().text()) << '\n';
    return kRefused;
  }
  if (!replace_private(file, exported->text)) {
    std::cerr << "etactl: " << printable(file) << " can't be written\n";
    return kUsage;
  }
  if (!exported->left_out.empty())
    std::cerr << "etactl: too large to hold all: " << left_out_text(exported->left_out);
  return written_file(common, file, static_cast<double>(exported->text.size()));
}

}  // namespace

int page(const Common& common, const PageCommand& command) {
  if (!command.export_file.empty()) return export_page(common, command.export_file);
  if (auto client = HttpClient::connect(common.socket); !client) return unreachable(client.error());
  const PageAssets assets = PageAssets::installed();
  for (const char* const name : {"index.html", "vendor/dygraph.min.js"}) {
    if (const auto there = assets.read(name); !there) {
      std::cerr << "etactl: " << printable(there.error().text()) << '\n';
      return kRefused;
    }
  }
  const auto served = serve_page({common.socket, command.port}, assets, [&](const std::string& address) {
    done(common, {{"address", address}}, [](const Object& page) {
      return text_of(page, "address") + "\nThe address is good for one browser. Ctrl-C ends the page.\n";
    });
    if (command.open) open_in_browser(address);
  });
  std::cerr << "etactl: " << printable(served.error().text()) << '\n';
  return kRefused;
}

}  // namespace etad::client
