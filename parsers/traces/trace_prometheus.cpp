// The Prometheus text format (and OpenMetrics'), as dcgm-exporter and its like are scraped into a file.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "parsers/base/cells.h"
#include "parsers/base/number.h"
#include "parsers/base/text.h"
#include "parsers/traces/trace_reader.h"

namespace etad {
namespace {

bool name_char(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == ':';
}

std::string_view leading_name(std::string_view text) {
  const auto* const end = std::find_if_not(text.begin(), text.end(), name_char);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::optional<TraceLabel> label_of(std::string_view name) {
  static constexpr std::pair<std::string_view, TraceLabel> kNames[] = {
      {"gpu", TraceLabel::gpu},       {"UUID", TraceLabel::uuid},      {"uuid", TraceLabel::uuid},
      {"gpu_uuid", TraceLabel::uuid}, {"Hostname", TraceLabel::host},  {"hostname", TraceLabel::host},
      {"GPU_I_ID", TraceLabel::mig},  {"pci_bus_id", TraceLabel::pci}, {"index", TraceLabel::gpu},
  };
  const auto* const found =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& n) { return n.first == name; });
  if (found == std::end(kNames)) return std::nullopt;
  return found->second;
}

// A line's parts; `value` is empty where it is no such line.
struct Metric {
  std::string_view name, value, time;
  TraceLabels labels;
};

// Reads `key="value",…}` from behind the opening brace; gives what is behind the closing one.
std::optional<std::string_view> read_labels(std::string_view text, TraceLabels& labels) {
  while (true) {
    text = trim(text);
    if (text.starts_with('}')) return text.substr(1);
    const std::string_view name = leading_name(text);
    text = trim(text.substr(name.size()));
    if (name.empty() || !text.starts_with('=')) return std::nullopt;
    text = trim(text.substr(1));
    if (!text.starts_with('"')) return std::nullopt;
    std::size_t end = 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2U : 1U;
    if (end >= text.size()) return std::nullopt;
    if (const auto label = label_of(name)) labels[*label] = text.substr(1, end - 1);
    text = trim(text.substr(end + 1));
    if (text.starts_with(',')) text.remove_prefix(1);
  }
}

Metric read_metric(std::string_view line) {
  Metric metric;
  metric.name = leading_name(line);
  line = trim(line.substr(metric.name.size()));
  if (metric.name.empty() || line.empty()) return {};
  if (line.front() == '{') {
    const auto rest = read_labels(line.substr(1), metric.labels);
    if (!rest) return {};
    line = trim(*rest);
  }
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  metric.value = line.substr(0, end);
  metric.time = trim(line.substr(end));
  const std::size_t exemplar = metric.time.find('#');
  if (exemplar != std::string_view::npos) metric.time = trim(metric.time.substr(0, exemplar));
  const bool special = metric.value == "NaN" || metric.value == "+Inf" || metric.value == "-Inf";
  if (!special && !parse_number<double>(metric.value)) return {};
  return metric;
}

// Prometheus writes milliseconds, OpenMetrics seconds with decimals.
std::optional<Instant> time_of(std::string_view text) {
  const auto value = parse_number<double>(text);
  if (!value || *value < 0) return std::nullopt;
  const double seconds = text.find('.') == std::string_view::npos && *value > 1e11 ? *value / 1e3 : *value;
  if (seconds > 1e11) return std::nullopt;
  return Instant(std::chrono::microseconds(std::llround(seconds * 1e6)));
}

// Has no header: each line names its metric.
class PrometheusReader final : public TraceReader {
 public:
  explicit PrometheusReader(const TraceOptions& options) : sink_(options) {}

  TraceLine read(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                 Records& out) override {
    line = trim(line);
    if (line.empty() || line.front() == '#') return TraceLine::structure;
    const Metric metric = read_metric(line);
    if (metric.value.empty()) return TraceLine::other;
    TraceColumn* const column = column_of(metric.name);
    if (column == nullptr || column->role != ColumnRole::value) return TraceLine::ignored;
    SampleSink::RowTime row;
    if (!metric.time.empty()) {
      row.at = time_of(metric.time);
      if (!row.at) {
        sink_.reject("'" + std::string(metric.time) + "' is no time", out);
        return TraceLine::samples;
      }
    }
    if (sink_.begin(row, metric.labels, arrival, time, out, metric.name))
      sink_.add(*column, metric.value, out);
    return TraceLine::samples;
  }

  std::size_t kept_bytes() const override {
    return sink_.kept_bytes() + known_.size() * (sizeof(TraceColumn) + kLongestLabelValue);
  }
  const std::string& complaint() const override { return sink_.complaint(); }
  TraceState save() const override { return sink_.state(); }
  void restore(const TraceState& state, TimeContext&) override { sink_.restore(state); }

 private:
  // Metrics come again and again; a file of ever new names costs a table, not memory. nullptr: no metric's name.
  TraceColumn* column_of(std::string_view name) {
    static constexpr std::size_t kMostKnown = 1024;
    if (name.size() > 96) return nullptr;
    std::string key(name);
    if (const auto it = known_.find(key); it != known_.end()) return &it->second;
    if (known_.size() >= kMostKnown) {
      known_.clear();
      sink_.forget_columns();
    }
    return &known_.emplace(std::move(key), column_named(ColumnNames::prometheus, name)).first->second;
  }

  SampleSink sink_;
  std::unordered_map<std::string, TraceColumn> known_;
};

}  // namespace

std::unique_ptr<TraceReader> make_prometheus_reader(const TraceOptions& options) {
  return std::make_unique<PrometheusReader>(options);
}

bool is_known_metric(std::string_view line) {
  line = trim(line);
  for (const std::string_view comment : {"# HELP ", "# TYPE "}) {
    if (line.starts_with(comment)) {
      const std::string_view name = leading_name(line.substr(comment.size()));
      return column_named(ColumnNames::prometheus, name).role == ColumnRole::value &&
             (name.starts_with("DCGM_FI_") || name.starts_with("nvidia_smi_"));
    }
  }
  const Metric metric = read_metric(line);
  return !metric.value.empty() &&
         (metric.name.starts_with("DCGM_FI_") || metric.name.starts_with("nvidia_smi_")) &&
         column_named(ColumnNames::prometheus, metric.name).role == ColumnRole::value;
}

}  // namespace etad
