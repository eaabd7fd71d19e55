// etactl: the daemon's client. Everything is in daemon/client.
#include <csignal>
#include <exception>
#include <iostream>

#include "daemon/client/cli.h"
#include "daemon/version.h"
#include "parsers/base/printable.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a daemon that hangs up is an error to report, not a reason to die
  try {
    return etad::client::run(argc, argv, etad::kVersion);
  } catch (const std::exception& error) {
    std::cerr << "etactl: " << etad::printable(error.what()) << '\n';
    return 1;
  }
}
