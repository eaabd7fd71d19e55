#include "regression/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace etad::regression {
namespace {

// Continued fraction of the incomplete beta function, for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double h = d;
  for (int i = 1; i <= 200; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-14) break;
  }
  return h;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// Those that hold come first; the first of the others. No branch depends on a value.
template <class Predicate>
double* partition(double* begin, double* end, Predicate holds) {
  double* out = begin;
  for (double* i = begin; i != end; ++i) {
    const double value = *i, other = *out;
    *i = other;
    *out = value;
    out += holds(value);
  }
  return out;
}

// std::nth_element, but that its partitions are Lomuto's without branches (Alexandrescu, "Lomuto's Comeback",
// 2020): how a measurement compares is a toss that branch prediction loses, and medians are half of a robust
// fit.
void nth_element(double* begin, double* nth, double* end) {
  for (int rounds = 32; end - begin > 1; --rounds) {
    if (rounds == 0) return std::nth_element(begin, nth, end);  // a sequence made to be slow
    const double a = *begin, b = begin[(end - begin) / 2], c = end[-1];
    const double pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    double* middle = partition(begin, end, [=](double v) { return v < pivot; });
    if (middle == begin) {
      middle = partition(begin, end, [=](double v) { return v <= pivot; });
      if (nth < middle) return;
    }
    (nth < middle ? end : begin) = middle;
  }
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t half = values.size() / 2;
  double* const middle = values.data() + half;
  nth_element(values.data(), middle, values.data() + values.size());
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

double weighted_quantile(const std::vector<double>& values, const std::vector<double>& weights, double p) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double below = 0;
  for (const std::size_t i : order) {
    below += weights[i];
    if (below >= p * total) return values[i];
  }
  return values.empty() ? 0 : values[order.back()];
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

double normal_quantile(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                          6.680131188771972e+01, -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                          3.754408661907416e+00};
  if (p > 0.5) return -normal_quantile(1 - p);
  if (p < 0.02425) {
    const double q = std::sqrt(-2 * std::log(std::max(p, 1e-300)));
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  }
  const double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

double student_cdf(double t, double degrees_of_freedom) {
  const double tail =
      0.5 * incomplete_beta(degrees_of_freedom / 2, 0.5, degrees_of_freedom / (degrees_of_freedom + t * t));
  return t > 0 ? 1 - tail : tail;
}

double student_quantile(double p, double degrees_of_freedom) {
  if (p < 0.5) return -student_quantile(1 - p, degrees_of_freedom);
  double low = 0, high = 1;
  while (student_cdf(high, degrees_of_freedom) < p && high < 1e12) high *= 2;
  for (int i = 0; i < 80 && high - low > 1e-10 * high; ++i) {
    const double mid = (low + high) / 2;
    (student_cdf(mid, degrees_of_freedom) < p ? low : high) = mid;
  }
  return (low + high) / 2;
}

}  // namespace etad::regression
