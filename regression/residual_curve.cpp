#include "regression/residual_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "regression/residual_process.h"

namespace etad::regression {
namespace {

constexpr std::array kSmallBatches{0.0, 0.05, 0.2};  // standard deviation of the share of time in 1/B
constexpr std::array kMatern{0.0, 0.01, 0.04};       // of the Matérn 1/2 term
constexpr std::array kNugget{0.003, 0.01, 0.03};     // of one batch size on its own
constexpr std::array kRelatedStrengths{0.25, 1.0};   // factor of the related models' second moments
constexpr std::array kRelatedWeights{RelatedWeights{1, 1e9}, RelatedWeights{10, 0.05},
                                     RelatedWeights{10, 0.02}, RelatedWeights{100, 0.05},
                                     RelatedWeights{100, 0.02}};
constexpr std::array kCarried{0.0, 0.5, 1.0};  // how much of the other phase's residuals is ours
// Training holds all of testing, the forward part: that all its residuals are training's is this much
// likelier from the start, as a logarithm. How much of training's are testing's only the data can tell.
constexpr double kForwardIsPart = 3;
// Logarithms of the likeliest grid point's weight: what counts no more, and what may count where a batch size
// that spoke against it is left out.
constexpr double kNegligible = -6, kLeastLogWeight = -12;
constexpr std::size_t kMaxPoints = 96;

double square(double v) {
  return v * v;
}

struct Position {
  double samples;
  bool measured;  // by us or by a related model: the point holds there and only there
};

// Ours first (as infer_residuals relies on), then the related models', then a geometric grid from an eighth
// of the smallest to eight times the largest.
std::vector<Position> positions_for(const ResidualData& data, std::span<const RelatedModel> related_models) {
  std::vector<Position> out;
  for (const double b : data.samples) out.push_back({b, true});
  for (const RelatedModel& related_model : related_models) {
    for (const CurvePoint& point : related_model.curve) {
      const bool known = std::ranges::find(out, point.samples, &Position::samples) != out.end();
      if (!known && point.samples > 0 && out.size() < kMaxPoints / 2) out.push_back({point.samples, true});
    }
  }
  const double low = data.samples.front() / 8, high = data.samples.back() * 8;
  const double step = std::max(std::pow(2, 0.25), std::pow(high / low, 2.0 / (kMaxPoints - 2)));
  for (double b = low; b < high * 1.0001; b *= step) out.push_back({b, false});
  return out;
}

// Those that are cheaper together one after the other (regression/residual_process.h).
std::vector<Hyperparameters> grid_for(const std::vector<KernelPart>& related_parts) {
  std::vector<Hyperparameters> out;
  const auto with = [&](const KernelPart* part, double strength) {
    for (const double r : kMatern) {
      for (const double w : kNugget) {
        for (const double b : kSmallBatches) out.push_back({r, w, strength, part, b});
      }
    }
  };
  with(nullptr, 0);
  for (const KernelPart& part : related_parts) {
    for (const double strength : kRelatedStrengths) with(&part, strength);
  }
  return out;
}

// What each grid point says of the batch sizes left out, weighed.
class LeftOuts {
 public:
  explicit LeftOuts(const ResidualData& data) : data_(data) {
    for (Line* sum : {&weight_, &mean_, &square_}) sum->setZero(data.residuals.size());
  }

  // Residual and variance at a left-out batch size follow from the inverse (R&W eq. 5.12). The share of the
  // evidence that the left-out batch size itself gave is taken back (eq. 5.10).
  void add(const ResidualProcess& process, std::span<const CarriedShare> shares) {
    const Line precision = process.inverse().diagonal(), v = precision.inverse();
    const Line variance = (v - data_.noise.array()).max(0), half_log = 0.5 * precision.log();
    for (const CarriedShare& share : shares) {
      const Line k = process.weights(share.carried), r = k * v;
      const Line weight = (share.log_weight + 0.5 * r * k - half_log).min(50).exp();
      weight_ += weight;
      mean_ += weight * r;
      square_ += weight * (variance + r.square());
    }
  }

  std::vector<LeftOut> result() const {
    std::vector<LeftOut> out;
    for (Eigen::Index i = 0; i < weight_.size(); ++i) {
      const Moments moments{weight_(i), mean_(i), square_(i)};
      out.push_back({moments.average(), moments.variance()});
    }
    if (out.size() >= 2) {
      out[0].variance += square(latency_deviation(data_, data_.samples[1], data_.samples[0]));
    }
    return out;
  }

 private:
  using Line = Eigen::Array<double, Eigen::Dynamic, 1, 0, ResidualProcess::kMost, 1>;

