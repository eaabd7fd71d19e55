// Jia, Shaw, Martonosi, "Stargazer: automated regression-based GPU design space exploration", ISPASS 2012: the
// logarithm of time as a sum of natural cubic splines of the settings and of products of two settings, taken up one
// after the other for as long as that raises the adjusted R^2.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "regression/estimators/grouped.h"
#include "regression/estimators/solvers.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kFewestOfGroup = 20;  // runs of a group
constexpr std::size_t kMostRuns = 120;      // of a group that are listened to: the newest
constexpr std::size_t kMostFactors = 5;
constexpr double kMostLeverage = 3;  // of a question, as a multiple of what a run has
constexpr double kRounding = 1e-9;
constexpr double kKnots[] = {0.05, 0.35, 0.65, 0.95};  // of a spline, as quantiles of the runs

// What a case is at in each factor, by its name: the logarithms of the batch size and of the devices, and the settings
// that are numbers.
std::map<std::string, double> levels_of(const Case& what) {
  std::map<std::string, double> out = {{"log B", std::log(what.samples)}, {"log k", std::log(what.devices)}};
  for (const std::string& setting : what.settings)
    if (const auto number = number_of(setting)) out.emplace(setting.substr(0, setting.find('=')), *number);
  return out;
}

// What must be equal among runs: all but batch size, devices and the settings that are numbers.
std::string group_key(const Case& what) {
  std::string key = key_of(what, kNetwork | kPhase | kMachine);
  for (const std::string& setting : what.settings)
    if (!number_of(setting)) key += setting + '\x1f';
  return key;
}

// A factor in which runs differ, on the scale of their design space: 0 is the lowest of them, 1 the highest.
struct Factor {
  std::string name;
  double lowest = 0, highest = 0;
  std::vector<double> knots = {};

  double scaled(double level) const { return (level - lowest) / (highest - lowest); }

  // The natural cubic spline with those knots but for its constant (Hastie, Tibshirani, Friedman 2009, 5.2.1): x,
  // and a column for each knot but the last two.
  void add_columns(double x, std::vector<double>& out) const {
    out.push_back(x);
    const std::size_t last = knots.size() - 1;
    const auto d = [&](std::size_t k) {
      const auto cube = [](double y) { return y > 0 ? y * y * y : 0; };
      return (cube(x - knots[k]) - cube(x - knots[last])) / (knots[last] - knots[k]);
    };
    for (std::size_t k = 0; k + 2 < knots.size(); ++k) out.push_back(d(k) - d(last - 1));
  }
};

using Point = std::vector<double>;  // a case, in the order of the factors
using TermSet =
    std::set<std::pair<std::size_t, std::size_t>>;  // (i, i): a factor's spline; (i, j): a product

class FittedStargazer {
 public:
  explicit FittedStargazer(Runs& runs) {
    std::ranges::stable_sort(runs, std::ranges::greater{}, &Datum::started_at);
    if (runs.size() > kMostRuns) runs.resize(kMostRuns);
    find_factors(runs);
    std::vector<Point> points;
    for (const Datum* run : runs) points.push_back(point_of(run->what).value());
    const Eigen::VectorXd y = numbers_of(runs, [](const Datum* run) { return std::log(run->value); });
    choose_terms(points, y);
    const Eigen::MatrixXd design = design_of(points, terms_);
    inverse_ = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(design).pseudoInverse();
    coefficients_ = inverse_ * y;
    leverage_ = (design * inverse_).diagonal().maxCoeff();
  }

  Reply operator()(const Case& what) const {
    const auto point = point_of(what);
    if (!point) return abstain("a setting is not said that the runs differ in");
    const Eigen::RowVectorXd row = row_of(*point, terms_);
    // Splines and products say nothing of what is beyond the design space that was sampled, nor in its gaps, where
    // the leverage shows (Montgomery, Peck, Vining, "Introduction to linear regression analysis", 2012, 3.8: hidden
    // extrapolation): a thousand times too much was seen.
    const bool within =
        std::ranges::all_of(*point, [](double x) { return x > -kRounding && x < 1 + kRounding; });
    if (!within || (row * inverse_).squaredNorm() > kMostLeverage * leverage_ + kRounding)
      return abstain("beyond the settings that ran");
    return {Estimate{row.dot(coefficients_)}, {}};
  }

