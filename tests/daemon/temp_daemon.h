// A daemon with a history, socket and configuration of its own, in a folder that goes with the test.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "daemon/daemon.h"
#include "tests/places.h"

namespace etad {

class TempDaemon : public testing::Test {
 protected:
  TempDaemon() {
    std::string pattern = (std::filesystem::temp_directory_path() / "etad-daemon-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~TempDaemon() override {
    daemon_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string history() const { return (folder_ / "history.db").string(); }

  void start(Config config = {}) {
    config.host = "gpu1";
    config.storage.path = history();
    config.socket.path = (folder_ / "etad.sock").string();
    config.rules.path = {ETAD_RULES};
    daemon_ = std::move(Daemon::start(std::move(config), "", {}).value());
  }

  std::filesystem::path folder_;
  std::unique_ptr<Daemon> daemon_;
};

}  // namespace etad
