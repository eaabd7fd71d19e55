// A fit in two stages, for whoever fits many models of one deployment together. The first stage takes from a
// model's own runs all that the others learn from it; the second ends the model with what they teach it. The
// first is most of the work and is done once.
#pragma once

#include <memory>
#include <optional>

#include "regression/model.h"

namespace etad::regression {

struct FirstStage;

class TwoStageFit {
 public:
  // The first stage. nullopt where there is nothing to fit from. `data` must outlive the fit.
  static std::optional<TwoStageFit> of(const Dataset& data);

  // What the related models learn from (prior_of): curve, noise and degrees as they are without a prior. It
  // has no residual curve and no scores, so it is not to be asked for estimates.
  const Model& model() const { return alone_; }

  // The second stage: the same as fit(data, prior), bit for bit.
  std::optional<Model> with(const Prior& prior) const;

 private:
  TwoStageFit(const Dataset& data, std::shared_ptr<const FirstStage> first);

  const Dataset* data_;
  std::shared_ptr<const FirstStage> first_;
  Model alone_;
};

}  // namespace etad::regression
