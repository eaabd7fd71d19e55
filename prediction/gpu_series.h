// Of all series those of GPUs, found once for the questions of many runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/rows.h"

namespace etad::prediction {

class GpuSeries {
 public:
  // `own_host`: what a series without a host is about.
  GpuSeries(std::vector<SeriesRow> all, std::string own_host);

  const std::string& own_host() const { return own_host_; }
  bool empty() const { return rows_.empty(); }

  // Whether one that is wanted may have something of the time between these, of whatever host.
  bool any_between(Instant begin, Instant end, auto&& is_wanted) const {
    return std::ranges::any_of(rows_, [&](const SeriesRow& row) {
      return (*row.first_at < end) && (*row.last_at > begin) && is_wanted(row);
    });
  }

  // Those of that host and of this machine (a run in a container is on both) that have something of [from, to), by
  // their first and last samples: which is enough where no index was one GPU's after another. As they were ordered.
  std::vector<SeriesRow> between(std::string_view host, Instant from, Instant to) const;

  // Another one where any of these has samples that it had not.
  std::uint64_t version(std::string_view host, Instant from, Instant to) const;

 private:
  void each(std::string_view host, Instant from, Instant to, auto&& take) const;

  std::string own_host_;
  std::vector<SeriesRow> rows_;
  std::vector<std::size_t> host_of_;  // of each row, in hosts_
  std::vector<std::string> hosts_;
};

}  // namespace etad::prediction
