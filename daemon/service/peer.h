// Who is at the other end of the socket, and what they may do. The kernel says it, the peer can't lie.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parsers/base/error.h"

namespace etad::service {

struct Peer {
  uid_t uid = static_cast<uid_t>(-1);
  std::vector<gid_t> groups;  // primary and supplementary, of the peer's process when it connected
};

// SO_PEERCRED and SO_PEERGROUPS: as the kernel noted them at connect(2). Needs no name service, so a slow
// directory server can't stall the service. On failure: a peer that is nobody.
Peer peer_of(int socket);

// Changing things (imports, labels, refit, reload) is for root, the daemon's own user and one group.
struct AccessPolicy {
  uid_t own_uid = 0;  // the daemon's
  std::optional<gid_t> admin_group;

  bool may_change(const Peer& peer) const;
};

// The id of a group by its name; an error where there is none of that name.
Result<gid_t> group_id(const std::string& name);

}  // namespace etad::service
