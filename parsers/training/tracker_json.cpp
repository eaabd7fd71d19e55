// The tracker's state as JSON. Each struct is described once, by `describe`; writing and reading both follow
// that description, so that they cannot drift apart. Members that hold nothing are left out of the text.
#include <boost/json.hpp>

#include <type_traits>
#include <utility>

#include "parsers/training/tracker_impl.h"

namespace etad {

namespace json = boost::json;

namespace {

constexpr std::int64_t kVersion = 1;

template <class V>
void describe(V& v, PrototextReader& x) {
  auto& s = x.state();
  v("path", s.path), v("depth", s.depth), v("key", s.key), v("wants", s.wants_value), v("list", s.in_list);
}

template <class V>
void describe(V& v, Layer& x) {
  v("name", x.name), v("type", x.type), v("parameters", x.parameters), v("shapes", x.shapes);
}

template <class V>
void describe(V& v, NetLayer& x) {
  v("layer", x.layer), v("bottoms", x.bottoms), v("tops", x.tops), v("bound", x.phase_bound);
  v("described", x.described), v("batch", x.batch_size);
}

template <class V>
void describe(V& v, Net& x) {
  v("name", x.name), v("phase", x.phase), v("options", x.options), v("layers", x.layers);
  v("input_batch", x.input_batch), v("cut", x.cut), v("batch_set_up", x.batch_set_up);
}

template <class V>
void describe(V& v, NetBuilder& x) {
  auto& s = x.state();
  v("net", s.net), v("parameters", s.parameters), v("current", s.current), v("next", s.next);
}

template <class V>
void describe(V& v, track::Description& x) {
  v("body", x.body), v("reader", x.reader), v("solver_seen", x.solver_seen), v("solver_cut", x.solver_cut);
  v("net_open", x.net_open), v("role", x.role), v("net_index", x.net_index), v("nets_seen", x.nets_seen);
  v("builder", x.builder), v("settled", x.settled);
}

template <class V>
void describe(V& v, track::Quantities& x) {
  v("batch", x.batch_size), v("global_batch", x.global_batch_size), v("iter_size", x.iter_size);
  v("devices", x.devices), v("steps_per_epoch", x.steps_per_epoch), v("first_epoch", x.first_epoch);
  v("first_batch", x.first_batch), v("epoch", x.epoch), v("before_epoch", x.before_epoch);
  v("last_batch", x.last_batch), v("stride", x.stride), v("epoch_began", x.epoch_began);
  v("announced", x.announced), v("in_epoch", x.in_epoch), v("from_zero", x.from_zero);
  v("test_batches", x.test_batch_sizes), v("test_iterations", x.test_iterations);
}

template <class V>
void describe(V& v, track::Anchor& x) {
  v("iteration", x.iteration), v("at", x.at), v("elapsed", x.elapsed), v("error", x.error);
  v("epoch", x.epoch), v("dated", x.dated);
}

template <class V>
void describe(V& v, Segment& x) {
  v("phase", x.phase), v("first", x.first_iteration), v("iterations", x.iterations);
  v("samples", x.samples_per_iteration), v("duration", x.duration), v("started_at", x.started_at);
}

template <class V>
void describe(V& v, track::Save& x) {
  v("since", x.since), v("iteration", x.iteration), v("last_line", x.last_line);
}

template <class V>
void describe(V& v, track::Window& x) {
  v("from", x.from), v("tests", x.tests), v("held", x.held), v("snapshots", x.snapshots);
  v("saving", x.saving), v("saved", x.saved), v("unclocked", x.unclocked), v("broken", x.broken);
}

template <class V>
void describe(V& v, track::OpenTest& x) {
  v("iteration", x.iteration), v("net", x.net), v("since", x.since), v("announced", x.announced);
  v("done", x.done), v("done_at", x.done_at), v("shows_batches", x.shows_batches);
  v("first_batch", x.first_batch), v("began", x.began), v("stated", x.stated),
      v("stated_error", x.stated_error);
  v("given", x.given), v("given_seconds", x.given_seconds), v("beside", x.beside);
}

template <class V>
void describe(V& v, PhaseSummary& x) {
  v("batch", x.batch_size), v("samples", x.samples_per_iteration), v("iterations", x.iterations);
  v("duration", x.duration), v("segments", x.segments);
}

template <class V>
void describe(V& v, Run& x) {
  v("ordinal", x.ordinal), v("job", x.job), v("state", x.state), v("framework", x.framework);
  v("network", x.network), v("architecture", x.architecture), v("host", x.host), v("device", x.device);
  v("devices", x.devices), v("started_at", x.started_at), v("ended_at", x.ended_at),
      v("settings", x.settings);
  v("train", x.train), v("test", x.test), v("iteration", x.iteration), v("max_iterations", x.max_iterations);
  v("first_iteration", x.first_iteration), v("startup", x.startup), v("snapshot_time", x.snapshot_time);
  v("snapshots", x.snapshots), v("stalls", x.stalls), v("loss_is_nan", x.loss_is_nan),
      v("message", x.message);
}

template <class V>
void describe(V& v, LayerTime& x) {
  v("layer", x.layer), v("forward", x.forward), v("backward", x.backward);
}

template <class V>
void describe(V& v, track::RunTrack& x) {
  v("run", x.run), v("known", x.known), v("description", x.description), v("window", x.window),
      v("test", x.test);
  v("tests_before", x.tests_before), v("layer_times", x.layer_times), v("start_rules", x.start_rules);
  v("declared", x.declared), v("dirty", x.dirty), v("headed", x.headed), v("job_known", x.job_known);
  v("resumed", x.resumed), v("progressed", x.progressed), v("ended", x.ended);
  v("until_progress", x.until_progress), v("done_before", x.done_before), v("paced", x.paced);
  v("other_bar", x.other_bar), v("shortest_epoch", x.shortest_epoch);
}

template <class V>
void describe(V& v, track::Group& x) {
  v("key", x.key), v("run", x.run), v("dirty", x.dirty);
}

template <class V>
void describe(V& v, track::State& x) {
  v("next_ordinal", x.next_ordinal), v("last_time", x.last_time), v("current", x.current);
  v("next", x.next), v("groups", x.groups);
}

// The last value of each enumeration that is saved.
constexpr Job last_of(Job) {
  return Job::time;
}
constexpr Phase last_of(Phase) {
  return Phase::test;
}
constexpr RunState last_of(RunState) {
  return RunState::lost;
}
constexpr track::Body last_of(track::Body) {
  return track::Body::net;
}
constexpr track::NetRole last_of(track::NetRole) {
  return track::NetRole::test;
}

template <class T>
concept Enumeration = std::is_enum_v<T>;

// From C++ to JSON.
struct Writer {
  json::object object;

