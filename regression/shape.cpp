#include "regression/shape.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "regression/shape_kernel.h"

namespace etad::regression {
namespace {

constexpr std::array kSmallBatches{0.0, 0.05, 0.2};  // standard deviation of the share of time in 1/B
constexpr std::array kRough{0.0, 0.01, 0.04};        // of the rough curve
constexpr std::array kWhim{0.004, 0.015};            // of one batch size on its own
constexpr std::array kSiblings{0.5, 2.0};            // factor of the siblings' second moments
constexpr std::array kSiblingWeights{SiblingWeights{1, 1e9}, SiblingWeights{10, 0.05},
                                     SiblingWeights{10, 0.02}, SiblingWeights{100, 0.05},
                                     SiblingWeights{100, 0.02}};
constexpr std::array kCarried{0.0, 0.5, 1.0};  // how much of the other phase's bends is ours
// Logarithms of the likeliest setting's weight: what counts no more, and what may count where a batch size
// that spoke against it is left out.
constexpr double kNegligible = -6, kLeastLogWeight = -12;
constexpr std::size_t kMaxPoints = 96;

double square(double v) {
  return v * v;
}

struct Setting {
  double small_batches = 0, rough = 0, whim = 0, siblings = 0, carried = 0;
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
  // `carried`: what the network's other phase bears over, at all positions; empty: nothing.
  Process(const ShapeData& data, std::span<const double> positions, Eigen::VectorXd carried)
      : data_(data),
        carried_(std::move(carried)),
        coefficients_(coefficients_part(data, positions)),
        small_batches_(small_batches_part(data, positions)),
        rough_(rough_part(data, positions)) {}

  void set(const Setting& s) {
    setting_ = s;
    const auto n = data_.residuals.size();
    Square k = coefficients_.between.topRows(n);
    if (s.small_batches > 0) k += square(s.small_batches) * small_batches_.between.topRows(n);
    if (s.rough > 0) k += square(s.rough) * rough_.between.topRows(n);
    if (s.sibling_part) k += s.siblings * s.sibling_part->between.topRows(n);
    k.diagonal() += data_.noise;
    k.diagonal().array() += square(s.whim);
    cholesky_.compute(k);
    Line residuals = data_.residuals;
    if (s.carried > 0) residuals -= s.carried * carried_.head(n);
    weights_ = cholesky_.solve(residuals);
    evidence_ = -0.5 * residuals.dot(weights_) - cholesky_.matrixLLT().diagonal().array().log().sum();
    if (!std::isfinite(evidence_)) evidence_ = -std::numeric_limits<double>::max();
  }

  // Before the questions below.
  void invert() {
    const auto n = data_.residuals.size();
    inverse_ = cholesky_.solve(Square::Identity(n, n));
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
    Eigen::MatrixXd k = covariance();
    k.diagonal().array() += square(setting_.whim);
    Eigen::VectorXd mean = k * weights_;
    if (setting_.carried > 0) mean += setting_.carried * carried_;
    own -= (k * inverse_).cwiseProduct(k).rowwise().sum();
    for (Eigen::Index i = 0; i < own.size(); ++i) {
      into[static_cast<std::size_t>(i)].add(weight, mean(i), std::max(0.0, own(i)));
    }
  }

 private:
  // Never larger than this: no setting allocates.
  static constexpr int kMost = static_cast<int>(kMaxCurve);
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
  using Line = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;

  // Between all positions and the measured ones, without what is a batch size's own.
  Eigen::MatrixXd covariance() const {
    const Setting& s = setting_;
    Eigen::MatrixXd k = coefficients_.between;
    if (s.small_batches > 0) k += square(s.small_batches) * small_batches_.between;
    if (s.rough > 0) k += square(s.rough) * rough_.between;
    if (s.sibling_part) k += s.siblings * s.sibling_part->between;
    return k;
  }

