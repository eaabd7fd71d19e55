#include "parsers/training/description.h"

namespace etad::track {

void Description::begin_solver() {
  state_.solver_seen = true;
  state_.reader.reset();
  state_.body = Body::solver;
}

void Description::begin_net(NetRole role, std::int64_t index) {
  state_.builder = NetBuilder{};
  state_.reader.reset();
  state_.net_open = true;
  state_.role = role;
  state_.net_index = index;
  state_.body = Body::net;
}

// The solver makes its train net first.
NetRole Description::likely_role() const {
  if (state_.role != NetRole::unknown) return state_.role;
  if (net().phase == "TEST") return NetRole::test;
  if (net().phase == "TRAIN") return NetRole::train;
  return state_.solver_seen && state_.nets_seen > 0 ? NetRole::test : NetRole::train;
}

bool Description::awaits_net() const {
  return state_.net_open && state_.role != NetRole::unknown && net().layers.empty();
}

void Description::end_net(bool counted) {
  state_.net_open = false;
  if (!counted) return;
  ++state_.nets_seen;
  state_.builder = NetBuilder{};
}

void Description::read(std::string_view line, PrototextReader::Sink& solver) {
  if (state_.body == Body::net) {
    state_.reader.feed(line, state_.builder);
  } else {
    state_.reader.feed(line, solver);
  }
}

bool Description::end_body() {
  const bool balanced = state_.reader.balanced();
  if (state_.body == Body::net) {
    state_.builder.end_description(balanced);
    state_.role = likely_role();
  } else {
    state_.solver_cut = !balanced;
  }
  state_.body = Body::none;
  state_.reader.reset();
  return balanced;
}

}  // namespace etad::track
