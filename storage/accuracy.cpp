#include "storage/accuracy.h"

#include <algorithm>
#include <cmath>

namespace etad {
namespace {

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

void AccuracySums::add(const std::string& network, PredictionKind kind, double at_fraction,
                       double error_percent, bool covered) {
  for (const Group& group : {Group{}, Group{std::nullopt, kind, at_fraction}, Group{network, {}, {}},
                             Group{network, kind, at_fraction}}) {
    Scores& scores = groups_[group];
    scores.errors.push_back(error_percent);
    scores.covered += covered ? 1 : 0;
  }
}

AccuracyRow AccuracySums::summarise(const Group& group, const Scores& scores) {
  AccuracyRow row{std::get<0>(group), std::get<1>(group), std::get<2>(group)};
  row.count = static_cast<std::int64_t>(scores.errors.size());
  std::vector<double> absolute;
  absolute.reserve(scores.errors.size());
  double sum = 0, signed_sum = 0;
  for (const double error : scores.errors) {
    absolute.push_back(std::abs(error));
    sum += std::abs(error);
    signed_sum += error;
  }
  const auto n = static_cast<double>(row.count);
  row.mean_error_percent = sum / n;
  row.median_error_percent = median(absolute);
  row.bias_percent = signed_sum / n;
  row.coverage = static_cast<double>(scores.covered) / n;
  return row;
}

std::vector<AccuracyRow> AccuracySums::rows() const {
  std::vector<AccuracyRow> out;
  for (const auto& [group, scores] : groups_) out.push_back(summarise(group, scores));
  return out;
}

}  // namespace etad
