// What the user says of a run, joined with what its log says. The log wins where it knows. Pure.
#pragma once

#include <string>
#include <string_view>

#include "parsers/base/error.h"
#include "parsers/base/record.h"
#include "storage/text_map.h"

namespace etad {

// Whether a run can have a label of that name.
bool is_label(std::string_view name);

// Only known names, and numbers above zero where a number belongs. An empty value is allowed everywhere.
Result<void> check_labels(const TextMap& labels);

// A run's labels as the history keeps them. `origins` has a name for each label that no user gave.
struct RunLabels {
  TextMap values, origins;
};

RunLabels read_labels(std::string_view json);
std::string to_json(const RunLabels& labels);

// Joins what the user said to `labels`; an empty value takes the label of its name away.
void merge_labels(RunLabels& labels, const TextMap& said);

// Joins what was found elsewhere; what the user said stays.
void merge_found(RunLabels& labels, const TextMap& found, const std::string& origin);

// What the log itself says of the values that labels can fill in; and putting them back into a run that had
// labels applied. Together they undo apply_labels().
TextMap said_by_log(const Run& run);
void restore_said(Run& run, const TextMap& said);

// Fills in what the log left unknown, and what follows from it: samples per iteration from the batch size,
// iter_size and the number of devices.
void apply_labels(Run& run, const TextMap& labels);

}  // namespace etad
