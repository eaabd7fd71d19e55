// When each of the daemon's threads last told that it gets on, and which of them no longer does: what the service
// manager's watchdog is answered by.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

namespace etad {

struct Beats {
  using Steady = std::chrono::steady_clock::time_point;

  Steady ingest, refit, service;
  // Of whatever changes the history now, for which the two that write into it may have to wait: that goes on. None:
  // nothing does, and whoever is silent waits for something else.
  std::optional<Steady> history;

  // The name of a thread that has been silent for longer than `limit`.
  std::optional<std::string> stuck(Steady now, std::chrono::seconds limit) const {
    const auto late = [&](Steady beat) { return now - beat > limit; };
    if (late(std::max(ingest, history.value_or(ingest)))) return "ingest";
    if (late(std::max(refit, history.value_or(refit)))) return "refit";
    if (late(service)) return "service";
    return std::nullopt;
  }
};

}  // namespace etad
