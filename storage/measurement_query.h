// Reading packed segments and points.
#pragma once

#include <vector>

#include "parsers/base/record.h"
#include "storage/sqlite.h"

namespace etad {

// Those of the run from number `from` (0: the first) on, at most `limit`; none of a run that is not there. A segment that
// was packed before its samples per iteration were known has those that the run has by now.
std::vector<Segment> segments_of(sqlite::Connection& connection, std::int64_t run_id, std::int64_t from,
                                 std::int64_t limit);
std::vector<ProgressPoint> points_of(sqlite::Connection& connection, std::int64_t run_id, std::int64_t from,
                                     std::int64_t limit);

}  // namespace etad
