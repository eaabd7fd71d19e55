// What a launcher writes before each line of a program that runs in many processes, to tell who spoke:
//
//   srun -l          " 0: Iteration 100"            torchrun, elastic  "[default0]:…", "[rank0]: …"
//   mpirun           "[1,0]<stdout>:…"              docker compose     "trainer-1  | …"
//   kubectl          "[pod/train-0/main] …"         Ray                "(Worker pid=71, ip=10.0.0.2) …"
//   pdsh             "10.0.0.2: …", "node-3: …"       Open MPI 5         "[prterun-host-71@1,0]<stdout>: …"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace etad {

struct LauncherLabel {
  std::size_t length = 0;     // of all that stands before the program's own words
  std::uint64_t speaker = 0;  // the same for all lines of one process; never 0
  bool certain = false;       // false: "120: 12.5, …" may as well be the program's own
};

// The label, or several of them one behind the other; nothing where there is none.
std::optional<LauncherLabel> launcher_label(std::string_view line);

// The speaker of that name.
std::uint64_t speaker_of(std::string_view who);

}  // namespace etad
