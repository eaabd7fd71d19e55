// Brings a log parser's counts into its source's row, for a followed file as for an import.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "parsers/log/log_parser.h"
#include "storage/rows.h"

namespace etad {

class RowAccount {
 public:
  // Before a commit: the runs that changed go to the records, the lines that were counted since the last time
  // to the row. Samples of a day to come are rejected: they would be kept until it has gone by.
  void close(LogParser& parser, Records& records, SourceRow& row, Instant now) {
    parser.flush(records);
    for (SampledSeries& of : records.sampled)
      records.rejected += static_cast<std::int64_t>(std::erase_if(
          of.samples, [&](const Sample& sample) { return sample.at > now + std::chrono::days{1}; }));
    row.format = parser.format();
    row.matched += parser.matched() - std::exchange(matched_, parser.matched());
    row.unmatched += parser.unmatched() - std::exchange(unmatched_, parser.unmatched());
    row.rejected += records.rejected;
    parser.complain(row.last_error);
  }

 private:
  std::int64_t matched_ = 0, unmatched_ = 0;  // the parser's counts as the row has them already
};

}  // namespace etad
