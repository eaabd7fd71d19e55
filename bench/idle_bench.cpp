// What ten thousand followed idle files cost: CPU time against the clock's time, memory, and the first pass.
// The clock is simulated, the files are real. Prints one line of JSON.
//
//   idle_bench [FILES] [SIMULATED_SECONDS]
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/follower.h"

namespace {

using etad::follow::Batch;
using etad::follow::Follower;
using etad::follow::SteadyTime;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double resident_megabytes() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// Everything that is due until `end`, as the ingest thread would ask for it. The number of lines.
std::size_t run_until(Follower& follower, SteadyTime& now, SteadyTime end) {
  std::size_t lines = 0;
  while (now < end) {
    for (const Batch& batch : follower.poll(now, etad::Instant{}, 1 << 20)) {
      lines += batch.lines.size();
      follower.committed(batch);
    }
    now = std::max(follower.next_due(now), now + std::chrono::milliseconds(1));
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const int seconds = argc > 2 ? std::atoi(argv[2]) : 600;
  std::string directory = (std::filesystem::temp_directory_path() / "etad-idle-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) return 1;
  for (int i = 0; i < count; ++i)
    std::ofstream(directory + "/run" + std::to_string(i) + ".log")
        << "I0711 10:15:28.123456  4711 solver.cpp:60] x\n";

  const auto files = etad::follow::posix_filesystem();
  etad::follow::Errno error = 0;
  const auto hints = etad::follow::inotify_hints(error);
  const double empty = resident_megabytes();
  Follower follower(*files, hints.get(), {{directory + "/*.log", 0, false}});
  SteadyTime now{std::chrono::hours(1)};
  const double begin = cpu_seconds();
  const std::size_t lines = run_until(follower, now, now + std::chrono::seconds(60));  // and backed off
  const double first = cpu_seconds() - begin;
  const double idle_begin = cpu_seconds();
  run_until(follower, now, now + std::chrono::seconds(seconds));
  const double idle = cpu_seconds() - idle_begin;
  std::cout << "{\"files\": " << count << ", \"lines\": " << lines
            << ", \"first_minute_cpu_seconds\": " << first
            << ", \"idle_cpu_percent\": " << 100 * idle / seconds
            << ", \"megabytes\": " << resident_megabytes() - empty << "}\n";
  std::filesystem::remove_all(directory);
}
