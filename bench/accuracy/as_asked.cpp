#include "bench/accuracy/as_asked.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "bench/rivals/table.h"
#include "prediction/estimate.h"
#include "regression/estimators/performance.h"

namespace etad::accuracy {
namespace {

using estimators::Datum;
using prediction::Knowledge;

struct Sum {
  int asked = 0, answered = 0, held = 0;
  double error = 0;
};

void print(const std::string& kind, const Sum& sum) {
  if (sum.asked == 0) return;
  std::printf("| %s | %d | %d |", kind.c_str(), sum.asked, sum.answered);
  if (sum.answered > 0)
    std::printf(" %.1f | %.1f |\n", 100 * sum.error / sum.answered, 100.0 * sum.held / sum.answered);
  if (sum.answered == 0) std::printf(" | |\n");
}

prediction::Question question_of(const ModelKey& key, const Datum& run) {
  prediction::Question out = prediction::about(key, {});
  out.phase =
      key.phase == Phase::test ? prediction::Question::Phase::test : prediction::Question::Phase::train;
  out.batch_size = std::lround(run.what.samples);
  out.iterations = std::lround(run.what.iterations);
  for (const std::string& setting : run.what.settings) {
    const auto sign = setting.find('=');
    if (sign != std::string::npos) out.settings[setting.substr(0, sign)] = setting.substr(sign + 1);
  }
  out.at =
      Instant(std::chrono::duration_cast<Instant::duration>(std::chrono::duration<double>(run.started_at)));
  return out;
}

// How far the question lies from the runs that were over when that one began.
estimators::Kind kind_of(const Knowledge::Data& runs, const Datum& asked) {
  estimators::History before;
  for (const auto& [key, of] : runs)
    for (const Datum& run : of)
      if (run.ended_at > 0 && run.ended_at <= asked.started_at) before.push_back(run);
  return estimators::Seen(before).kind_of(asked.what);
}

}  // namespace

void report_by_kind(const History& history) {
  auto models = std::make_shared<prediction::ModelSet>();
  models->knowledge = Knowledge::of(history.runs, nullptr, [] {});
  std::printf("\n### By kind of question, hidden\n\n");
  bench::print_table(models->knowledge->records());
  std::array<Sum, estimators::kKinds> sums;
  Sum all;
  for (const auto& [key, runs] : history.runs) {
    for (const Datum& run : runs) {
      if (!(run.started_at > 0)) continue;
      const auto answer = prediction::estimate(models, question_of(key, run));
      for (Sum* sum : {&sums[static_cast<std::size_t>(kind_of(history.runs, run))], &all}) {
        ++sum->asked;
        if (!answer) continue;
        const double actual = run.value * run.what.iterations;
        ++sum->answered;
        sum->error += std::abs(answer->sum.seconds / actual - 1);
        sum->held += actual >= answer->sum.lower && actual <= answer->sum.upper;
      }
    }
  }
  if (all.asked == 0) return;
  std::printf("\n### Each run asked about when it began (`at=`)\n\n");
  std::printf("| Kind | Runs | Answered | Error %% | Coverage %% of 90 %% |\n|---|---|---|---|---|\n");
  for (std::size_t kind = 0; kind < sums.size(); ++kind)
    print(std::string(estimators::column_of(static_cast<estimators::Kind>(kind))), sums[kind]);
  print("all", all);
}

}  // namespace etad::accuracy
