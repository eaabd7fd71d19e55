#include "parsers/base/record.h"

namespace etad {

std::string_view name_of(Job job) {
  switch (job) {
    case Job::train:
      return "train";
    case Job::test:
      return "test";
    case Job::time:
      return "time";
  }
  return "";
}

std::string_view name_of(Phase phase) {
  return phase == Phase::train ? "train" : "test";
}

std::string_view name_of(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::finished:
      return "finished";
    case RunState::stopped:
      return "stopped";
    case RunState::failed:
      return "failed";
    case RunState::lost:
      return "lost";
  }
  return "";
}

}  // namespace etad
