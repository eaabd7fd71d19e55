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

}  // namespace

void LastWords::hear(std::string_view line) {
  if (!state_.message.empty() || line.empty()) return;
  if (!state_.traceback) {
    state_.traceback = line.find("Traceback (most recent call last)") != std::string_view::npos;
    return;
  }
  if (line.front() == ' ' || !is_exception(line)) return;  // a frame, or what another thread says
  state_.message = kept_text(line, kMaxMessage);
  state_.traceback = false;
}

}  // namespace etad::track
