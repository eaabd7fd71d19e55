// Scored predictions summed up: over all, by kind and fraction, by network, and by all three. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "storage/rows.h"

namespace etad {

class AccuracySums {
 public:
  // `error_percent`: signed; `covered`: whether the interval held what came.
  void add(const std::string& network, PredictionKind kind, double at_fraction, double error_percent,
           bool covered);
  std::vector<AccuracyRow> rows() const;

 private:
  struct Scores {
    std::vector<double> errors;
    std::int64_t covered = 0;
  };
  using Group = std::tuple<std::optional<std::string>, std::optional<PredictionKind>, std::optional<double>>;
  static AccuracyRow summarise(const Group& group, const Scores& scores);

  std::map<Group, Scores> groups_;
};

}  // namespace etad
