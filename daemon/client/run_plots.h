// How a run went, as pictures: its loss, its step time, and the use of its GPUs. Pure but for `asked`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/client/views.h"

namespace etad::client {

// The API's answer to a GET; an empty object where there is none.
using Ask = std::function<Object(const std::string& target)>;

// The use of a run's GPUs in percent, the mean of all of them, in order of time. `usage`: of the run in full.
// `series`: of /v1/series/gpu.utilization.
std::vector<double> gpu_use(const Object& usage, const Object& series);

// Empty where nothing is known that a picture could show.
std::string plots_text(const Object& run, const Ask& ask, const Screen& screen);

}  // namespace etad::client
