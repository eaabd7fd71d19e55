// Jia, Shaw, Martonosi, "Stargazer: automated regression-based GPU design space exploration", ISPASS 2012: the
// logarithm of time as a sum of natural cubic splines of the settings and of products of two settings, taken up one
// after the other for as long as that raises the adjusted R^2.
#include <algorithm>
#include <cmath>
#include <map>

#include "regression/estimators/grouped.h"
#include "regression/estimators/methods.h"
#include "regression/estimators/solvers.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kFewestOfGroup = 20;  // runs of a group
constexpr std::size_t kMostRuns = 120;      // of a group that are listened to: the newest
constexpr std::size_t kMostFactors = 5;
constexpr std::size_t kKnots = 4;

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

// A factor in which runs differ.
struct Factor {
  std::string name;
  std::vector<double> knots;
  double lowest = 0, highest = 0;  // of the runs: the bounds of the design space

  bool bounds(double x) const {
    constexpr double kRounding = 1e-9;
    return x >= lowest - kRounding && x <= highest + kRounding;
  }

  // The natural cubic spline with those knots but for its constant (Hastie, Tibshirani, Friedman 2009, 5.2.1): x,
  // and a column for each knot but the last two.
  std::vector<double> columns(double x) const {
    std::vector<double> out = {x};
    const std::size_t last = knots.size() - 1;
    const auto d = [&](std::size_t k) {
      const auto cube = [](double y) { return y > 0 ? y * y * y : 0; };
      return (cube(x - knots[k]) - cube(x - knots[last])) / (knots[last] - knots[k]);
    };
    for (std::size_t k = 0; k + 2 < knots.size(); ++k) out.push_back(d(k) - d(last - 1));
    return out;
  }
};

// One factor's spline, or the product of two factors.
struct Term {
  std::size_t one = 0, other = 0;
  std::vector<double> columns(const std::vector<Factor>& factors, const std::vector<double>& x) const {
    return one == other ? factors[one].columns(x[one]) : std::vector{x[one] * x[other]};
  }
};

class FittedStargazer final : public Fitted {
 public:
  explicit FittedStargazer(Runs& runs) {
    std::ranges::stable_sort(runs, std::ranges::greater{}, &Datum::started_at);
    if (runs.size() > kMostRuns) runs.resize(kMostRuns);
    find_factors(runs);
    std::vector<std::vector<double>> x;
    Eigen::VectorXd y(static_cast<Eigen::Index>(runs.size()));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      x.push_back(values(runs[i]->what).value());
      y(static_cast<Eigen::Index>(i)) = std::log(runs[i]->value);
    }
    double best = fit(x, y, terms_);
    for (bool better = true; better;) {
      better = false;
      std::vector<Term> chosen;
      for (const Term& term : candidates()) {
        auto tried = terms_;
        tried.push_back(term);
        if (const double r2 = fit(x, y, tried); r2 > best + 1e-6) best = r2, chosen = tried, better = true;
      }
      if (better) terms_ = std::move(chosen);
    }
    fit(x, y, terms_);
  }

  Reply predict(const Case& what) const override {
    const auto x = values(what);
    if (!x) return abstain("a setting is not said that the runs differ in");
    // A spline says nothing of what is beyond the design space that it was sampled from, and products of two
    // settings less: ten times too much was seen.
    for (std::size_t i = 0; i < factors_.size(); ++i)
      if (!factors_[i].bounds((*x)[i])) return abstain("beyond the settings that ran");
    return {Estimate{row_of(*x, terms_).dot(coefficients_)}, {}};
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
      Factor& factor = factors_.emplace_back(Factor{name, {}, seen.front(), seen.back()});
      for (std::size_t k = 0; k < kKnots; ++k) {
        const double at = seen[(seen.size() - 1) * (1 + 6 * k) / (2 + 6 * (kKnots - 1))];
        if (factor.knots.empty() || at > factor.knots.back()) factor.knots.push_back(at);
      }
      if (factor.knots.size() < 3) factor.knots = {seen.front(), seen.back()};  // a straight line
    }
  }

  // Each factor that is not in yet, and each product of two that are.
  std::vector<Term> candidates() const {
    const auto has = [&](std::size_t i, std::size_t j) {
      return std::ranges::any_of(terms_, [&](const Term& t) { return t.one == i && t.other == j; });
    };
    std::vector<Term> out;
    for (std::size_t i = 0; i < factors_.size(); ++i)
      for (std::size_t j = i; j < factors_.size(); ++j)
        if (!has(i, j) && (i == j || (has(i, i) && has(j, j)))) out.push_back({i, j});
    return out;
  }

  std::optional<std::vector<double>> values(const Case& what) const {
    const auto levels = levels_of(what);
    std::vector<double> out;
    for (const Factor& factor : factors_) {
      const auto level = levels.find(factor.name);
      if (level == levels.end()) return std::nullopt;
      out.push_back(level->second);
    }
    return out;
  }

  Eigen::VectorXd row_of(const std::vector<double>& x, const std::vector<Term>& terms) const {
    std::vector<double> out = {1};
    for (const Term& term : terms)
      for (const double column : term.columns(factors_, x)) out.push_back(column);
    return Eigen::Map<const Eigen::VectorXd>(out.data(), static_cast<Eigen::Index>(out.size()));
  }

  // Least squares with these terms; the adjusted R^2, or -1 where there are too few runs for them.
  double fit(const std::vector<std::vector<double>>& x, const Eigen::VectorXd& y,
             const std::vector<Term>& terms) {
    Eigen::MatrixXd design(y.size(), row_of(x.front(), terms).size());
    for (Eigen::Index i = 0; i < y.size(); ++i) design.row(i) = row_of(x[static_cast<std::size_t>(i)], terms);
    const auto n = static_cast<double>(y.size()), p = static_cast<double>(design.cols());
    if (3 * p > n) return -1;
    coefficients_ = least_squares(design, y);
    const double left = (y - design * coefficients_).squaredNorm() / (n - p);
    const double all = (y.array() - y.mean()).square().sum() / (n - 1);
    return all > 0 ? 1 - left / all : 0;
  }

  std::vector<Factor> factors_;
  std::vector<Term> terms_;
  Eigen::VectorXd coefficients_;
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
                  .enough = enough,
                  .missing = "no network has 20 runs on one machine over settings that are numbers",
                  .fit = [](Runs& runs) { return std::make_unique<FittedStargazer>(runs); }});
}

}  // namespace etad::estimators
