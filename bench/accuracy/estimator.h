// Those who answer the questions: our regression, and rivals to hold it against.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regression/estimators/case.h"
#include "regression/model.h"

namespace etad::accuracy {

struct Question {
  double iterations = 0;
  double samples = 0;
  regression::Covariates covariates;
  double started_at = 0;  // seconds since 1970; 0: the question is about no time in particular
};

// What may be known beside the runs of the series: how all those of the machine went that were over by then.
using Background = estimators::History;

// One fit, several questions: nullopt where there is no answer.
using Answer = std::function<std::optional<regression::Prediction>(const Question&)>;
using Estimator = std::function<Answer(const regression::Dataset&, const Background&)>;

Estimator our_regression(double confidence);

// Plain least squares of the relative error with coefficients >= 0 in the basis of that formula: no
// robustness, no choice, no interval.
Estimator plain_least_squares(std::string_view formula);

}  // namespace etad::accuracy
