#include "prediction/never_ran.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "prediction/selection.h"

namespace etad::prediction {
namespace {

Refusal refusal_of(Refusal::Kind kind, const Question& question, std::string why) {
  return {.kind = kind, .value = std::move(why), .network = question.network.value_or(question.shown->name)};
}

}  // namespace

Answer<EstimatePart> never_ran(const ModelSet& models, const Question& question, Phase phase,
                               std::int64_t iterations) {
  const Description& net = *question.shown;
  const bool of_total = phase == Phase::test && question.phase == Question::Phase::total;
  const auto batch = of_total ? (question.test_batch_size ? question.test_batch_size : net.test_batch_size)
                              : (question.batch_size ? question.batch_size : net.batch_size);
  if (!net.costs) return refuse(refusal_of(Refusal::Kind::costs_unknown, question, net.unknown));
  if (!batch) return refuse(batch_size_missing(question, phase, question.network.value_or(net.name)));
  std::vector<std::pair<Asked, Said>> heard;
  std::string why = "nothing ran on such a machine";
  if (models.knowledge) {
    for (Asked& asked : models.knowledge->asked_of_shown(question, phase, *batch)) {
      auto said = models.knowledge->ask(asked.what, question.confidence);
      why = "too few networks ran there whose logs showed their layers";
      if (said) heard.emplace_back(std::move(asked), std::move(*said));
    }
  }
  if (heard.empty()) return refuse(refusal_of(Refusal::Kind::nothing_alike, question, std::move(why)));
  if (heard.size() > 1) {
    std::vector<KnownDeployment> fits;
    for (const auto& [asked, said] : heard) fits.push_back({asked.key, true, true});
    return refuse(ambiguous(std::move(fits)));
  }
  const auto& [asked, said] = heard.front();
  return part_of(said, asked, iterations);
}

Question recognized(const ModelSet& models, Question question) {
  if (!question.shown || question.shown->architecture.empty() || !models.knowledge) return question;
  const auto ran = std::ranges::find_if(models.knowledge->data(), [&](const auto& each) {
    return each.first.architecture == question.shown->architecture;
  });
  if (ran == models.knowledge->data().end()) return question;
  question.network.reset();
  question.architecture = question.shown->architecture;
  if (!question.batch_size && question.phase != Question::Phase::test)
    question.batch_size = question.shown->batch_size;
  question.shown = nullptr;
  return question;
}

}  // namespace etad::prediction
