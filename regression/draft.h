// A fit in two steps, for whoever fits many models of one deployment together: what the runs of each say by
// themselves, from which the others learn, and then the model that all of it makes. The first is most of the
// work and is done once.
#pragma once

#include <memory>
#include <optional>

#include "regression/model.h"

namespace etad::regression {

struct Groundwork;

class Draft {
 public:
  // nullopt where there is nothing to fit from. `data` must outlive the draft.
  static std::optional<Draft> of(const Dataset& data);

  // What the siblings learn from (prior_of): curve, noise and degrees as they are without a prior. It has no
  // shape and no scores, so it is not to be asked for estimates.
  const Model& model() const { return alone_; }

  // The same as fit(data, prior), bit for bit.
  std::optional<Model> with(const Prior& prior) const;

 private:
  Draft(const Dataset& data, std::shared_ptr<const Groundwork> groundwork);

  const Dataset* data_;
  std::shared_ptr<const Groundwork> groundwork_;
  Model alone_;
};

}  // namespace etad::regression
