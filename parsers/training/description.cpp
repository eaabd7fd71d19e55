#include "parsers/training/description.h"

namespace etad::track {

void Description::begin_solver() {
  solver_seen = true;
  reader.reset();
  body = Body::solver;
}

void Description::begin_net(NetRole as, std::int64_t index) {
  builder = NetBuilder{};
  reader.reset();
  net_open = true;
  role = as;
  net_index = index;
  body = Body::net;
}

// The solver makes its train net first.
NetRole Description::likely_role() const {
  if (role != NetRole::unknown) return role;
  if (net().phase == "TEST") return NetRole::test;
  if (net().phase == "TRAIN") return NetRole::train;
  return solver_seen && nets_seen > 0 ? NetRole::test : NetRole::train;
}

bool Description::awaits_net() const {
  return net_open && role != NetRole::unknown && net().layers.empty();
}

void Description::end_net(bool counted) {
  net_open = false;
  if (!counted) return;
  ++nets_seen;
  builder = NetBuilder{};
}

void Description::read(std::string_view line, PrototextReader::Sink& solver) {
  if (body == Body::net) {
    reader.feed(line, builder);
  } else {
    reader.feed(line, solver);
  }
}

bool Description::end_body() {
  const bool balanced = reader.balanced();
  if (body == Body::net) {
    builder.end_description(balanced);
    role = likely_role();
  } else {
    solver_cut = !balanced;
  }
  body = Body::none;
  reader.reset();
  return balanced;
}

}  // namespace etad::track
