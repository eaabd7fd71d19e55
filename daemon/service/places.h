// Places are few: connections, watches. While there are enough, everybody gets one; when there are none left,
// whoever has fewer than another gets one of his.
#pragma once

#include <sys/types.h>

#include <set>

namespace etad::service {

class Connection;

// The one among `taken` that has to go so that a further one of `uid` fits in; nullptr: nobody has as many as
// that user would have then. Those who may change things keep theirs. Of one user's, those that wait for a
// request go first, the longest waiting before the others.
Connection* one_to_go(const std::set<Connection*>& taken, uid_t uid);

// The one that has waited the longest for its next request; nullptr: none does.
Connection* longest_idle(const std::set<Connection*>& taken);

}  // namespace etad::service
