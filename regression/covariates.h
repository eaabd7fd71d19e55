// The settings of a run that may change its step time beside its batch size.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "regression/dataset.h"

namespace etad::regression {

// The value of a setting; empty: it is not said.
std::string_view setting_of(const std::map<std::string, std::string>& settings, const std::string& name);

// Names of the settings that are looked at, sorted: "iter_size", "precision", "sequence_length", "type",
// "workers".
const std::vector<std::string>& covariate_names();

// The settings that a table of measurements had columns for beside, which `table_settings` names.
std::vector<std::string> table_settings(const std::map<std::string, std::string>& settings);

// The covariates of a run with these settings. Every name is there, with an empty value where the log does
// not say (an `iter_size` that is not said is 1). Of a test phase only what testing can depend on: the
// precision. What table_settings() names beside is a covariate of either phase.
Covariates covariates_of(const std::map<std::string, std::string>& settings, bool training);

// "type" of "type=Adam".
std::string_view covariate_name(std::string_view covariate);

}  // namespace etad::regression
