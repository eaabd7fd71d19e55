#include "parsers/training/last_words.h"

#include <algorithm>

#include "parsers/base/text.h"
#include "parsers/training/tracker_state.h"

namespace etad::track {
namespace {

// "torch.cuda.OutOfMemoryError: CUDA out of memory.": a dotted name, and what it says.
bool is_exception(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  const bool dotted = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c == '.' || c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
  if (!dotted) return false;
  for (const std::string_view kind : {"Error", "Exception", "Interrupt"})
    if (name.find(kind) != std::string_view::npos) return true;
  return false;
}

// "slurmstepd: error: *** JOB 71 ON node3 CANCELLED AT 2026-03-01T10:00:00 DUE TO TIME LIMIT ***".
bool is_slurms(std::string_view line) {
  return line.starts_with("slurmstepd") &&
         (line.find("CANCELLED") != std::string_view::npos ||
          line.find("oom-kill") != std::string_view::npos || line.find("oom_kill") != std::string_view::npos);
}

}  // namespace

bool LastWords::is_stop() const {
  return message.starts_with("KeyboardInterrupt") ||
         (is_slurms(message) && message.find("CANCELLED") != std::string::npos);
}

void LastWords::hear(std::string_view line) {
  if (!message.empty() || line.empty()) return;
  if (is_slurms(line)) {
    message = kept_text(line, kMaxMessage);
    return;
  }
  if (!traceback) {
    traceback = line.ends_with("Traceback (most recent call last):");
    return;
  }
  if (line.front() == ' ' || !is_exception(line)) return;  // a frame, or what another thread says
  message = kept_text(line, kMaxMessage);
  traceback = false;
}

}  // namespace etad::track
