#include "daemon/source_labels.h"

#include <algorithm>
#include <vector>

#include "parsers/base/event.h"
#include "parsers/base/suggest.h"
#include "parsers/base/trace_labels.h"
#include "regression/covariates.h"
#include "storage/labels.h"

namespace etad {
namespace {

// What a source's lines or a trace can be told, and the settings that estimates go by.
bool is_source_label(std::string_view name) {
  const auto& covariates = regression::covariate_names();
  return field(name) || trace_label(name) || name == "gpus" || name == "start" || name == "interval" ||
         std::find(covariates.begin(), covariates.end(), name) != covariates.end();
}

}  // namespace

Result<void> check_source_label(const std::string& name, const std::string& value) {
  return is_label(name) ? check_labels({{name, value}}) : Result<void>();
}

std::optional<Error> unknown_source_label(std::string_view name) {
  if (is_source_label(name)) return std::nullopt;
  static const std::vector<std::string_view> kUsual = {
      "network", "batch_size", "test_batch_size", "global_batch_size", "iter_size", "device", "devices",
      "gpus",    "host",       "framework",       "steps_per_epoch",   "precision"};
  const auto near = nearest_name(name, kUsual);
  std::string known;
  for (const auto& each : kUsual) known += (known.empty() ? "" : ", ") + std::string(each);
  return Error{"", "the label '" + std::string(name) + "' is none that etad goes by",
               near.empty() ? "known are " + known : "did you mean '" + std::string(near) + "'?"};
}

}  // namespace etad