  const ShapeData& data_;
  Eigen::VectorXd carried_;
  KernelPart coefficients_, small_batches_, rough_;
  Setting setting_;
  Eigen::LLT<Square> cholesky_;
  Square inverse_;
  Line weights_;
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

std::vector<Setting> settings_for(const std::vector<KernelPart>& sibling_parts, bool other_phase) {
  std::vector<Setting> out;
  const auto with = [&](const KernelPart* part, double strength) {
    for (const double c : kCarried) {
      if (c > 0 && !other_phase) break;
      for (const double b : kSmallBatches) {
        for (const double r : kRough) {
          for (const double w : kWhim) out.push_back({b, r, w, strength, c, part});
        }
      }
    }
  };
  with(nullptr, 0);
  for (const KernelPart& part : sibling_parts) {
    for (const double strength : kSiblings) with(&part, strength);
  }
  return out;
}

// What each setting says of the batch sizes left out, weighed.
class LeftOuts {
 public:
  explicit LeftOuts(const ShapeData& data) : data_(data), moments_(data.samples.size()) {}

  // The share of the evidence that the left-out batch size itself gave is taken back (R&W eq. 5.10).
  void add(const Process& process, double log_weight) {
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      const auto index = static_cast<Eigen::Index>(i);
      const double r = process.left_out_residual(index), v = process.left_out_variance(index);
      const double own = -0.5 * r * r / v - 0.5 * std::log(v);
      const double weight = std::exp(std::min(50.0, log_weight - own));
      moments_[i].add(weight, r, std::max(0.0, v - data_.noise(index)));
    }
  }

  std::vector<LeftOut> result() const {
    std::vector<LeftOut> out;
    for (const Moments& m : moments_) out.push_back({m.average(), m.variance()});
    if (out.size() >= 2) {
      out[0].variance += square(latency_deviation(data_, data_.samples[1], data_.samples[0]));
    }
    return out;
  }

 private:
  const ShapeData& data_;
  std::vector<Moments> moments_;
};

// The shape that these siblings' residuals make likely, at all positions in their order.
Shape infer_with(const ShapeData& data, const std::vector<SiblingResiduals>& siblings,
                 const std::vector<Position>& positions, const std::vector<double>& samples) {
  std::vector<KernelPart> parts;
  if (!siblings.empty()) {
    for (const SiblingWeights& w : kSiblingWeights) {
      parts.push_back(siblings_part(siblings, w, samples.size(), data.samples.size()));
    }
  }
  const auto other_phase = std::ranges::find(siblings, true, &SiblingResiduals::same_network);
  const bool carried = other_phase != siblings.end();
  const std::vector<Setting> settings = settings_for(parts, carried);
  Process process(data, samples, carried ? other_phase->carried : Eigen::VectorXd());
  std::vector<double> evidence;
  for (const Setting& s : settings) {
    process.set(s);
    evidence.push_back(process.evidence());
  }
  const double best = *std::ranges::max_element(evidence);

  LeftOuts left_outs(data);
  std::vector<Moments> moments(positions.size());
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const double log_weight = evidence[k] - best;
    if (log_weight < kLeastLogWeight) continue;
    process.set(settings[k]);
    process.invert();
    left_outs.add(process, log_weight);
    if (log_weight > kNegligible) process.predict(moments, std::exp(log_weight));
  }
  Shape shape;
  shape.left_out = left_outs.result();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double latency = latency_deviation(data, data.samples.front(), positions[i].samples);
    const double deviation = std::sqrt(moments[i].variance() + square(latency));
    shape.points.push_back({positions[i].samples, moments[i].average(), deviation, positions[i].measured});
  }
  return shape;
}

bool has_measured(const Sibling& sibling, double samples) {
  return std::ranges::any_of(sibling.curve, [&](const CurvePoint& point) {
    return std::abs(point.samples - samples) <= 1e-9 * samples;
  });
}

}  // namespace

Shape infer_shape(const ShapeData& data, std::span<const Sibling> siblings) {
  const std::vector<Position> positions = positions_for(data, siblings);
  std::vector<double> samples;
  for (const Position& p : positions) samples.push_back(p.samples);
  auto residuals = sibling_residuals(data, siblings, samples);
  Shape shape = infer_with(data, residuals, positions, samples);

  const auto gone = std::erase_if(residuals, [](const SiblingResiduals& r) { return r.same_network; });
  if (gone > 0) {
    const Sibling& other_phase = *std::ranges::find(siblings, true, &Sibling::same_network);
    Shape without = infer_with(data, residuals, positions, samples);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (!has_measured(other_phase, positions[i].samples)) shape.points[i] = without.points[i];
    }
    for (std::size_t i = 0; i < data.samples.size(); ++i) {
      if (!has_measured(other_phase, data.samples[i])) shape.left_out[i] = without.left_out[i];
    }
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
