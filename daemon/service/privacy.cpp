#include "daemon/service/privacy.h"

#include <utility>

namespace etad::service {

bool Privacy::hides(const std::optional<std::int64_t>& owner, const Request& request) const {
  return wanted_ && !request.may_change && (!owner || !request.uid || *owner != *request.uid);
}

RunRow Privacy::shown(RunRow row, const Request& request) const {
  if (!hides(row.owner, request)) return row;
  row.source.clear();
  row.labels.clear();
  row.label_origins.clear();
  row.run.settings.clear();
  row.run.message.clear();
  row.run.host.clear();
  row.run.loss_is_nan = false;
  return row;
}

}  // namespace etad::service
