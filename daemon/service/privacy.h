// What one user is shown of another's runs where the operator wants them private ([socket] private): the
// network, its sizes and its times. Not where the log lies, nor what its settings, labels, losses, last words
// and use of devices are. The owner of a run is the owner of its log; an unknown owner is another. Those who
// may change things see everything.
#pragma once

#include <cstdint>
#include <optional>

#include "daemon/service/message.h"
#include "storage/rows.h"

namespace etad::service {

class Privacy {
 public:
  explicit Privacy(bool wanted) : wanted_(wanted) {}

  bool hides(const std::optional<std::int64_t>& owner, const Request& request) const;
  // The run as this request's peer is shown it.
  RunRow shown(RunRow row, const Request& request) const;

 private:
  bool wanted_;
};

}  // namespace etad::service
