#include "regression/cells.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "regression/model.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr double kPooledDegrees = 3;  // what the pooled noise weighs against a cell's own spread
constexpr double kDoubt = 0.02;       // weight of a run that the basis rejects and no other confirms

struct Cell {
  std::vector<double> residuals, weights, variances;
};

// Where runs repeat, Tukey's biweight about their median, which the noise foreseen scales: nearly their mean
// where they differ as it says, and without those that it does not explain.
double biweight_centre(const Cell& cell) {
  constexpr double kTukey = 4.685;
  constexpr int kSteps = 4;
  double middle = median(cell.residuals);
  for (int step = 0; step < kSteps; ++step) {
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < cell.residuals.size(); ++i) {
      const double u = (cell.residuals[i] - middle) / kTukey;
      const double inside = std::max(0.0, 1 - u * u / cell.variances[i]);
      const double w = inside * inside / cell.variances[i];
      sum += w * cell.residuals[i];
      total += w;
    }
    if (!(total > 0)) break;
    middle = sum / total;
  }
  return middle;
}

double centre(const Cell& cell) {
  if (cell.residuals.size() >= 3) return biweight_centre(cell);
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < cell.residuals.size(); ++i) {
    const double w = cell.weights[i] + kDoubt;
    sum += w * cell.residuals[i];
    total += w;
  }
  return total > 0 ? sum / total : 0;
}

double variance_of_centre(const Cell& cell, double middle) {
  const auto count = static_cast<double>(cell.residuals.size());
  double pooled = 0, own = 0;
  for (std::size_t i = 0; i < cell.residuals.size(); ++i) {
    pooled += cell.variances[i] / count;
    own += (cell.residuals[i] - middle) * (cell.residuals[i] - middle);
  }
  if (count < 2) return pooled / std::max(kDoubt, cell.weights.front());
  return (kPooledDegrees * pooled + own) / (kPooledDegrees + count - 1) / count;
}

}  // namespace

Cells gather(const Observations& rows, const std::vector<double>& residuals,
             const std::vector<double>& weights, const Noise& noise) {
  Cells cells;
  const std::vector<double> sizes = batch_sizes(rows);
  const std::size_t count = std::min(sizes.size(), kMaxCurve);
  std::vector<Cell> gathered(count);
  std::vector<double> logarithms(count, 0), members(count, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto rank = static_cast<std::size_t>(std::ranges::lower_bound(sizes, rows[i].b) - sizes.begin());
    const std::size_t c = rank * count / sizes.size();
    cells.of.push_back(static_cast<int>(c));
    logarithms[c] += std::log(rows[i].b);
    members[c] += 1;
    if (rows[i].weight <= 0) continue;
    gathered[c].residuals.push_back(residuals[i]);
    gathered[c].weights.push_back(weights[i]);
    gathered[c].variances.push_back(noise.variance(rows[i].n));
  }
  cells.residuals.resize(static_cast<Eigen::Index>(count));
  cells.noise.resize(static_cast<Eigen::Index>(count));
  for (std::size_t c = 0; c < count; ++c) {
    const auto index = static_cast<Eigen::Index>(c);
    const bool one_size = sizes.size() == count;
    cells.samples.push_back(one_size ? sizes[c] : std::exp(logarithms[c] / members[c]));
    const bool empty = gathered[c].residuals.empty();
    cells.residuals(index) = empty ? 0 : centre(gathered[c]);
    cells.noise(index) = empty ? 1 : variance_of_centre(gathered[c], cells.residuals(index));
  }
  return cells;
}

}  // namespace etad::regression
