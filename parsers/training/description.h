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

class Description {
 public:
  struct State {
    Body body = Body::none;  // what the lines without a header belong to
    PrototextReader reader;
    bool solver_seen = false;
    bool solver_cut = false;  // it broke off: what is missing in it is unknown, not default
    bool net_open = false;    // a net is being described or set up
    NetRole role = NetRole::unknown;
    std::int64_t net_index = 0;  // of a test net
    std::int64_t nets_seen = 0;
    NetBuilder builder;
    bool settled = false;  // the architecture is known for good
  };

  bool begun() const { return state_.solver_seen || state_.net_open || state_.nets_seen > 0; }

  void begin_solver();
  bool solver_seen() const { return state_.solver_seen; }
  bool solver_cut() const { return state_.solver_cut; }

  void begin_net(NetRole role, std::int64_t index);
  bool net_open() const { return state_.net_open; }
  NetRole role() const { return state_.role; }  // as far as it has been said
  NetRole likely_role() const;                  // what the net itself tells counts as well
  std::int64_t net_index() const { return state_.net_index; }
  const Net& net() const { return state_.builder.net(); }
  bool awaits_net() const;  // one was announced by its role, and nothing of it has come
  void set_up(std::string_view layer) { state_.builder.set_up(layer); }
  void shape(std::string_view dims) { state_.builder.shape(dims); }
  void end_net(bool counted);  // forgets it; not `counted`: nothing had come of it

  // Lines without a header are the open net's, or nobody's.
  void expect_net() { state_.body = Body::net; }
  void expect_no_body() { state_.body = Body::none; }
  Body body() const { return state_.body; }
  void read(std::string_view line, PrototextReader::Sink& solver);
  bool end_body();  // false: it broke off

  bool settled() const { return state_.settled; }
  void settle() { state_.settled = true; }

  const State& state() const { return state_; }  // to save and restore it
  State& state() { return state_; }

 private:
  State state_;
};

}  // namespace etad::track
