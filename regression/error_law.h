// How far off a forecast may be: the distribution of its relative error. It is mostly small, when the run
// goes on as it did, and sometimes large, when the step time changes without any sign of it in the past.
#pragma once

namespace etad::regression {

// ln(actual / forecast): with probability `slower` exponential above 0 with mean `slower_size`, with
// probability `faster` exponential below 0 with mean `faster_size`, otherwise normal about 0 with deviation
// `usual`.
struct ErrorLaw {
  double usual = 0;
  double slower = 0, faster = 0;  // probabilities, together < 1
  double slower_size = 0, faster_size = 0;

  double cumulative(double x) const;  // P(error <= x)
  double quantile(double p) const;    // its inverse; p in (0, 1)
};

}  // namespace etad::regression
