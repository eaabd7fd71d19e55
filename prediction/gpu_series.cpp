#include "prediction/gpu_series.h"

#include <array>
#include <functional>
#include <map>
#include <utility>

#include "parsers/base/hash.h"
#include "parsers/base/trace_labels.h"
#include "prediction/run_gpus.h"

namespace etad::prediction {

GpuSeries::GpuSeries(std::vector<SeriesRow> all, std::string own_host) : own_host_(std::move(own_host)) {
  std::map<std::string, std::size_t, std::less<>> known;
  for (SeriesRow& row : all) {
    if (!row.first_at || !row.last_at || !is_about_a_gpu(row)) continue;
    const auto said = label_value(row.labels, "host").value_or(std::string_view());
    const std::string_view host = said.empty() ? std::string_view(own_host_) : said;
    auto at = known.find(host);
    if (at == known.end()) {
      at = known.emplace(host, hosts_.size()).first;
      hosts_.emplace_back(host);
    }
    host_of_.push_back(at->second);
    rows_.push_back(std::move(row));
  }
}

void GpuSeries::each(std::string_view host, Instant from, Instant to, auto&& take) const {
  std::vector<bool> is_meant;
  for (const std::string& each : hosts_)
    is_meant.push_back(same_host(each, host) || same_host(each, own_host_));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const SeriesRow& row = rows_[i];
    if (is_meant[host_of_[i]] && *row.first_at < to && *row.last_at >= from) take(row);
  }
}

std::vector<SeriesRow> GpuSeries::between(std::string_view host, Instant from, Instant to) const {
  std::vector<SeriesRow> out;
  each(host, from, to, [&](const SeriesRow& row) { out.push_back(row); });
  return out;
}

std::uint64_t GpuSeries::version(std::string_view host, Instant from, Instant to) const {
  std::uint64_t out = fnv1a({});
  each(host, from, to, [&](const SeriesRow& row) {
    const std::array<std::int64_t, 2> numbers{row.id, row.samples};
    out = fnv1a({reinterpret_cast<const char*>(numbers.data()), sizeof numbers}, out);
  });
  return out;
}

}  // namespace etad::prediction
