#include "storage/labels.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "parsers/base/number.h"
#include "parsers/base/samples.h"
#include "parsers/base/suggest.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::array<std::string_view, 4> kTexts = {"network", "device", "host", "framework"};
constexpr std::array<std::string_view, 3> kNumbers = {"batch_size", "test_batch_size", "devices"};
// Which of the host's GPUs a run ran on, as the monitoring traces count: nothing of the run itself follows
// from it.
constexpr std::string_view kGpus = "gpus";
// Whose it was: a scheduler's job, and who sent it. Nothing follows from them either.
constexpr std::array<std::string_view, 2> kOwners = {"job", "user"};
constexpr std::string_view kOrigin = "origin of ";  // before a label's name; no label begins so
constexpr std::int64_t kLargest =
    1'000'000'000;  // a larger batch or number of devices is a slip of the keyboard

std::string* text_of(Run& run, std::string_view name) {
  if (name == "network") return &run.network;
  if (name == "device") return &run.device;
  if (name == "host") return &run.host;
  return &run.framework;
}

// As the traces write it: "0", "12"
bool is_index(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos &&
         (text == "0" || text.front() != '0');
}

// "0", "0, 1", "GPU-5f3a,GPU-77b0"
bool names_gpus(std::string_view text) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view item = trim(text.substr(at, end - at), " ");
    if (!is_index(item) && !(item.starts_with("GPU-") && item.size() > 4)) return false;
    at = end + 1;
  }
  return true;
}

std::optional<std::int64_t> number(const TextMap& map, const std::string& name) {
  const auto it = map.find(name);
  return it == map.end() ? std::nullopt : parse_number<std::int64_t>(it->second);
}

void remember(TextMap& said, const std::string& name, const std::optional<std::int64_t>& value) {
  if (value) said[name] = std::to_string(*value);
}

void fill_phase(PhaseSummary& phase, const std::optional<std::int64_t>& batch, std::int64_t devices,
                std::int64_t iter_size) {
  if (!phase.batch_size) phase.batch_size = batch;
  if (phase.samples_per_iteration || !phase.batch_size) return;
  if (const auto samples = samples_per_iteration(*phase.batch_size, devices, iter_size); samples > 0)
    phase.samples_per_iteration = samples;
}

}  // namespace

bool is_label(std::string_view name) {
  return std::find(kNumbers.begin(), kNumbers.end(), name) != kNumbers.end() ||
         std::find(kTexts.begin(), kTexts.end(), name) != kTexts.end() ||
         std::find(kOwners.begin(), kOwners.end(), name) != kOwners.end() || name == kGpus;
}

Result<void> check_labels(const TextMap& labels) {
  for (const auto& [name, value] : labels) {
    const bool is_number = std::find(kNumbers.begin(), kNumbers.end(), name) != kNumbers.end();
    if (!is_label(name)) {
      std::vector<std::string_view> known(kTexts.begin(), kTexts.end());
      known.insert(known.end(), kNumbers.begin(), kNumbers.end());
      known.push_back(kGpus);
      known.insert(known.end(), kOwners.begin(), kOwners.end());
      const auto near = nearest_name(name, known);
      std::string all;
      for (const std::string_view each : known) all += (all.empty() ? "" : ", ") + std::string(each);
      return fail("there is no label \"" + name + "\"",
                  near.empty() ? "labels are " + all : "did you mean \"" + std::string(near) + "\"?");
    }
    if (name == kGpus && !value.empty() && !names_gpus(value))
      return fail("label gpus must name GPUs by index or UUID, such as \"0,1\", not \"" + value + "\"");
    if (!is_number || value.empty()) continue;
    const auto parsed = parse_number<std::int64_t>(value);
    if (!parsed || *parsed < 1 || *parsed > kLargest)
      return fail("label " + name + " must be a whole number from 1 to 1000000000, not \"" + value + "\"");
  }
  return {};
}

RunLabels read_labels(std::string_view json) {
  RunLabels out;
  for (auto& [name, value] : text_map(json)) {
    const bool origin = name.starts_with(kOrigin);
    (origin ? out.origins : out.values)[origin ? name.substr(kOrigin.size()) : name] = value;
  }
  return out;
}

std::string to_json(const RunLabels& labels) {
  TextMap all = labels.values;
  for (const auto& [name, origin] : labels.origins) all[std::string(kOrigin) + name] = origin;
  return to_json(all);
}

void merge_labels(RunLabels& labels, const TextMap& said) {
  for (const auto& [name, value] : said) {
    labels.origins.erase(name);
    if (value.empty()) {
      labels.values.erase(name);
    } else {
      labels.values[name] = value;
    }
  }
}

void merge_found(RunLabels& labels, const TextMap& found, const std::string& origin) {
  for (const auto& [name, value] : found) {
    if (value.empty() || (labels.values.contains(name) && !labels.origins.contains(name))) continue;
    labels.values[name] = value;
    labels.origins[name] = origin;
  }
}

TextMap said_by_log(const Run& run) {
  TextMap said{{"network", run.network},
               {"device", run.device},
               {"host", run.host},
               {"framework", run.framework},
               {"devices", std::to_string(run.devices)}};
  remember(said, "batch_size", run.train.batch_size);
  remember(said, "samples", run.train.samples_per_iteration);
  remember(said, "test_batch_size", run.test.batch_size);
  remember(said, "test_samples", run.test.samples_per_iteration);
  return said;
}

void restore_said(Run& run, const TextMap& said) {
  for (const std::string_view name : kTexts) {
    const auto it = said.find(std::string(name));
    *text_of(run, name) = it == said.end() ? std::string() : it->second;
  }
  run.devices = number(said, "devices").value_or(0);
  run.train.batch_size = number(said, "batch_size");
  run.train.samples_per_iteration = number(said, "samples");
  run.test.batch_size = number(said, "test_batch_size");
  run.test.samples_per_iteration = number(said, "test_samples");
}

void apply_labels(Run& run, const TextMap& labels) {
  for (const std::string_view name : kTexts) {
    std::string& value = *text_of(run, name);
    const auto it = labels.find(std::string(name));
    if (value.empty() && it != labels.end()) value = it->second;
  }
  const auto devices = number(labels, "devices");
  if (devices && run.devices == 0) {
    // Where the log did not say how many they are, its samples are one device's.
    auto& samples = run.train.samples_per_iteration;
    const auto of_one = samples_per_iteration(run.train.batch_size.value_or(0), 1, iter_size_of(run));
    if (of_one > 0 && samples == of_one) samples.reset();
    run.devices = *devices;
  }

  const auto batch = number(labels, "batch_size");
  if (run.job != Job::test) fill_phase(run.train, batch, run.devices, iter_size_of(run));
  // A test job has but one batch size; beside training, the test net's is a value of its own.
  auto test_batch = number(labels, "test_batch_size");
  if (!test_batch && run.job == Job::test) test_batch = batch;
  fill_phase(run.test, test_batch, 1, 1);
}

}  // namespace etad
