#include "prediction/run_gpus.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "parsers/base/trace_labels.h"
#include "prediction/names.h"
#include "regression/covariates.h"

namespace etad::prediction {
namespace {

constexpr std::size_t kMostGpus = 64;  // of one run
// By which one GPU is known, where it was renumbered. More has none, and each is looked at whenever a label names it.
constexpr std::size_t kMostIndices = 16;

// A GPU as the traces of one host show it: tools name it by index, UUID or bus id, and often by two of them.
struct Known {
  std::vector<std::string> indices;  // several: it was renumbered
  std::string uuid, pci;
  std::vector<std::int64_t> series;

  bool named() const { return !(indices.empty() && uuid.empty() && pci.empty()); }
  std::string name() const { return !indices.empty() ? indices.front() : !uuid.empty() ? uuid : pci; }
  bool has(const std::string& index) const { return std::ranges::find(indices, index) != indices.end(); }
  void join(Known&& other) {
    for (std::string& index : other.indices)
      if (indices.size() < kMostIndices && !has(index)) indices.push_back(std::move(index));
    if (uuid.empty()) uuid = std::move(other.uuid);
    if (pci.empty()) pci = std::move(other.pci);
    series.insert(series.end(), other.series.begin(), other.series.end());
  }
};

// The GPUs that are known so far, in the order in which they were last heard of, found by what they are called: a
// trace may name thousands.
class Gpus {
 public:
  // One that joins two that were apart until now (index here, UUID there) joins them to each other.
  void add(Known one) {
    for (std::size_t behind = 0;;) {
      const auto at = first_that_is(one, behind);
      if (!at) break;
      behind = *at + 1;
      auto known = gpus_.extract(*at);
      each_place(known.mapped(), [&](const Place& place) { places_[place].erase(*at); });
      known.mapped().join(std::move(one));
      one = std::move(known.mapped());
    }
    each_place(one, [&](const Place& place) { places_[place].insert(next_); });
    gpus_.emplace(next_++, std::move(one));
  }

  std::vector<Known> take() {
    std::vector<Known> out;
    for (auto& [number, gpu] : gpus_) {
      std::ranges::sort(gpu.series);
      out.push_back(std::move(gpu));
    }
    return out;
  }

 private:
  enum class Name : std::uint8_t { none, index, uuid, pci };
  // What it is called, and whether it has a UUID and a bus id.
  using Place = std::tuple<Name, std::string, bool, bool>;

  static void each_place(const Known& gpu, auto&& take) {
    const bool uuid = !gpu.uuid.empty(), pci = !gpu.pci.empty();
    for (const std::string& index : gpu.indices) take(Place{Name::index, index, uuid, pci});
    if (uuid) take(Place{Name::uuid, gpu.uuid, uuid, pci});
    if (pci) take(Place{Name::pci, gpu.pci, uuid, pci});
    if (!gpu.named()) take(Place{Name::none, {}, uuid, pci});
  }

  // An index is another GPU's where one that was before it fell off the bus: what both are known by for good decides.
  std::optional<std::size_t> first_that_is(const Known& one, std::size_t behind) const {
    const bool uuid = !one.uuid.empty(), pci = !one.pci.empty();
    std::optional<std::size_t> out;
    const auto look = [&](Name name, const std::string& text, bool its_uuid, bool its_pci) {
      const auto found = places_.find({name, text, its_uuid, its_pci});
      if (found == places_.end()) return;
      const auto at = found->second.lower_bound(behind);
      if (at != found->second.end() && (!out || *at < *out)) out = *at;
    };
    for (const bool its_uuid : {false, true})
      for (const bool its_pci : {false, true}) {
        const bool by_uuid = uuid && its_uuid, by_pci = pci && its_pci;
        if (by_uuid) {
          look(Name::uuid, one.uuid, its_uuid, its_pci);
        } else if (by_pci) {
          look(Name::pci, one.pci, its_uuid, its_pci);
        } else if (!one.named()) {
          look(Name::none, {}, its_uuid, its_pci);
        } else {
          for (const std::string& index : one.indices) look(Name::index, index, its_uuid, its_pci);
        }
      }
    return out;
  }

  std::map<std::size_t, Known> gpus_;
  std::size_t next_ = 0;
  std::map<Place, std::set<std::size_t>> places_;
};

// A name without its domain; an address has none.
std::string_view short_name(std::string_view host) {
  const bool is_address = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_address ? host : host.substr(0, host.find('.'));
}

std::vector<Known> known_gpus(const std::vector<SeriesRow>& series, std::string_view host,
                              const std::string& own_host) {
  // A GPU's values have the same labels: each of these is looked at once.
  std::vector<const SeriesRow*> first;
  std::map<std::string_view, std::vector<std::int64_t>> ids;
  for (const SeriesRow& row : series) {
    if (!is_about_a_gpu(row)) continue;
    auto& of_these = ids[row.labels];
    if (of_these.empty()) first.push_back(&row);
    of_these.push_back(row.id);
  }
  Gpus out;
  for (const SeriesRow* const row : first) {
    const auto label = [&](std::string_view name) {
      return std::string(label_value(row->labels, name).value_or(std::string_view()));
    };
    if (!is_gpu_of(*row, host, own_host)) continue;
    Known one{{}, label("uuid"), label("pci"), std::move(ids[row->labels])};
    if (auto index = label("gpu"); !index.empty()) one.indices.push_back(std::move(index));
    out.add(std::move(one));
  }
  return out.take();
}

struct Named {
  std::vector<std::string> gpus;  // indices, or the beginnings of UUIDs
  bool cpu = false;
};

// "0, 1", "gpu(0), gpu(1)", "'/gpu:0', '/gpu:1'", "GPU-5f3a…": of each the last number, or the UUID.
Named named_in(std::string_view text) {
  Named out;
  for (std::size_t at = 0; at < text.size() && out.gpus.size() < kMostGpus;) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, end - at);
    at = end + 1;
    if (const std::size_t uuid = item.find("GPU-"); uuid != std::string_view::npos) {
      const std::string_view rest = item.substr(uuid);
      out.gpus.emplace_back(rest.substr(0, rest.find_first_of(" '\"]")));
      continue;
    }
    const std::size_t last = item.find_last_of("0123456789");
    if (last == std::string_view::npos) continue;
    if (item.find("cpu") != std::string_view::npos || item.find("CPU") != std::string_view::npos) {
      out.cpu = true;
      continue;
    }
    const std::size_t before = item.find_last_not_of("0123456789", last);
    const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
    const std::string index(item.substr(first, last - first + 1));
    if (std::find(out.gpus.begin(), out.gpus.end(), index) == out.gpus.end()) out.gpus.push_back(index);
  }
  return out;
}

