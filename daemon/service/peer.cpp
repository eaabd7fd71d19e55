#include "daemon/service/peer.h"

#include <grp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace etad::service {

Peer peer_of(int socket) {
  Peer peer;
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return peer;
  peer.uid = credentials.uid;
  peer.groups.push_back(credentials.gid);
  length = 0;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nullptr, &length) == 0 || errno != ERANGE) return peer;
  std::vector<gid_t> groups(length / sizeof(gid_t));
  if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &length) != 0) return peer;
  groups.resize(length / sizeof(gid_t));
  peer.groups.insert(peer.groups.end(), groups.begin(), groups.end());
  return peer;
}

bool AccessPolicy::may_change(const Peer& peer) const {
  if (peer.uid == static_cast<uid_t>(-1)) return false;  // the kernel could not say who it is
  if (peer.uid == 0 || peer.uid == own_uid) return true;
  return admin_group && std::find(peer.groups.begin(), peer.groups.end(), *admin_group) != peer.groups.end();
}

Result<gid_t> group_id(const std::string& name) {
  std::vector<char> buffer(1024);
  for (;;) {
    group entry{};
    group* found = nullptr;
    const int error = getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found != nullptr) return found->gr_gid;
    if (error == ERANGE && buffer.size() < (1U << 20U)) {
      buffer.resize(buffer.size() * 2);
      continue;
    }
    if (error != 0) return fail("the group \"" + name + "\" can't be looked up: " + std::strerror(error));
    return fail("there is no group \"" + name + "\"", "create it with `groupadd --system " + name + "`");
  }
}

}  // namespace etad::service
