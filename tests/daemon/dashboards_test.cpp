// The dashboard and the alert rules ask for metrics and labels that GET /metrics really shows.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <regex>
#include <set>

#include "daemon/health.h"
#include "daemon/service/metrics.h"
#include "tests/daemon/temp_history.h"
#include "tests/places.h"
#include "tests/service/fixtures.h"

namespace etad {
namespace {

using Shown = std::map<std::string, std::set<std::string>>;  // labels by metric

// What /metrics says of a daemon that has everything: models, running runs, failures.
std::string full_metrics(service::MetricsForm form) {
  HealthInputs inputs;
  inputs.started_at = kToday - std::chrono::hours{1};
  inputs.last_refit = inputs.ingest.last_commit = kToday;
  inputs.refit_failure = Error{"", "no data", ""};
  inputs.formats = 20;
  inputs.alerts = Alerts::Counters{};
  const service::Health health = health_of(inputs, {});
  const service::ModelsView models{
      1, {prediction::row_of(service::testing::fitted(1, "LeNet", Phase::train, 1, 0.1, 0.01))}};
  const Run run = service::testing::lenet(0, RunState::running, kToday);
  const service::RunningView running{{{run.network, run.framework, 1}}, {{&run, {}}}};
  const std::optional<HistorySize> size = HistorySize{};
  const service::ServiceCounters counters;
  const std::string version = "1.2.3";
  return service::metrics_text({health, size, models, running, counters, version, kToday}, form);
}

Shown shown(service::MetricsForm form) {
  static const std::regex kPoint(R"(^(etad_[a-z_]+)(?:\{(.*)\})? \S+$)");
  static const std::regex kLabel(R"(([a-z_]+)=")");
  Shown out;
  std::istringstream lines(full_metrics(form));
  for (std::string line; std::getline(lines, line);) {
    std::smatch point;
    if (!std::regex_match(line, point, kPoint)) continue;
    auto& labels = out[point[1]];
    const std::string text = point[2];
    for (std::sregex_iterator at(text.begin(), text.end(), kLabel), end; at != end; ++at)
      labels.insert((*at)[1]);
  }
  return out;
}

// Every metric that an expression names is shown, with the labels that stand in its braces and behind "by".
void expect_answered(const std::string& expression, const Shown& metrics) {
  static const std::regex kMetric(R"((etad_[a-z_]+)(?:\{([^}]*)\})?)");
  static const std::regex kName(R"(([a-z_]+)\s*(?:=|!))");
  static const std::regex kBy(R"(\b(?:by|on) \(([a-z_, ]*)\))");
  static const std::regex kWord(R"([a-z_]+)");
  SCOPED_TRACE(expression);
  std::set<std::string> wanted, known = {"instance"};
  for (std::sregex_iterator at(expression.begin(), expression.end(), kMetric), end; at != end; ++at) {
    const auto found = metrics.find((*at)[1]);
    if (found == metrics.end()) {
      ADD_FAILURE() << (*at)[1] << " is nothing that /metrics shows";
      continue;
    }
    known.insert(found->second.begin(), found->second.end());
    const std::string braces = (*at)[2];
    for (std::sregex_iterator name(braces.begin(), braces.end(), kName); name != end; ++name)
      wanted.insert((*name)[1]);
  }
  for (std::sregex_iterator at(expression.begin(), expression.end(), kBy), end; at != end; ++at) {
    const std::string names = (*at)[1];
    for (std::sregex_iterator name(names.begin(), names.end(), kWord); name != end; ++name)
      wanted.insert((*name)[0]);
  }
  for (const std::string& name : wanted) EXPECT_TRUE(known.contains(name)) << "no label " << name;
}

TEST(Dashboards, EveryPanelAsksForWhatIsShown) {
  const auto dashboard = boost::json::parse(content_of(ETAD_RULES "/../grafana/etad.json"));
  const Shown older = shown(service::MetricsForm::prometheus),
              newer = shown(service::MetricsForm::open_metrics);
  int expressions = 0;
  for (const auto& panel : dashboard.at("panels").as_array()) {
    const auto* targets = panel.as_object().if_contains("targets");
    if (targets == nullptr) continue;
    for (const auto& target : targets->as_array()) {
      const std::string expression(target.at("expr").as_string());
      expect_answered(expression, older);
      expect_answered(expression, newer);
      ++expressions;
    }
  }
  EXPECT_GT(expressions, 20);
  for (const auto& variable : dashboard.at("templating").at("list").as_array()) {
    if (const auto* definition = variable.as_object().if_contains("definition"))
      expect_answered(std::string(definition->as_string()), older);
  }
}

TEST(Dashboards, EveryAlertWatchesWhatIsShown) {
  const std::string rules = content_of(ETAD_RULES "/../prometheus/etad.rules.yml");
  static const std::regex kExpression(R"(\n +expr: ([^\n]+))");
  const Shown metrics = shown(service::MetricsForm::prometheus);
  int expressions = 0;
  for (std::sregex_iterator at(rules.begin(), rules.end(), kExpression), end; at != end; ++at) {
    expect_answered((*at)[1], metrics);
    ++expressions;
  }
  EXPECT_GE(expressions, 8);
}

}  // namespace
}  // namespace etad
