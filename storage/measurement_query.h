// Reading packed segments and points.
#pragma once

#include <vector>

#include "parsers/base/record.h"
#include "storage/sqlite.h"

namespace etad {

// Those of the run from the from-th on, at most `limit`; none of a run that is not there. Segments without
// samples of their own bear the run's, where those are known (by now).
std::vector<Segment> segments_of(sqlite::Connection& connection, std::int64_t run_id, std::int64_t from,
                                 std::int64_t limit);
std::vector<ProgressPoint> points_of(sqlite::Connection& connection, std::int64_t run_id, std::int64_t from,
                                     std::int64_t limit);

}  // namespace etad
