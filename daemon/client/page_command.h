// etactl page: the machine's trainings in a browser, or as one file to keep.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/client/commands.h"

namespace etad::client {

struct PageCommand {
  std::uint16_t port = 0;   // 0: the system chooses
  bool open = true;         // in a browser, where there is a desktop
  std::string export_file;  // not empty: write it there and be done
};

int page(const Common& common, const PageCommand& command);

}  // namespace etad::client
