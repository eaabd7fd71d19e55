#include "prediction/tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/base/number.h"
#include "prediction/knowledge.h"
#include "prediction/names.h"

namespace etad::prediction {
namespace {

constexpr std::string_view kLength = "sequence_length";

std::optional<std::int64_t> positive(std::string_view text) {
  return parse_number<std::int64_t>(text, 1, std::numeric_limits<std::int64_t>::max());
}

// Of covariates as "sequence_length=2048".
void add_length(const regression::Covariates& covariates, std::set<std::int64_t>& lengths) {
  for (const std::string_view covariate : covariates) {
    if (!covariate.starts_with(kLength) || covariate.substr(kLength.size(), 1) != "=") continue;
    if (const auto length = positive(covariate.substr(kLength.size() + 1))) lengths.insert(*length);
  }
}

std::optional<std::int64_t> asked_length(const Question& question) {
  const auto said = question.settings.find(std::string(kLength));
  return said == question.settings.end() ? std::nullopt : positive(said->second);
}

}  // namespace

std::optional<std::int64_t> sequence_length(const Question& question, const FittedModel* model) {
  if (const auto asked = asked_length(question)) return asked;
  std::set<std::int64_t> lengths;
  if (model != nullptr) add_length(model->model.covariates, lengths);
  return lengths.size() == 1 ? std::optional(*lengths.begin()) : std::nullopt;
}

void count_tokens(Question& question) {
  const auto length = asked_length(question);
  if (!question.tokens || question.batch_size || !length) return;
  const double samples = static_cast<double>(*question.tokens) / static_cast<double>(*length);
  question.batch_size = std::max<std::int64_t>(1, std::llround(samples));
}

Answer<void> count_tokens(Question& question, const ModelSet& models) {
  if (!question.tokens || question.batch_size) return {};
  std::set<std::int64_t> lengths;
  if (!asked_length(question) && models.knowledge) {
    // Of the models whose names fit best those that fit most of framework, host, device and number of devices.
    std::pair best{Fit::none, 0};
    for (const auto& [key, runs] : models.knowledge->data()) {
      const Fit named =
          std::min(fit_of(question.network, key.network), fit_of(question.architecture, key.architecture));
      const int there = fits(question.framework, key.framework) + fits(question.host, key.host) +
                        fits(question.device, key.device) +
                        (question.devices.value_or(key.devices) == key.devices);
      const std::pair fit{named, there};
      if (named == Fit::none || fit < best) continue;
      if (fit > best) lengths.clear();
      best = fit;
      for (const estimators::Datum& run : runs) add_length(run.what.settings, lengths);
    }
    if (lengths.size() == 1) question.settings.emplace(kLength, std::to_string(*lengths.begin()));
  }
  count_tokens(question);
  if (question.batch_size) return {};
  std::vector<std::string> known;
  for (const std::int64_t length : lengths) known.push_back(std::to_string(length));
  return refuse({.kind = Refusal::Kind::sequence_length_missing,
                 .parameter = "setting." + std::string(kLength),
                 .network = question.network.value_or(""),
                 .candidates = shown(std::move(known))});
}

}  // namespace etad::prediction