  const ResidualData& data_;
  Line weight_, mean_, square_;  // of each batch size
};

// The residual curve at the first `positions`: as the related models make it likely, the network's other
// phase among them where it `counts`.
ResidualCurve infer_with(const ResidualData& data, const Kernel& kernel,
                         const RelatedResiduals& related_models, bool counts,
                         std::span<const Position> positions) {
  const auto rows = static_cast<Eigen::Index>(positions.size()), measured = data.residuals.size();
  const bool other_phase = counts && related_models.distance;
  std::vector<KernelPart> parts;
  if (other_phase || related_models.distances.size() > 0) {
    for (const RelatedWeights& w : kRelatedWeights) {
      parts.push_back(related_part(related_models, w, counts, rows, measured));
    }
  }
  const std::span<const double> carried(kCarried.data(), other_phase ? kCarried.size() : 1);
  const Eigen::VectorXd none, &residuals = other_phase ? related_models.carried : none;
  const std::vector<Hyperparameters> points = grid_for(parts);
  ResidualProcess process(data, kernel, residuals);
  std::vector<double> evidence;  // of each grid point with each share carried
  for (const Hyperparameters& s : points) {
    process.set(s);
    for (const double c : carried) {
      evidence.push_back(process.evidence(c) + (c == 1 && related_models.is_part ? kForwardIsPart : 0));
    }
  }
  const double best = *std::ranges::max_element(evidence);

  LeftOuts left_outs(data);
  Predictions predictions(data, kernel, residuals, rows);
  std::vector<CarriedShare> shares;  // of one grid point
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::span<const double> own(&evidence[k * carried.size()], carried.size());
    if (*std::ranges::max_element(own) - best < kLeastLogWeight) continue;
    process.set_and_invert(points[k]);
    if (!process.definite()) continue;
    shares.clear();
    for (std::size_t c = 0; c < carried.size(); ++c) {
      if (own[c] - best >= kLeastLogWeight) shares.push_back({carried[c], own[c] - best});
    }
    left_outs.add(process, shares);
    std::erase_if(shares, [](const CarriedShare& share) { return share.log_weight <= kNegligible; });
    if (!shares.empty()) predictions.add(process, shares);
  }
  ResidualCurve residual_curve;
  residual_curve.left_out = left_outs.result();
  const std::vector<Moments> sums = predictions.result();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double latency = latency_deviation(data, data.samples.front(), positions[i].samples);
    const double deviation = std::sqrt(sums[i].variance() + square(latency));
    residual_curve.points.push_back(
        {positions[i].samples, sums[i].average(), deviation, positions[i].measured});
  }
  return residual_curve;
}

}  // namespace

ResidualCurve infer_residuals(const ResidualData& data, std::span<const RelatedModel> related_models) {
  std::vector<Position> positions = positions_for(data, related_models);
  const std::size_t measured = data.samples.size();
  // The other phase is asked at the batch sizes it has measured. They come before those it has not.
  const RelatedModel* other_phase = other_phase_of(data, related_models);
  const auto asked = [&](double samples) { return other_phase && has_measured(other_phase->curve, samples); };
  const auto rest =
      std::stable_partition(positions.begin() + static_cast<std::ptrdiff_t>(measured), positions.end(),
                            [&](const Position& p) { return asked(p.samples); });
  std::vector<double> samples;
  for (const Position& p : positions) samples.push_back(p.samples);
  const Kernel kernel = kernel_of(data, samples);
  const RelatedResiduals residuals = related_residuals(data, related_models, samples);

  ResidualCurve residual_curve = infer_with(data, kernel, residuals, false, positions);
  if (other_phase) {
    const ResidualCurve with = infer_with(data, kernel, residuals, true, {positions.begin(), rest});
    for (std::size_t i = 0; i < with.points.size(); ++i) {
      if (asked(positions[i].samples)) residual_curve.points[i] = with.points[i];
    }
    for (std::size_t i = 0; i < measured; ++i) {
      if (asked(data.samples[i])) residual_curve.left_out[i] = with.left_out[i];
    }
  }
  std::ranges::stable_sort(residual_curve.points, {}, &ResidualPoint::samples);
  return residual_curve;
}

bool has_measured(std::span<const CurvePoint> curve, double samples) {
  return std::ranges::any_of(
      curve, [&](const CurvePoint& point) { return std::abs(point.samples - samples) <= 1e-9 * samples; });
}

ResidualPoint residual_at(std::span<const ResidualPoint> points, double samples) {
  const ResidualPoint* below = nullptr;
  const ResidualPoint* above = nullptr;
  for (const ResidualPoint& point : points) {
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
    ResidualPoint end = below ? *below : *above;
    end.deviation *= 1 + std::abs(std::log(samples / end.samples)) / std::log(8.0);
    end.samples = samples;
    return end;
  }
  const double share = std::log(samples / below->samples) / std::log(above->samples / below->samples);
  return {samples, below->log_ratio + share * (above->log_ratio - below->log_ratio),
          below->deviation + share * (above->deviation - below->deviation), false};
}

}  // namespace etad::regression