  template <class T>
  void operator()(const char* name, T& member) {
    json::value value = to_json(member);
    if (!says_nothing(value)) object.emplace(name, std::move(value));
  }

  static bool says_nothing(const json::value& v) {
    if (const bool* const b = v.if_bool()) return !*b;  // every flag of ours is off by default
    if (const json::string* const s = v.if_string()) return s->empty();
    if (const json::array* const a = v.if_array()) return a->empty();
    if (const json::object* const o = v.if_object()) return o->empty();
    return v.is_null();
  }

  static json::value to_json(bool x) { return x; }
  static json::value to_json(std::int64_t x) { return x; }
  static json::value to_json(double x) { return x; }
  static json::value to_json(std::string& x) { return json::string(x); }
  static json::value to_json(Instant x) { return x.time_since_epoch().count(); }
  static json::value to_json(Duration x) { return x.count(); }
  template <Enumeration T>
  static json::value to_json(T x) {
    return static_cast<std::int64_t>(x);
  }
  template <class T>
  static json::value to_json(std::optional<T>& x) {
    return x ? to_json(*x) : json::value(nullptr);
  }
  template <class T>
  static json::value to_json(std::vector<T>& x) {
    json::array out;
    out.reserve(x.size());
    for (auto& element : x) out.push_back(to_json(element));
    return out;
  }
  static json::value to_json(std::pair<std::string, std::string>& x) {
    return json::array{json::string(x.first), json::string(x.second)};
  }
  static json::value to_json(std::map<std::string, std::string>& x) {
    json::object out;
    for (const auto& [key, value] : x) out.emplace(key, json::string(value));
    return out;
  }
  template <class T>
  requires std::is_class_v<T>
  static json::value to_json(T& x) {
    Writer w;
    describe(w, x);
    return std::move(w.object);
  }
};

// From JSON to C++. What is missing stays at its default; what is of the wrong kind makes the state
// unreadable.
struct Reader {
  const json::object* object;
  bool* sound;

