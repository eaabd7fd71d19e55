// The description of solver and nets at a run's head, as far as it has been read. Internal to
// parsers/training.
#pragma once

#include <cstdint>
#include <string_view>

#include "parsers/network/architecture.h"
#include "parsers/network/prototext.h"

namespace etad::track {

enum class Body : std::uint8_t { none, solver, net };
enum class NetRole : std::uint8_t { unknown, train, test };

struct Description {
  Body body = Body::none;  // what the lines without a header belong to
  PrototextReader reader;
  bool solver_seen = false;
  bool solver_cut = false;          // it broke off: what is missing in it is unknown, not default
  bool net_open = false;            // a net is being described or set up
  NetRole role = NetRole::unknown;  // of that net, as far as it has been said
  std::int64_t net_index = 0;       // of a test net
  std::int64_t nets_seen = 0;
  NetBuilder builder;
  bool settled = false;  // the architecture is known for good

  bool begun() const { return solver_seen || net_open || nets_seen > 0; }

  void begin_solver();
  void begin_net(NetRole as, std::int64_t index);
  NetRole likely_role() const;  // what the net itself tells counts as well
  const Net& net() const { return builder.net(); }
  bool awaits_net() const;     // one was announced by its role, and nothing of it has come
  void end_net(bool counted);  // forgets it; not `counted`: nothing had come of it

  // A line of the body, and its end.
  void read(std::string_view line, PrototextReader::Sink& solver);
  bool end_body();  // false: it broke off
};

}  // namespace etad::track
