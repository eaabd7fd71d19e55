// What the traces say of a run, as JSON.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "daemon/service/views.h"
#include "parsers/traces/trace_series.h"

namespace etad::service {

using prediction::AnomalyTraces;
using prediction::Compared;
using prediction::GpuChoice;
using prediction::GpuComparison;
using prediction::GpuUsage;
using prediction::Usage;

namespace {

using Member = std::optional<TimeIntegral> GpuUsage::*;

void write_choice(JsonWriter& json, const GpuChoice& choice) {
  json.text_or_null("chosen_by", choice.chosen_by).text_or_null("absent", choice.absent);
  if (!choice.hint.empty()) json.field("hint", choice.hint);
}

// One GPU's values, or those of all of a run's together: absent where one of them is not known.
struct Figures {
  std::optional<double> utilization, power, energy, memory;
  std::optional<double> utilization_covered, power_covered, memory_covered;
};

// The sum of `value` over the GPUs; nothing, where a GPU has none.
template <class Value>
std::optional<double> sum(const std::vector<GpuUsage>& gpus, Member member, Value value) {
  if (gpus.empty()) return std::nullopt;
  double total = 0;
  for (const GpuUsage& gpu : gpus) {
    if (!(gpu.*member)) return std::nullopt;
    total += value(*(gpu.*member));
  }
  return total;
}

std::optional<double> mean(std::optional<double> sum, std::size_t count) {
  return sum ? std::optional(*sum / static_cast<double>(count)) : std::nullopt;
}

Figures figures_of(const std::vector<GpuUsage>& gpus, double seconds) {
  const auto value = [](const TimeIntegral& each) { return each.mean(); };
  const auto share = [&](const TimeIntegral& each) { return std::min(each.covered / seconds, 1.0); };
  const auto covered = [&](Member member) {
    return seconds > 0 ? mean(sum(gpus, member, share), gpus.size()) : std::nullopt;
  };
  Figures out;
  out.utilization = mean(sum(gpus, &GpuUsage::utilization, value), gpus.size());
  out.power = sum(gpus, &GpuUsage::power, value);
  out.energy = sum(gpus, &GpuUsage::power, [](const TimeIntegral& each) { return each.integral; });
  for (const GpuUsage& gpu : gpus) {
    if (gpu.memory_used) out.memory = std::max(out.memory.value_or(0), gpu.memory_used->max);
  }
  if (!sum(gpus, &GpuUsage::memory_used, value)) out.memory.reset();
  out.utilization_covered = covered(&GpuUsage::utilization);
  out.power_covered = covered(&GpuUsage::power);
  out.memory_covered = covered(&GpuUsage::memory_used);
  return out;
}

void write_figures(JsonWriter& json, const Figures& figures) {
  json.field("utilization_percent", figures.utilization).field("power_watts", figures.power);
  json.field("energy_joules", figures.energy);
  json.field("peak_memory_bytes",
             figures.memory ? std::optional(std::llround(*figures.memory)) : std::nullopt);
  json.key("covered").begin_object().field("utilization", figures.utilization_covered);
  json.field("power", figures.power_covered).field("memory", figures.memory_covered).end_object();
}

std::optional<double> mean_of(const std::optional<TimeIntegral>& value) {
  return value ? std::optional(value->mean()) : std::nullopt;
}

void write_compared(JsonWriter& json, const Compared& each) {
  const TraceSeries* const known = find_trace_series(each.series);
  json.begin_object().field("series", each.series);
  json.field("unit", known != nullptr ? known->unit : std::string_view());
  json.field("before", mean_of(each.before)).field("since", mean_of(each.since)).end_object();
}

}  // namespace

void write_usage(JsonWriter& json, const Usage& usage) {
  const double seconds = std::chrono::duration<double>(usage.to - usage.from).count();
  json.begin_object();
  write_choice(json, usage.choice);
  if (seconds > 0) json.field("from", usage.from).field("to", usage.to);
  write_figures(json, figures_of(usage.gpus, seconds));
  json.list("gpus", usage.gpus, [seconds](JsonWriter& out, const GpuUsage& gpu) {
    out.begin_object().field("gpu", gpu.gpu);
    write_figures(out, figures_of({gpu}, seconds));
    out.end_object();
  });
  json.end_object();
}

void write_anomaly_traces(JsonWriter& json, const AnomalyTraces& traces) {
  json.begin_object();
  write_choice(json, traces.choice);
  json.field("since", traces.since);
  json.list("gpus", traces.gpus, [](JsonWriter& out, const GpuComparison& gpu) {
    out.begin_object().field("gpu", gpu.gpu).list("values", gpu.values, write_compared).end_object();
  });
  json.end_object();
}

}  // namespace etad::service
