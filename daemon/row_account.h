// Brings a log parser's counts into its source's row, for a followed file as for an import.
#pragma once

#include <cstdint>
#include <utility>

#include "parsers/log/log_parser.h"
#include "storage/rows.h"

namespace etad {

class RowAccount {
 public:
  // Before a commit: the runs that changed go to the records, the lines that were counted since the last time
  // to the row.
  void close(LogParser& parser, Records& records, SourceRow& row) {
    parser.flush(records);
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
