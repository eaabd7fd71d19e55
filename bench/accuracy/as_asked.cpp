#include "bench/accuracy/as_asked.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/rivals/table.h"
#include "parsers/base/time.h"
#include "prediction/as_of.h"
#include "prediction/estimate.h"
#include "regression/estimators/performance.h"

namespace etad::accuracy {
namespace {

using estimators::Datum;
using prediction::Knowledge;

// What was said of the runs of one kind.
struct Sum {
  int asked = 0, answered = 0, held = 0, compared = 0;
  double error = 0, beside_plain = 0, plain = 0;

  void add(const AsAsked& run) {
    ++asked;
    if (!run.answered) return;
    ++answered;
    const double ours = std::abs(run.estimate / run.actual - 1);
    error += ours;
    held += run.actual >= run.lower && run.actual <= run.upper;
    if (!run.plain) return;
    ++compared;
    beside_plain += ours;
    plain += std::abs(*run.plain / run.actual - 1);
  }
};

void print(std::string_view kind, const Sum& sum) {
  if (sum.asked == 0) return;
  std::printf("| %.*s | %d | %d |", static_cast<int>(kind.size()), kind.data(), sum.asked, sum.answered);
  if (sum.answered > 0)
    std::printf(" %.1f | %.1f |", 100 * sum.error / sum.answered, 100.0 * sum.held / sum.answered);
  else
    std::printf(" | |");
  if (sum.compared > 0)
    std::printf(" %d | %.1f | %.1f |\n", sum.compared, 100 * sum.beside_plain / sum.compared,
                100 * sum.plain / sum.compared);
  else
    std::printf(" | | |\n");
}

std::optional<Instant> instant_of(double seconds) {
  if (!(seconds > 0)) return std::nullopt;
  return Instant(std::chrono::duration_cast<Instant::duration>(std::chrono::duration<double>(seconds)));
}

std::map<std::string, std::string> settings_of(const Datum& run) {
  std::map<std::string, std::string> out;
  for (const std::string& setting : run.what.settings) {
    const auto sign = setting.find('=');
    if (sign != std::string::npos) out[setting.substr(0, sign)] = setting.substr(sign + 1);
  }
  return out;
}

prediction::Question question_of(const ModelKey& key, const Datum& run) {
  prediction::Question out = prediction::about(key, {});
  out.phase =
      key.phase == Phase::test ? prediction::Question::Phase::test : prediction::Question::Phase::train;
  out.batch_size = std::lround(run.what.samples);
  out.iterations = std::lround(run.what.iterations);
  out.settings = settings_of(run);
  out.at = instant_of(run.started_at);
  return out;
}

// As a history gives them: the newest first.
std::vector<RunData> run_data_of(const std::vector<Datum>& runs) {
  std::vector<RunData> out;
  for (const Datum& run : runs) {
    RunData& data = out.emplace_back();
    data.run_id = run.run;
    data.samples_per_iteration = std::lround(run.what.samples);
    data.iterations = std::lround(run.what.iterations);
    data.duration = from_seconds(run.value * run.what.iterations);
    data.started_at = instant_of(run.started_at);
    data.ended_at = instant_of(run.ended_at);
    data.settings = settings_of(run);
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, &RunData::started_at);
  return out;
}

// The runs that were over when that one began.
estimators::History before(const Knowledge::Data& runs, const Datum& asked) {
  estimators::History out;
  for (const auto& [key, of] : runs)
    for (const Datum& run : of)
      if (usable(run) && run.ended_at > 0 && run.ended_at <= asked.started_at) out.push_back(run);
  return out;
}

std::optional<double> plain_line(const estimators::History& known, const Datum& run) {
  const auto line = estimators::gianniti().learn(known, estimators::Target::seconds).fitted;
  if (line == nullptr) return std::nullopt;
  const auto said = line->predict(run.what).estimate;
  return said ? std::optional(std::exp(said->log_mean) * run.what.iterations) : std::nullopt;
}

// With a model of each, so that those of then are made.
std::shared_ptr<const prediction::ModelSet> learnt_from(const Knowledge::Data& runs) {
  auto out = std::make_shared<prediction::ModelSet>();
  out->knowledge = Knowledge::of(runs, nullptr, [] {});
  std::vector<prediction::FittedModel> models(runs.size());
  std::ranges::transform(runs, models.begin(), [](const auto& each) {
    prediction::FittedModel model;
    model.key = each.first;
    return model;
  });
  out->models = std::make_shared<prediction::HeldModels>(std::move(models));
  return out;
}

std::vector<AsAsked> ask_each(const std::shared_ptr<const prediction::ModelSet>& models,
                              const Knowledge::Data& runs) {
  const prediction::RunsOf runs_of = [&](const ModelKey& key, const RunsWanted& wanted) {
    std::vector<RunData> out = run_data_of(runs.at(key));
    std::erase_if(out, [&](const RunData& run) { return !run.ended_at || *run.ended_at > *wanted.over_by; });
    return out;
  };
  std::vector<AsAsked> out;
  for (const auto& [key, of] : runs) {
    for (const Datum& run : of) {
      if (!(run.started_at > 0) || !run.what.has_samples()) continue;
      const estimators::History known = before(runs, run);
      AsAsked asked;
      asked.kind = estimators::Seen(known).kind_of(run.what);
      asked.actual = run.value * run.what.iterations;
      asked.plain = plain_line(known, run);
      prediction::Question question = question_of(key, run);
      if (asked.kind == estimators::Kind::network && run.what.costs) {
        prediction::Description net;  // without its fingerprint, by which later runs of it would be found
        net.framework = key.framework;
        net.costs = run.what.costs;
        question.shown = std::make_shared<const prediction::Description>(std::move(net));
      }
      const auto then = prediction::as_of(models, question, runs_of);
      if (const auto answer = prediction::estimate(then, question, question.at)) {
        asked.answered = true;
        asked.estimate = answer->sum.seconds;
        asked.lower = answer->sum.lower;
        asked.upper = answer->sum.upper;
      }
      out.push_back(asked);
    }
  }
  return out;
}

}  // namespace

std::vector<AsAsked> ask_when_begun(const Knowledge::Data& runs) {
  return ask_each(learnt_from(runs), runs);
}

void report_by_kind(const Knowledge::Data& runs) {
  const auto models = learnt_from(runs);
  std::printf("\n### By kind of question, hidden\n\n");
  bench::print_table(models->knowledge->records());
  std::array<Sum, estimators::kKinds> sums;
  Sum all;
  for (const AsAsked& run : ask_each(models, runs)) {
    sums[static_cast<std::size_t>(run.kind)].add(run);
    all.add(run);
  }
  if (all.asked == 0) return;
  std::printf("\n### Each run asked about when it began (`at=`)\n\n");
  std::printf(
      "The last three columns: runs that a straight line (`gianniti`) answers too, and both errors "
      "there.\n\n");
  std::printf(
      "| Kind | Runs | Answered | Error %% | Coverage %% of 90 %% | Both | Error %% | Straight line's %% "
      "|\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (std::size_t kind = 0; kind < sums.size(); ++kind)
    print(estimators::column_of(static_cast<estimators::Kind>(kind)), sums[kind]);
  print("all", all);
}

}  // namespace etad::accuracy
