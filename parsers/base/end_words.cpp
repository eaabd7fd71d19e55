#include "parsers/base/end_words.h"

#include <algorithm>

#include "parsers/base/sixteen.h"

namespace etad {
namespace {

// Whether "rl", "ni", "rr", "IG", "LD", "Ki", "Te" or "Se" stands in it, as they do in "early", "training", "error" (or
// "interrupt"), "SIGTERM", "FOLD", "Killed", "Terminated" and "Segmentation fault".
bool has_end_word(std::string_view line) {
  if (line.size() <= sizeof(Sixteen)) return true;
  Sixteen found{};
  const auto step = [&](const char* at) {
    const Sixteen here = sixteen_at(at), next = sixteen_at(at + 1);
    found |= static_cast<Sixteen>(((here == 'r') & ((next == 'l') | (next == 'r'))) |
                                  (((here == 'n') | (here == 'K')) & (next == 'i')) |
                                  ((here == 'I') & (next == 'G')) | ((here == 'L') & (next == 'D')) |
                                  (((here == 'T') | (here == 'S')) & (next == 'e')));
  };
  const std::size_t last = line.size() - sizeof(Sixteen) - 1;
  for (std::size_t at = 0; at < last; at += sizeof(Sixteen)) step(line.data() + at);
  step(line.data() + last);  // some of these bytes for the second time
  return any_of(found);
}

// "No improvement for 10 epochs, stopping.", "[2026-03-01 10:00:12] Done!"
bool ends_stopping(std::string_view line) {
  if (line.ends_with('.') || line.ends_with('!')) line.remove_suffix(1);
  return line.ends_with("topping") || line.ends_with(" Done");
}

// The head of Lightning's test in its older form, which none of the words above is in.
bool is_lightnings_older_test(std::string_view line) {
  return line.ends_with('S') && line.ends_with(" TEST RESULTS") && line.starts_with("DATALOADER:");
}

// "[2026-03-04 05:06:07,250] [ERROR] [launch.py:325:sigkill_handler] ['python', …] exits with return code = 1".
bool ends_with_code_of_deepspeed(std::string_view line) {
  constexpr std::size_t kCode = 4;  // "-255"
  return line.substr(line.size() - std::min(line.size(), kDeepSpeedsCode.size() + kCode))
             .find(kDeepSpeedsCode) != line.npos;
}

}  // namespace

bool is_slurmstepd(std::string_view line) {
  return line.starts_with('s') && line.starts_with("slurmstepd");
}

bool is_slurms_cancelling(std::string_view line) {
  return (line.starts_with("error: *** JOB ") || line.starts_with("error: *** STEP ")) &&
         line.find(" CANCELLED AT ") != line.npos;
}

bool begins_traceback(std::string_view line) {
  return line.ends_with(':') && line.ends_with("Traceback (most recent call last):");
}

bool is_frame(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.starts_with("File \"") && line.find("\", line ") != line.npos &&
         line.find(", in ") != line.npos;
}

bool is_last_of_process(std::string_view line) {
  if (line.empty()) return false;
  const auto begins = [line](std::string_view words) { return line.starts_with(words); };
  switch (line.front()) {
    case 'S':
      return begins("Segmentation fault") || (begins("Subject: Job ") && line.ends_with("> Exited"));
    case 'A':
      return line == "Aborted" || begins("Aborted (");
    case 'B':
      return begins("Bus error");
    case 'F':
      return begins("Fatal Python error: ");
    case 't':
      return begins("terminate called after throwing");
    case 'm':  // Open MPI's, by either name
      return begins("mpirun noticed that process rank ") || begins("mpiexec noticed that process rank ") ||
             begins("mpirun detected that one or more processes exited") ||
             begins("mpiexec detected that one or more processes exited") || begins("make: *** [");
    case 'Y':  // MPICH's
      return begins("YOUR APPLICATION TERMINATED WITH THE EXIT STRING: ");
    case 's':
      return begins("srun: error: ") && line.find(": task") != line.npos;
    case 'T':
      return begins("TERM_RUNLIMIT: ") || begins("TERM_MEMLIMIT: ") || begins("TERM_OWNER: ");
    case '=':
      return begins("=>> PBS: job killed: ");
    case '[':
      return ends_with_code_of_deepspeed(line);
    case '#':  // GitHub's runners
      return begins("##[error]Process completed with exit code ") ||
             begins("##[error]The operation was canceled");
    case 'C':  // time's
      return begins("Command exited with non-zero status ");
    case 'E':  // GitHub's page, conda's, LSF's, torchrun's
      return begins("Error: Process completed with exit code ") || begins("ERROR conda.cli.main_run") ||
             begins("Exited with exit code ") || begins("Exited with signal termination: ") ||
             line.find(" failed (exitcode: ") != line.npos || line.find(":failed (exitcode: ") != line.npos;
    default:
      return false;
  }
}

bool is_launchers_end(std::string_view line) {
  if (line.ends_with('e')) return line.starts_with("Subject: Job ") && line.ends_with("> Done");
  return line.ends_with('.') && (line.ends_with(" exits successfully.") || line == "Successfully completed.");
}

bool is_lightnings_test(std::string_view line) {
  if (is_lightnings_older_test(line) || line.find("Runningstage.testing ") != line.npos) return true;
  return line.find("Test metric ") != std::string_view::npos &&
         line.find(" DataLoader 0 ") != std::string_view::npos;
}

bool is_wandbs_end(std::string_view line) {
  constexpr std::string_view kName = "wandb: ";
  if (!line.starts_with('w') || !line.starts_with(kName)) return false;
  const std::string_view said = line.substr(kName.size());
  return said == "Run summary:" || said.starts_with("Synced ");
}

bool may_tell_end(std::string_view line) {
  return has_end_word(line) || is_slurmstepd(line) || begins_traceback(line) || is_frame(line) ||
         is_launchers_end(line) || is_lightnings_older_test(line) || is_wandbs_end(line) ||
         is_last_of_process(line) || ends_stopping(line);
}

}  // namespace etad
