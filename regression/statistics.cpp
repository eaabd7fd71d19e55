#include "regression/statistics.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>

namespace etad::regression {
namespace {

// Of a probability that is none, or of a whole distribution, NaN or infinity: no exception.
using Quiet =
    boost::math::policies::policy<boost::math::policies::domain_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
                                  boost::math::policies::promote_double<false>>;
using Student = boost::math::students_t_distribution<double, Quiet>;

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t half = values.size() / 2;
  double* const middle = values.data() + half;
  std::nth_element(values.data(), middle, values.data() + values.size());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.data(), middle)) / 2;
}

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_error(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double m = mean(values);
  double sum = 0;
  for (const double v : values) sum += (v - m) * (v - m);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(sum / (count - 1) / count);
}

double robust_scale(const std::vector<double>& residuals) {
  std::vector<double> absolute(residuals.size());
  std::transform(residuals.begin(), residuals.end(), absolute.begin(), [](double r) { return std::abs(r); });
  return 1.4826 * median(std::move(absolute));
}

double tau_scale(const std::vector<double>& residuals) {
  constexpr double kCut = 3;
  const double most = kCut * robust_scale(residuals);
  if (residuals.empty()) return 0;
  double sum = 0;
  for (const double r : residuals) sum += std::min(r * r, most * most);
  return std::sqrt(sum / static_cast<double>(residuals.size()));
}

double winsorised_at(std::vector<double> values, double usual) {
  if (values.size() <= kMostOutliers) return usual;
  const auto next = values.begin() + kMostOutliers;
  std::nth_element(values.begin(), next, values.end(), std::greater<>());
  return std::max(usual, *next);
}

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal_distribution<double, Quiet>(), p);
}

double student_cdf(double t, double degrees_of_freedom) {
  return boost::math::cdf(Student(degrees_of_freedom), t);
}

double student_quantile(double p, double degrees_of_freedom) {
  return boost::math::quantile(Student(degrees_of_freedom), p);
}

}  // namespace etad::regression
