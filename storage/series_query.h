// Reading monitoring traces, from the tier that fits the question.
#pragma once

#include <string>
#include <vector>

#include "storage/rows.h"
#include "storage/sqlite.h"

namespace etad {

// Of that name, or all; only those that have samples.
std::vector<SeriesRow> series_of(sqlite::Connection& connection, const std::string& name);

// However long the time asked for, and however many series are of that name, no series gives more than kMostPoints, and
// all of them together no more than kMostOfAll: the step grows instead.
inline constexpr std::int64_t kMostPoints = 100'000, kMostOfAll = 500'000;
std::vector<SeriesPoints> series_points_of(sqlite::Connection& connection, const SeriesQuery& query);

}  // namespace etad
