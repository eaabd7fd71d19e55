// Made-up histories for the tests of the estimators.
#pragma once

#include <random>

#include "regression/estimators/estimator.h"

namespace etad::estimators {

inline Case a_case(std::string network, double samples, double devices = 1, std::string device = "K80") {
  Case out;
  out.network = std::move(network);
  out.phase = "train";
  out.samples = samples;
  out.devices = devices;
  out.device = std::move(device);
  out.host = "host";
  out.framework = "caffe";
  out.iterations = 1000;
  return out;
}

inline void add(History& history, Case what, double value) {
  const auto run = static_cast<std::int64_t>(history.size()) + 1;
  history.push_back({std::move(what), value, run, 0, 0});
}

}  // namespace etad::estimators
