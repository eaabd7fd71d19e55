// Many lives of logs and of the daemon that follows them, each from a seed.
//
//     simulation [--lives N] [--seed S] [--without interleaving|kills|power|faults|clock]… [--with company]
//                [--story detailed]
//
// The first life that breaks a promise is told with its seed, its story and what lies there at its end.
#include <malloc.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include "daemon/log.h"
#include "tests/simulation/life.h"

namespace {

using namespace etad;

constexpr const char* kFormat = R"(
format = "simulated"
framework = "simulated"
description = "Numbered steps"
timestamp = "none"

[[rule]]
name = "run"
event = "run_start"
pattern = 'run of (?P<network>\w+)$'

[[rule]]
name = "step"
event = "progress"
pattern = 'job(?P<loss>\d+) step (?P<iteration>\d+) \w* end(?: \[1it/s\])?$'

[[sample]]
line = "run of job3"
event = "run_start"

[[sample]]
line = "job3 step 17 xx end"
event = "progress"

[[sample]]
line = "job3 step 17 xx"
event = ""
)";

std::shared_ptr<const FormatSet> formats() {
  auto format = Format::load("simulated", kFormat);
  if (!format) {
    for (const Error& error : format.error()) std::cerr << error.text() << "\n";
    std::exit(2);
  }
  return std::make_shared<FormatSet>(FormatSet::make({*format}).value());
}

// A history that was just made, for all lives that do not begin by making one: that takes a tenth of a life.
simulation::Disk::Image new_history(const std::string& path) {
  std::mt19937_64 unused;
  simulation::Disk disk(unused);
  static_cast<void>(Writer::open(path).value());
  return disk.image();
}

int usage() {
  std::cerr << "simulation [--lives N] [--seed S] [--without interleaving|kills|power|faults|clock]… [--with "
               "company]"
               " [--story detailed]\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t lives = 10'000, seed = 1;
  simulation::Hardships hardships;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc) return usage();
    const std::string value = argv[i + 1];
    if (option == "--lives") {
      lives = std::stoull(value);
    } else if (option == "--seed") {
      seed = std::stoull(value);
    } else if (option == "--without") {
      (value == "interleaving" ? hardships.interleaving
       : value == "kills"      ? hardships.kills
       : value == "power"      ? hardships.power_cuts
       : value == "faults"     ? hardships.faults
                               : hardships.clock) = false;
    } else if (option == "--with") {
      hardships.company = value == "company";
    } else if (option == "--story") {
      hardships.detailed = value == "detailed";
    } else {
      return usage();
    }
  }
  log::set_level("error");
  // Lives are short and alike: memory goes from one to the next, not to the kernel and back. And the daemon has SQLite
  // count no bytes, which must be said before the simulated disk asks it anything.
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  std::string pattern = (std::filesystem::temp_directory_path() / "etad-simulation-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  const auto known = formats();
  const std::string history = (folder / "history.db").string();
  const auto begin = new_history(history);
  int result = 0;
  for (std::uint64_t life = seed; life < seed + lives && result == 0; ++life) {
    try {
      simulation::Life(life, hardships, history, begin, known).live();
    } catch (const simulation::Broken& broken) {
      std::cout << "seed " << life << ": " << broken.what() << std::endl;
      result = 1;
    }
  }
  if (result == 0) std::cout << lives << " lives, from seed " << seed << ": nothing lost, nothing doubled\n";
  std::filesystem::remove_all(folder);
  return result;
}
