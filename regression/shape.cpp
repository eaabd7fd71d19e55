#include "regression/shape.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "regression/shape_kernel.h"

namespace etad::regression {
namespace {

constexpr std::array kSmallBatches{0.0, 0.05,
                                   0.2};  // standard deviation of the share of time of the term in 1/B
constexpr std::array kRough{0.0, 0.005, 0.015, 0.05};    // of the rough curve
constexpr std::array kWhim{0.003, 0.006, 0.012, 0.024};  // of one batch size on its own
constexpr std::array kSiblings{0.3, 1.0, 3.0};           // factor of the siblings' second moments
constexpr std::array kSiblingWeights{SiblingWeights{1, 1e9}, SiblingWeights{10, 0.05},
                                     SiblingWeights{10, 0.02}, SiblingWeights{100, 0.05},
                                     SiblingWeights{100, 0.02}};
constexpr double kNegligible = 1e-4;  // of the likeliest setting's weight
constexpr std::size_t kMaxPoints = 96;

double square(double v) {
  return v * v;
}

struct Setting {
  double small_batches = 0, rough = 0, whim = 0, siblings = 0;
  const KernelPart* sibling_part = nullptr;
};

struct Moments {
  double weight = 0, mean = 0, square = 0;
  void add(double w, double m, double variance) {
    weight += w;
    mean += w * m;
    square += w * (variance + m * m);
  }
  double average() const { return weight > 0 ? mean / weight : 0; }
  double variance() const { return weight > 0 ? std::max(0.0, square / weight - average() * average()) : 0; }
};

// The Gaussian process under one setting, seen from the measured batch sizes.
class Process {
 public:
  Process(const ShapeData& data, std::span<const double> positions)
      : data_(data),
        coefficients_(coefficients_part(data, positions)),
        small_batches_(small_batches_part(data, positions)),
        rough_(rough_part(data, positions)) {}

  void set(const Setting& s) {
    setting_ = s;
    const auto n = data_.residuals.size();
    Eigen::MatrixXd k = covariance(n);
    k.diagonal().array() += square(s.whim);
    k.diagonal() += data_.noise;
    const Eigen::LLT<Eigen::MatrixXd> cholesky(k);
    inverse_ = cholesky.solve(Eigen::MatrixXd::Identity(n, n));
    weights_ = inverse_ * data_.residuals;
    const Eigen::MatrixXd& lower = cholesky.matrixLLT();
    evidence_ = -0.5 * data_.residuals.dot(weights_) - lower.diagonal().array().log().sum();
    if (!std::isfinite(evidence_)) evidence_ = -std::numeric_limits<double>::max();
  }

  double evidence() const { return evidence_; }

  // At a measured batch size, from all the others.
  double left_out_residual(Eigen::Index i) const { return weights_(i) / inverse_(i, i); }
  double left_out_variance(Eigen::Index i) const { return 1 / inverse_(i, i); }

  // At all positions; the whim of a measured batch size is known as well as its mean.
  void predict(std::vector<Moments>& into, double weight) const {
    Eigen::VectorXd own = coefficients_.own + square(setting_.small_batches) * small_batches_.own;
    own.array() += square(setting_.rough) + square(setting_.whim);
    if (setting_.sibling_part) own += setting_.siblings * setting_.sibling_part->own;
    Eigen::MatrixXd k = covariance(own.size());
    k.diagonal().array() += square(setting_.whim);
    const Eigen::VectorXd mean = k * weights_;
    own -= (k * inverse_).cwiseProduct(k).rowwise().sum();
    for (Eigen::Index i = 0; i < own.size(); ++i) {
      into[static_cast<std::size_t>(i)].add(weight, mean(i), std::max(0.0, own(i)));
    }
  }

 private:
  // Between the first `rows` positions and the measured ones, without what is a batch size's own.
  Eigen::MatrixXd covariance(Eigen::Index rows) const {
    const auto& s = setting_;
    Eigen::MatrixXd k = coefficients_.between.topRows(rows);
    if (s.small_batches > 0) k += square(s.small_batches) * small_batches_.between.topRows(rows);
    if (s.rough > 0) k += square(s.rough) * rough_.between.topRows(rows);
    if (s.sibling_part) k += s.siblings * s.sibling_part->between.topRows(rows);
    return k;
  }

