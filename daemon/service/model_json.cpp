#include "daemon/service/model_json.h"

#include <boost/json.hpp>
#include <limits>

#include "daemon/service/json_writer.h"

namespace etad::service {
namespace {

namespace json = boost::json;
using regression::Coefficient;
using regression::Model;
using regression::Range;
using regression::Rival;

constexpr int kVersion = 1;

void write(JsonWriter& out, std::string_view name, const std::vector<double>& numbers) {
  out.key(name).begin_array();
  for (const double each : numbers) out.exact(each);
  out.end_array();
}

void write(JsonWriter& out, std::string_view name, const Range& range) {
  out.key(name).begin_array().exact(range.min).exact(range.max).end_array();
}

void write(JsonWriter& out, std::string_view name, const std::optional<Spread>& spread) {
  if (!spread) return;
  out.key(name).begin_object();
  out.key("median").exact(spread->median).key("lower").exact(spread->lower);
  out.key("upper").exact(spread->upper).field("runs", spread->runs).end_object();
}

void write_terms(JsonWriter& out, const Model& model) {
  out.key("coefficients").begin_array();
  for (const Coefficient& each : model.coefficients) {
    out.begin_object().field("name", each.name).key("value").exact(each.value);
    out.key("standard_error").exact(each.standard_error).end_object();
  }
  out.end_array();
  out.key("rivals").begin_array();
  for (const Rival& each : model.rivals) {
    out.begin_object().field("basis", each.basis).key("error_percent").exact(each.error_percent);
    out.key("standard_error").exact(each.standard_error).field("parameters", each.parameters).end_object();
  }
  out.end_array();
}

// Reading throws json's own exceptions on a missing member or a wrong type; model_from_row catches them.
// An infinite or NaN standard error is written as null.
double number(const json::object& from, std::string_view name) {
  const json::value& value = from.at(name);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.to_number<double>();
}

std::string text(const json::object& from, std::string_view name) {
  return std::string(from.at(name).as_string());
}

int integer(const json::object& from, std::string_view name) {
  return from.at(name).to_number<int>();
}

std::vector<double> numbers(const json::object& from, std::string_view name) {
  std::vector<double> out;
  for (const json::value& each : from.at(name).as_array()) out.push_back(each.to_number<double>());
  return out;
}

Range range(const json::object& from, std::string_view name) {
  const json::array& pair = from.at(name).as_array();
  return {pair.at(0).to_number<double>(), pair.at(1).to_number<double>()};
}

std::optional<Spread> spread(const json::object& from, std::string_view name) {
  const json::value* found = from.if_contains(name);
  if (found == nullptr) return std::nullopt;
  const json::object& object = found->as_object();
  return Spread{number(object, "median"), number(object, "lower"), number(object, "upper"),
                integer(object, "runs")};
}

Model read_model(const json::object& from) {
  Model model;
  model.basis = text(from, "basis");
  for (const json::value& each : from.at("coefficients").as_array()) {
    const json::object& term = each.as_object();
    model.coefficients.push_back({text(term, "name"), number(term, "value"), number(term, "standard_error")});
  }
  for (const json::value& each : from.at("rivals").as_array()) {
    const json::object& rival = each.as_object();
    model.rivals.push_back({text(rival, "basis"), number(rival, "error_percent"),
                            number(rival, "standard_error"), integer(rival, "parameters")});
  }
  model.knots = numbers(from, "knots");
  model.runs = integer(from, "runs");
  model.windows = integer(from, "windows");
  model.dropped_runs = integer(from, "dropped_runs");
  if (from.contains("changed_at")) model.changed_at = number(from, "changed_at");
  model.error_percent = number(from, "error_percent");
  model.coverage = number(from, "coverage");
  model.samples = range(from, "samples");
  model.iterations = range(from, "iterations");
  model.scores = numbers(from, "scores");
  model.covariance = numbers(from, "covariance");
  model.noise = number(from, "noise");
  return model;
}

}  // namespace

std::string model_to_json(const FittedModel& fitted) {
  const Model& model = fitted.model;
  JsonWriter out;
  out.begin_object().field("version", kVersion).field("family", fitted.family).field("basis", model.basis);
  write_terms(out, model);
  write(out, "knots", model.knots);
  out.field("runs", model.runs).field("windows", model.windows).field("dropped_runs", model.dropped_runs);
  if (model.changed_at) out.key("changed_at").exact(*model.changed_at);
  out.key("error_percent").exact(model.error_percent).key("coverage").exact(model.coverage);
  write(out, "samples", model.samples);
  write(out, "iterations", model.iterations);
  write(out, "scores", model.scores);
  write(out, "covariance", model.covariance);
  out.key("noise").exact(model.noise);
  write(out, "startup", fitted.startup);
  write(out, "snapshot", fitted.snapshot);
  out.end_object();
  return out.take();
}

Result<FittedModel> model_from_row(const ModelRow& row) {
  const std::string where = "model " + std::to_string(row.id);
  try {
    const json::value body = json::parse(row.body);
    const json::object& from = body.as_object();
    if (const int version = integer(from, "version"); version != kVersion) {
      return fail(
          "the model's form is of version " + std::to_string(version) + ", not " + std::to_string(kVersion),
          "it is fitted anew at the next refit", where);
    }
    FittedModel out;
    out.id = row.id;
    out.key = row.key;
    out.fitted_at = row.fitted_at;
    out.family = text(from, "family");
    out.model = read_model(from);
    out.startup = spread(from, "startup");
    out.snapshot = spread(from, "snapshot");
    return out;
  } catch (const std::exception& error) {
    return fail(std::string("the model kept in the history is malformed: ") + error.what(),
                "it is fitted anew at the next refit", where);
  }
}

}  // namespace etad::service