 private:
  void find_factors(const Runs& runs) {
    std::map<std::string, std::vector<double>> levels;
    for (const Datum* run : runs)
      for (const auto& [name, level] : levels_of(run->what)) levels[name].push_back(level);
    for (auto& [name, seen] : levels) {
      std::ranges::sort(seen);
      // One that some runs do not say, or that they do not differ in, is none.
      if (seen.size() < runs.size() || seen.front() == seen.back() || factors_.size() == kMostFactors)
        continue;
      Factor& factor = factors_.emplace_back(Factor{name, seen.front(), seen.back()});
      for (const double quantile : kKnots) {
        const auto at = static_cast<std::size_t>(quantile * static_cast<double>(seen.size() - 1));
        const double knot = factor.scaled(seen[at]);
        if (factor.knots.empty() || knot > factor.knots.back()) factor.knots.push_back(knot);
      }
      if (factor.knots.size() < 3) factor.knots = {0, 1};  // a straight line
    }
  }

  // The one that raises the adjusted R^2 most, of all splines and of the products of two whose splines are in, until
  // none does.
  void choose_terms(const std::vector<Point>& points, const Eigen::VectorXd& y) {
    double best = adjusted_r2(points, y, {});
    for (bool better = true; better;) {
      better = false;
      const TermSet taken = terms_;
      for (std::size_t i = 0; i < factors_.size(); ++i)
        for (std::size_t j = i; j < factors_.size(); ++j) {
          if (i != j && !(taken.contains({i, i}) && taken.contains({j, j}))) continue;
          TermSet tried = taken;
          tried.emplace(i, j);
          const double r2 = adjusted_r2(points, y, tried);
          if (r2 > best + 1e-6) best = r2, terms_ = std::move(tried), better = true;
        }
    }
  }

  // Of least squares with these terms; -1 where there are too few runs for them.
  double adjusted_r2(const std::vector<Point>& points, const Eigen::VectorXd& y, const TermSet& terms) const {
    const Eigen::MatrixXd design = design_of(points, terms);
    const auto n = static_cast<double>(y.size()), p = static_cast<double>(design.cols());
    if (3 * p > n) return -1;
    const double left = (y - design * least_squares(design, y)).squaredNorm() / (n - p);
    const double all = (y.array() - y.mean()).square().sum() / (n - 1);
    return all > 0 ? 1 - left / all : 0;
  }

  // nullopt: it does not say a factor.
  std::optional<Point> point_of(const Case& what) const {
    const auto levels = levels_of(what);
    Point out;
    for (const Factor& factor : factors_) {
      const auto level = levels.find(factor.name);
      if (level == levels.end()) return std::nullopt;
      out.push_back(factor.scaled(level->second));
    }
    return out;
  }

  Eigen::RowVectorXd row_of(const Point& x, const TermSet& terms) const {
    std::vector<double> out = {1};
    for (const auto& [i, j] : terms)
      if (i == j)
        factors_[i].add_columns(x[i], out);
      else
        out.push_back(x[i] * x[j]);
    return Eigen::Map<const Eigen::RowVectorXd>(out.data(), static_cast<Eigen::Index>(out.size()));
  }

  Eigen::MatrixXd design_of(const std::vector<Point>& points, const TermSet& terms) const {
    return rows_of(points, [&](const Point& x) { return row_of(x, terms); });
  }

  std::vector<Factor> factors_;
  TermSet terms_;
  Eigen::VectorXd coefficients_;
  Eigen::MatrixXd inverse_;  // of the runs' design, pseudo
  double leverage_ = 0;      // of the run that has most
};

// A setting varies that is a number.
bool enough(const Runs& runs) {
  return runs.size() >= kFewestOfGroup && different(runs, kSettings) >= 2;
}

}  // namespace

Estimator stargazer() {
  return grouped({.name = "stargazer",
                  .source = "Jia, Shaw, Martonosi, ISPASS 2012",
                  .group = group_key,
                  .can_fit = enough,
                  .missing = "no network has 20 runs on one machine over settings that are numbers",
                  .fit = [](Runs& runs) { return FittedStargazer(runs); }});
}

}  // namespace etad::estimators