  const ShapeData& data_;
  KernelPart coefficients_, small_batches_, rough_;
  Setting setting_;
  Eigen::MatrixXd inverse_;
  Eigen::VectorXd weights_;
  double evidence_ = 0;
};

struct Position {
  double samples;
  bool measured;  // by us or by a sibling: the point holds there and only there
};

// Ours first (as infer_shape relies on), then the siblings', then a geometric grid from an eighth of the
// smallest to eight times the largest.
std::vector<Position> positions_for(const ShapeData& data, std::span<const Sibling> siblings) {
  std::vector<Position> out;
  for (const double b : data.samples) out.push_back({b, true});
  for (const Sibling& sibling : siblings) {
    for (const CurvePoint& point : sibling.curve) {
      const bool known = std::ranges::find(out, point.samples, &Position::samples) != out.end();
      if (!known && point.samples > 0 && out.size() < kMaxPoints / 2) out.push_back({point.samples, true});
    }
  }
  const double low = data.samples.front() / 8, high = data.samples.back() * 8;
  const double step = std::max(std::pow(2, 0.25), std::pow(high / low, 2.0 / (kMaxPoints - 2)));
  for (double b = low; b < high * 1.0001; b *= step) out.push_back({b, false});
  return out;
}

std::vector<Setting> settings_for(const std::vector<KernelPart>& sibling_parts) {
  std::vector<Setting> out;
  const auto with = [&](const KernelPart* part, double strength) {
    for (const double b : kSmallBatches) {
      for (const double r : kRough) {
        for (const double w : kWhim) out.push_back({b, r, w, strength, part});
      }
    }
  };
  with(nullptr, 0);
  for (const KernelPart& part : sibling_parts) {
    for (const double strength : kSiblings) with(&part, strength);
  }
  return out;
}

std::vector<LeftOut> left_out(Process& process, const std::vector<Setting>& settings,
                              const std::vector<double>& evidence, double best, const ShapeData& data) {
  // The share of the evidence that the left-out batch size itself gave is taken back (R&W eq. 5.10).
  std::vector<Moments> moments(data.samples.size());
  for (std::size_t k = 0; k < settings.size(); ++k) {
    if (evidence[k] < best - 20) continue;
    process.set(settings[k]);
    for (std::size_t i = 0; i < moments.size(); ++i) {
      const auto index = static_cast<Eigen::Index>(i);
      const double r = process.left_out_residual(index), v = process.left_out_variance(index);
      const double own = -0.5 * r * r / v - 0.5 * std::log(v);
      const double weight = std::exp(std::min(50.0, evidence[k] - best - own));
      moments[i].add(weight, r, std::max(0.0, v - data.noise(index)));
    }
  }
  std::vector<LeftOut> out;
  for (const Moments& m : moments) out.push_back({m.average(), m.variance()});
  if (out.size() >= 2) out[0].variance += square(latency_deviation(data, data.samples[1], data.samples[0]));
  return out;
}

}  // namespace

Shape infer_shape(const ShapeData& data, std::span<const Sibling> siblings) {
  const std::vector<Position> positions = positions_for(data, siblings);
  std::vector<double> samples;
  for (const Position& p : positions) samples.push_back(p.samples);
  const auto residuals = sibling_residuals(data, siblings, samples);
  std::vector<KernelPart> parts;
  if (!residuals.empty()) {
    for (const SiblingWeights& w : kSiblingWeights) {
      parts.push_back(siblings_part(residuals, w, samples.size(), data.samples.size()));
    }
  }
  const std::vector<Setting> settings = settings_for(parts);
  Process process(data, samples);
  std::vector<double> evidence;
  for (const Setting& s : settings) {
    process.set(s);
    evidence.push_back(process.evidence());
  }
  const double best = *std::ranges::max_element(evidence);

  Shape shape;
  shape.left_out = left_out(process, settings, evidence, best, data);
  std::vector<Moments> moments(positions.size());
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const double weight = std::exp(evidence[k] - best);
    if (weight < kNegligible) continue;
    process.set(settings[k]);
    process.predict(moments, weight);
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double latency = latency_deviation(data, data.samples.front(), positions[i].samples);
    const double deviation = std::sqrt(moments[i].variance() + square(latency));
    shape.points.push_back({positions[i].samples, moments[i].average(), deviation, positions[i].measured});
  }
  std::ranges::stable_sort(shape.points, {}, &ShapePoint::samples);
  return shape;
}

ShapePoint shape_at(std::span<const ShapePoint> points, double samples) {
  const ShapePoint* below = nullptr;
  const ShapePoint* above = nullptr;
  for (const ShapePoint& point : points) {
    if (point.measured) {
      if (std::abs(point.samples - samples) <= 1e-9 * samples) return point;
    } else if (point.samples <= samples) {
      below = &point;
    } else if (!above) {
      above = &point;
    }
  }
  if (!below && !above) return {samples, 0, 0, false};
  if (!below || !above) {
    // Beyond the grid nothing is known but that it gets worse: as sure as the end, per factor of eight.
    ShapePoint end = below ? *below : *above;
    end.deviation *= 1 + std::abs(std::log(samples / end.samples)) / std::log(8.0);
    end.samples = samples;
    return end;
  }
  const double share = std::log(samples / below->samples) / std::log(above->samples / below->samples);
  return {samples, below->log_ratio + share * (above->log_ratio - below->log_ratio),
          below->deviation + share * (above->deviation - below->deviation), false};
}

}  // namespace etad::regression
