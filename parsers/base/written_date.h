// Dates as people and programs write them at a line's head, other than ISO 8601's: "[04/12/24 16:45:17]",
// "08/28/2022 12:13:57 - ", "Mon Aug 28 00:13:57 2023", "28 Aug 2023 00:13:57", "03-04 05:06:07.250",
// "20230319 09:54:17", with AM or PM, in brackets (with names behind it or not) or without. The clock must
// show seconds.
#pragma once

#include <string_view>

#include "parsers/base/timestamp.h"

namespace etad {

// HeaderForm::date. Of "04/12/24" the log's own time says whether day or month comes first; at its beginning
// it is the month, unless that would lie in the future.
LineHeader read_written_date(std::string_view line, TimeContext& context);

// A month by its English name or the first three letters of it; 0: it is none.
int month_named(std::string_view word);

}  // namespace etad
