// The API's answers as text for people. Pure: parsed JSON in, text out; nothing here asks anything.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace etad::client {

// What the text is for. A width of 0: as wide as it comes; a height of 0: as long.
struct Screen {
  std::size_t width = 0;
  bool colours = false;
  std::size_t height = 0;
};

using Object = boost::json::object;

std::optional<Object> object_in(std::string_view json);  // nothing: the text is no JSON object

// Members as they are needed here: absent or of another type is "" and 0.
std::string text_of(const Object& object, std::string_view name);
double number_of(const Object& object, std::string_view name);
bool is_true(const Object& object, std::string_view name);             // whether there is such a flag, set
bool known(const Object& object, std::string_view name);               // whether there is such a number
const Object& object_of(const Object& object, std::string_view name);  // absent: an empty one
const boost::json::array& array_of(const Object& object, std::string_view name);
// Of such an array what is an object: valid as long as the object is.
std::vector<std::reference_wrapper<const Object>> objects_of(const Object& object, std::string_view name);

// "8 min 32 s (8 min 18 s to 8 min 50 s)" of an object with seconds, lower and upper.
std::string interval_text(const Object& object);

std::string status_text(const Object& health, const Screen& screen);
std::string runs_text(const Object& answer, const Screen& screen);
// Where not only those under way were asked for.
std::string all_runs_text(const Object& answer, const Screen& screen);
std::string run_text(const Object& run, const Screen& screen);  // one run in full
std::string estimate_text(const Object& estimate, const Screen& screen);
std::string cost_text(const Object& estimate, const Screen& screen);  // of energy or memory
// "02:05:00": its upper bound; nullopt: it has none that a job's time limit could be.
std::optional<std::string> limit_text(const Object& estimate);
std::string estimators_text(const Object& answer, const Screen& screen);
std::string next_text(const Object& answer, const Screen& screen);
std::string next_within_text(const Object& answer, const Screen& screen);
std::string what_if_text(const Object& answer, const Screen& screen);
std::string models_text(const Object& answer, const Screen& screen);
std::string model_text(const Object& model, const Screen& screen);
std::string networks_text(const Object& answer, const Screen& screen);
std::string accuracy_text(const Object& answer, const Screen& screen);
std::string accuracy_of_network_text(const Object& answer, const Screen& screen);
std::string sources_text(const Object& answer, const Screen& screen);
std::string series_list_text(const Object& answer, const Screen& screen);
std::string series_text(const Object& answer, const Screen& screen);
std::string import_text(const std::string& name, const Object& report);
std::string refit_text(const Object& report);
std::string reload_text(const Object& report);

// A problem+json body: detail, behind the `file` it is about if any, hint, candidates.
std::string problem_text(const Object& problem, const std::string& file = {});

// One changed run, as a line for a log or a pipe.
std::string run_line(const Object& run);

// A run of the live view.
struct LiveRun {
  Object run;
  std::vector<double> gpu_use;  // percent, in order of time; empty: not known
};

// The live view: of each run its bar and what remains, and below it, while it runs, its iterations, speed, time so far,
// end by the clock, loss and GPU use. What is in trouble comes first, then the newest. No line is wider than the screen,
// and there are no more than it is high: how many runs there was no room for the last one says.
std::string live_text(const std::map<std::int64_t, LiveRun>& runs, const Screen& screen);

}  // namespace etad::client