  template <class T>
  void operator()(const char* name, T& member) {
    if (const json::value* const value = object->if_contains(name)) read(*value, member);
  }

  void read(const json::value& v, bool& x) {
    if (const bool* const b = v.if_bool()) {
      x = *b;
    } else {
      *sound = false;
    }
  }
  void read(const json::value& v, std::int64_t& x) {
    if (const std::int64_t* const n = v.if_int64()) {
      x = *n;
    } else {
      *sound = false;
    }
  }
  void read(const json::value& v, double& x) {
    boost::system::error_code error;
    x = v.to_number<double>(error);
    if (error) *sound = false;
  }
  void read(const json::value& v, std::string& x) {
    if (const json::string* const s = v.if_string()) {
      x.assign(s->data(), s->size());
    } else {
      *sound = false;
    }
  }
  void read(const json::value& v, Instant& x) {
    std::int64_t n = 0;
    read(v, n);
    x = Instant(Instant::duration(n));
  }
  void read(const json::value& v, Duration& x) {
    std::int64_t n = 0;
    read(v, n);
    x = Duration(n);
  }
  template <Enumeration T>
  void read(const json::value& v, T& x) {
    std::int64_t n = 0;
    read(v, n);
    if (n < 0 || n > static_cast<std::int64_t>(last_of(T{}))) *sound = false;
    x = *sound ? static_cast<T>(n) : T{};
  }
  template <class T>
  void read(const json::value& v, std::optional<T>& x) {
    if (!v.is_null()) read(v, x.emplace());
  }
  template <class T>
  void read(const json::value& v, std::vector<T>& x) {
    const json::array* const list = v.if_array();
    if (!list) {
      *sound = false;
      return;
    }
    x.resize(list->size());
    for (std::size_t i = 0; i < x.size(); ++i) read((*list)[i], x[i]);
  }
  void read(const json::value& v, std::pair<std::string, std::string>& x) {
    const json::array* const list = v.if_array();
    if (!list || list->size() != 2) {
      *sound = false;
      return;
    }
    read((*list)[0], x.first);
    read((*list)[1], x.second);
  }
  void read(const json::value& v, std::map<std::string, std::string>& x) {
    const json::object* const members = v.if_object();
    if (!members) {
      *sound = false;
      return;
    }
    for (const auto& member : *members) read(member.value(), x[std::string(member.key())]);
  }
  template <class T>
  requires std::is_class_v<T>
  void read(const json::value& v, T& x) {
    if (const json::object* const members = v.if_object()) {
      Reader inner{members, sound};
      describe(inner, x);
    } else {
      *sound = false;
    }
  }
};

}  // namespace

std::string Tracker::Impl::save() const {
  track::State copy = state;  // a description names members, not whether they are const
  json::value v = Writer::to_json(copy);
  v.get_object().emplace("version", kVersion);
  return json::serialize(v);
}

Result<void> Tracker::Impl::restore(std::string_view text) {
  boost::system::error_code error;
  const json::value v = json::parse(text, error);
  const char* const hint = "import the log again";
  if (error || !v.is_object()) return etad::fail("the saved tracker state is not JSON", hint);
  const json::value* const version = v.get_object().if_contains("version");
  if (!version || !version->is_int64() || version->get_int64() != kVersion)
    return etad::fail("the saved tracker state is of another version", hint);
  bool sound = true;
  Reader reader{&v.get_object(), &sound};
  track::State restored;
  describe(reader, restored);
  if (!sound) return etad::fail("the saved tracker state is damaged", hint);
  state = std::move(restored);
  return {};
}

}  // namespace etad
