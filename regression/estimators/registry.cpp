// The estimators there are, from simple to rich: one line each.
#include <algorithm>
#include <array>

#include "regression/estimators/combined.h"

namespace etad::estimators {

std::span<const Estimator> estimators() {
  static const std::array kAll = {
      gianniti(),
      gianniti_literal(),
      barnes(),
      ernest(),
      ring(),
      lu(),
      described(),
      gupta(),
      stargazer(),
      kerr(),
      gianniti_layers(),
      layer_roofline(),
      bitirgen(),
      dao(),
      end_to_end(),
      effects(),
      combined(),
  };
  return kAll;
}

const Estimator* find_estimator(std::string_view name) {
  const auto all = estimators();
  const auto found = std::ranges::find(all, name, &Estimator::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace etad::estimators
