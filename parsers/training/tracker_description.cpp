#include "parsers/training/tracker_parts.h"

namespace etad {

using track::Body;
using track::Description;
using track::NetRole;
using track::RunTrack;
using track::Stage;

namespace {

// Reads the entries of a solver's description: those of its own. A net it may hold is printed again, as a
// net.
class SolverSink : public PrototextReader::Sink {
 public:
  explicit SolverSink(RunTrack& r) : run_(r) {}

  void open(const PrototextReader::Path&, std::string_view) override {}
  void close(const PrototextReader::Path&, std::string_view) override {}
  void value(const PrototextReader::Path& around, std::string_view key, std::string_view value) override {
    if (!around.empty()) return;
    const auto n = whole_number(value);
    if (key == "test_iter") {
      auto& counts = run_.known.test_iterations;
      if (n && *n > 0 && counts.size() < track::kMaxTestNets) counts.push_back(*n);
      std::string all;
      for (const std::int64_t count : counts) all += (all.empty() ? "" : ",") + std::to_string(count);
      return take_setting(run_, key, all);
    }
    if (key == "iter_size" && n && *n > 0) run_.known.iter_size = n;
    if (key == "max_iter") run_.run.max_iterations = n;
    take_setting(run_, key, value);
  }

 private:
  RunTrack& run_;
};

}  // namespace

void track::Descriptions::section(const Moment& m) {
  const std::string_view what = m.event.text(Field::section);
  RunTrack* r = all_.runs.open();
  // A net that somebody loaded before is none of the solver's.
  const bool another =
      r && what == "solver" && (r->progressed() || (!r->declared() && r->description.begun()));
  if (!r || another) r = &all_.runs.begin(m);
  if (r->progressed()) return;  // a net loaded beside a run going on: not the run's own
  Description& d = r->description;
  // "Creating test net (#0)" comes first and "Initializing net" right after it: one net.
  const bool announced = d.awaits_net();
  if (what == "net" && (announced || (d.solver_seen && d.role != NetRole::unknown))) {
    // A solver announces its own nets. Another one amid them is what a recurrent layer makes of itself.
    d.body = announced ? Body::net : Body::none;
    return;
  }
  finish_net(*r, m.out);
  all_.values.take(*r, m.event);
  if (what == "solver") {
    all_.runs.declare(*r);
    r->headed = r->job_known = true;
    r->run.job = Job::train;
    r->known.test_iterations.clear();
    d.begin_solver();
  } else if (what == "train_net") {
    d.begin_net(NetRole::train, 0);
  } else if (what == "test_net") {
    d.begin_net(NetRole::test, count_of(m.event, Field::net).value_or(0));
  } else if (what == "net") {
    d.begin_net(NetRole::unknown, 0);
  }
  if (all_.context.section_body != "prototext") d.body = Body::none;
}

void track::Descriptions::body_line(RunTrack& r, std::string_view line) {
  SolverSink solver(r);
  r.description.read(line, solver);
}

// A line with a header of its own: the description is over.
void track::Descriptions::end_body(RunTrack& r) {
  Description& d = r.description;
  const Body body = d.body;
  const bool whole = d.end_body();
  if (body == Body::net) {
    if (r.run.network.empty() && d.role != NetRole::test) r.run.network = d.net().name;
  } else if (whole) {
    r.run.settings.try_emplace("type", "SGD");  // what Caffe takes where nothing is said
  }
  r.dirty = true;
}

void track::Descriptions::set_up_line(const Moment& m) {
  RunTrack* const r = all_.runs.open();
  if (!r || !r->description.net_open) return;
  if (const std::string_view layer = m.event.text(Field::layer); !layer.empty())
    r->description.builder.set_up(layer);
  if (m.event.kind == EventKind::shape) r->description.builder.shape(m.event.text(Field::dims));
}

// The net being described is complete: what is needed of it moves to the run, the rest is forgotten.
void track::Descriptions::finish_net(RunTrack& r, Records& out) {
  Description& d = r.description;
  if (!d.net_open) return;
  if (d.body == Body::net) end_body(r);
  const Net& net = d.net();
  if (net.layers.empty()) return d.end_net(false);
  NetRole role = d.likely_role();
  if (!d.solver_seen && !r.job_known) r.run.job = net.phase == "TEST" ? Job::test : Job::time;
  if (r.run.job == Job::time && !d.solver_seen) role = NetRole::train;
  const auto set_up = net.batch_set_up;
  std::optional<std::int64_t> batch = net.batch_size() ? net.batch_size() : set_up;
  const bool described = !net.layers.front().layer.type.empty();  // else another process sets up the same net
  // NVCaffe divides what is configured among the devices: what was set up is what each one takes.
  if (batch && set_up && r.known.devices && product_or_zero(*set_up, *r.known.devices) == *batch)
    batch = set_up;
  if (role == NetRole::train) {
    if (batch && (described || !r.known.batch_size)) r.known.batch_size = batch;
  } else if (d.net_index < static_cast<std::int64_t>(track::kMaxTestNets)) {
    auto& sizes = r.known.test_batch_sizes;
    const auto index = static_cast<std::size_t>(d.net_index);
    if (sizes.size() <= index) sizes.resize(index + 1, 0);
    if (described || sizes[index] == 0) sizes[index] = batch.value_or(0);
  }
  if (r.run.network.empty()) r.run.network = net.name;
  settle(r, net, out);
  d.end_net(true);
  r.dirty = true;
}

// The first whole description says what the network is; one that broke off serves until a whole one comes.
void track::Descriptions::settle(RunTrack& r, const Net& net, Records& out) {
  if (r.description.settled) return;
  std::string digits = fingerprint(net);
  if (digits.empty() || (net.cut && !r.run.architecture.empty())) return;
  r.run.architecture = std::move(digits);
  if (!net.cut) r.description.settled = true;
  r.dirty = true;
  if (r.declared()) out.layers.push_back({r.run.ordinal, layers_of(net)});
}

}  // namespace etad
