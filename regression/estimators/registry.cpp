// The estimators there are, from simple to rich: one line each.
#include <algorithm>
#include <array>
#include <set>

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

RestsOn rests_on(std::span<const Datum* const> runs) {
  std::set<std::string_view> networks, devices;
  for (const Datum* datum : runs) {
    networks.insert(datum->what.network);
    devices.insert(datum->what.device);
  }
  return {static_cast<int>(runs.size()), static_cast<int>(networks.size()), static_cast<int>(devices.size())};
}

}  // namespace etad::estimators