// Without series where no GPU is meant by the name, or several may be.
TracedGpu traced(const std::vector<Known>& known, const std::string& name) {
  const auto is_meant = [&](const Known& each) {
    return each.has(name) || (name.starts_with("GPU-") && each.uuid.starts_with(name));
  };
  const auto found = std::ranges::find_if(known, is_meant);
  if (found != known.end() && std::find_if(found + 1, known.end(), is_meant) == known.end())
    return {name, found->series};
  // A trace that numbers nothing, of a machine with one GPU.
  if (known.size() == 1 && !known.front().named()) return {name, known.front().series};
  return {name, {}};
}

GpuChoice none(std::string why, std::string hint = {}) {
  return {{}, {}, std::move(why), std::move(hint)};
}

// What was said of the run beside its log: by its user, or by its source's labels.
std::string_view label_of(const RunRow& row) {
  const auto found = row.labels.find("gpus");
  return found == row.labels.end() ? regression::setting_of(row.run.settings, "gpus") : found->second;
}

GpuChoice chosen(const std::vector<Known>& known, const Named& named, std::string by) {
  GpuChoice out;
  out.chosen_by = std::move(by);
  for (const std::string& name : named.gpus) {
    TracedGpu gpu = traced(known, name);
    const auto is_same = [&gpu](const TracedGpu& other) {
      return other.name == gpu.name || (!gpu.series.empty() && other.has(gpu.series.front()));
    };
    if (std::ranges::none_of(out.gpus, is_same)) out.gpus.push_back(std::move(gpu));
  }
  return out;
}

constexpr char kSayWhich[] = "`etactl label RUN gpus=0,1` says which, as the traces count them";

}  // namespace

GpuChoice choose_gpus(const RunRow& row, const std::vector<SeriesRow>& series, const std::string& own_host) {
  const Run& run = row.run;
  const std::string& host = run.host.empty() ? own_host : run.host;
  std::vector<Known> known = known_gpus(series, host, own_host);
  const Named labelled = named_in(label_of(row));
  if (!labelled.gpus.empty()) {
    // The host of a run in a container is the container; who names GPUs means those of this machine.
    if (known.empty()) known = known_gpus(series, own_host, own_host);
    return chosen(known, labelled, "label");
  }
  const Named in_log = named_in(regression::setting_of(run.settings, "device_index"));
  if (in_log.gpus.empty() && (in_log.cpu || equal_ignoring_case(run.device, "CPU")))
    return none("it ran on the CPU");
  if (known.empty()) {
    const bool elsewhere = !known_gpus(series, own_host, own_host).empty();
    if (!elsewhere) return none("no monitoring trace of a GPU covers its time");
    return none("it ran on the host " + host + "; the traces are of " + own_host,
                "`etactl label RUN gpus=0` if it was a container on this machine");
  }
  if (!in_log.gpus.empty()) return chosen(known, in_log, "log");
  if (run.devices > 1)
    return none("its log tells of " + std::to_string(run.devices) + " GPUs, but not which", kSayWhich);
  if (known.size() > 1)
    return none("its log does not say which of the " + std::to_string(known.size()) + " GPUs it ran on",
                kSayWhich);
  GpuChoice only;
  only.chosen_by = "only_gpu";
  only.gpus.push_back({known.front().name(), std::move(known.front().series)});
  return only;
}

bool names_several(const std::vector<SeriesRow>& series) {
  std::map<std::string_view, std::string_view> uuids;  // by host and index
  for (const SeriesRow& row : series) {
    const auto uuid = label_value(row.labels, "uuid");
    if (!uuid || !label_value(row.labels, "gpu") || !row.name.starts_with("gpu.")) continue;
    // Labels are in the order of their names.
    const auto of_index = std::string_view(row.labels).substr(0, row.labels.find("uuid="));
    if (uuids.try_emplace(of_index, *uuid).first->second != *uuid) return true;
  }
  return false;
}

bool same_host(std::string_view a, std::string_view b) {
  const bool both_whole = a.find('.') != std::string_view::npos && b.find('.') != std::string_view::npos;
  return both_whole ? equal_ignoring_case(a, b) : equal_ignoring_case(short_name(a), short_name(b));
}

bool is_about_a_gpu(const SeriesRow& row) {
  return row.name.starts_with("gpu.") && !label_value(row.labels, "mig");
}

bool is_gpu_of(const SeriesRow& row, std::string_view host, const std::string& own_host) {
  if (!is_about_a_gpu(row)) return false;
  const auto its_host = label_value(row.labels, "host").value_or(std::string_view());
  return same_host(its_host.empty() ? std::string_view(own_host) : its_host, host);
}

}  // namespace etad::prediction
