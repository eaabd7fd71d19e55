#include "prediction/model_json.h"

#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace etad::prediction {
namespace {

namespace json = boost::json;

// Each structure's members in the order it has them, all of them: a structured binding does not compile when
// one is added and forgotten here.
template <class T, class... Of>
concept Is = (std::same_as<std::remove_const_t<T>, Of> || ...);

auto members(Is<regression::Range, Dispute> auto& x) {
  auto& [a, b] = x;
  return std::tie(a, b);
}
auto members(Is<regression::Coefficient, regression::CurvePoint> auto& x) {
  auto& [a, b, c] = x;
  return std::tie(a, b, c);
}
auto members(Is<regression::Rival, regression::VariantEffect, regression::ShapePoint, Spread> auto& x) {
  auto& [a, b, c, d] = x;
  return std::tie(a, b, c, d);
}
auto members(Is<regression::SharedEffectPoint> auto& x) {
  auto& [a, b, c, d, e] = x;
  return std::tie(a, b, c, d, e);
}
auto members(Is<regression::Model> auto& x) {
  auto& [basis, coefficients, knots, runs, windows, dropped_runs, changed_at, error_percent, coverage,
         samples, iterations, rivals, scores, repeat_scores, covariance, noise, iteration_noise, degrees,
         shape, curve, variants, traits] = x;
  return std::tie(basis, coefficients, knots, runs, windows, dropped_runs, changed_at, error_percent,
                  coverage, samples, iterations, rivals, scores, repeat_scores, covariance, noise,
                  iteration_noise, degrees, shape, curve, variants, traits);
}
// The same order.
constexpr std::array kModelMembers{
    "basis",      "coefficients",  "knots",      "runs",    "windows",         "dropped_runs",
    "changed_at", "error_percent", "coverage",   "samples", "iterations",      "rivals",
    "scores",     "repeat_scores", "covariance", "noise",   "iteration_noise", "degrees",
    "shape",      "curve",         "variants",   "traits"};
static_assert(kModelMembers.size() ==
              std::tuple_size_v<decltype(members(std::declval<regression::Model&>()))>);

template <class T>
concept Structure = requires(T& x) {
  members(x);
};

// A double is a string: the shortest that reads as the same bits, NaN and infinity among them. JSON's own
// numbers have no such promise (Boost.JSON 1.81 rounds the last digit).
json::value written(double v) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, v).ptr;
  return json::string(json::string_view(text, static_cast<std::size_t>(end - text)));
}
json::value written(int v) {
  return v;
}
json::value written(std::int64_t v) {
  return v;
}
json::value written(bool v) {
  return v;
}
json::value written(const std::string& v) {
  return json::string(v);
}

template <Structure T>
json::value written(const T& v);
template <class T>
json::value written(const std::optional<T>& v) {
  return v ? written(*v) : json::value();
}
template <class T>
json::value written(const std::vector<T>& v) {
  json::array out;
  out.reserve(v.size());
  for (const T& each : v) out.push_back(written(each));
  return out;
}
template <Structure T>
json::value written(const T& v) {
  json::array out;
  std::apply([&](const auto&... each) { (out.push_back(written(each)), ...); }, members(v));
  return out;
}

// Reading throws (json's own exceptions or invalid_argument) on what was not written above; model_from_row
// catches them.
void read(const json::value& from, double& v) {
  const json::string& text = from.as_string();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::invalid_argument("\"" + std::string(text) + "\" is no number");
}
void read(const json::value& from, int& v) {
  v = from.to_number<int>();
}
void read(const json::value& from, std::int64_t& v) {
  v = from.to_number<std::int64_t>();
}
void read(const json::value& from, bool& v) {
  v = from.as_bool();
}
void read(const json::value& from, std::string& v) {
  v = from.as_string();
}

template <Structure T>
void read(const json::value& from, T& v);
template <class T>
void read(const json::value& from, std::optional<T>& v) {
  if (from.is_null()) {
    v.reset();
  } else {
    read(from, v.emplace());
  }
}
template <class T>
void read(const json::value& from, std::vector<T>& v) {
  v.clear();
  for (const json::value& each : from.as_array()) read(each, v.emplace_back());
}
template <Structure T>
void read(const json::value& from, T& v) {
  const json::array& array = from.as_array();
  std::size_t i = 0;
  std::apply([&](auto&... each) { (read(array.at(i++), each), ...); }, members(v));
  if (i != array.size()) throw std::invalid_argument("a list is longer than it should be");
}

json::object named(const regression::Model& model) {
  std::size_t i = 0;
  json::object out;
  std::apply([&](const auto&... each) { (out.emplace(kModelMembers[i++], written(each)), ...); },
             members(model));
  return out;
}

void read_named(const json::object& from, regression::Model& model) {
  std::size_t i = 0;
  std::apply([&](auto&... each) { (read(from.at(kModelMembers[i++]), each), ...); }, members(model));
}

// All of a model but what its row has in columns, and without those of single owners.
json::object body_of(const FittedModel& fitted) {
  json::object out;
  out.emplace("family", fitted.family);
  out.emplace("model", named(fitted.model));
  out.emplace("startup", written(fitted.startup));
  out.emplace("snapshot", written(fitted.snapshot));
  out.emplace("owner", written(fitted.owner));
  out.emplace("dispute", written(fitted.dispute));
  out.emplace("last_runs", written(fitted.last_runs));
  return out;
}

void read_body(const json::object& from, FittedModel& out) {
  read(from.at("family"), out.family);
  read_named(from.at("model").as_object(), out.model);
  read(from.at("startup"), out.startup);
  read(from.at("snapshot"), out.snapshot);
  read(from.at("owner"), out.owner);
  read(from.at("dispute"), out.dispute);
  read(from.at("last_runs"), out.last_runs);
}

FittedModel model_of(const ModelRow& row, const json::object& from) {
  FittedModel out;
  out.id = row.id;
  out.key = row.key;
  out.fitted_at = row.fitted_at;
  read_body(from, out);
  return out;
}

}  // namespace

std::string model_to_json(const FittedModel& fitted) {
  json::object out = body_of(fitted);
  out.emplace("version", kModelVersion);
  json::array own;
  for (const auto& [owner, model] : fitted.own) own.push_back(body_of(*model));
  out.emplace("own", std::move(own));
  return json::serialize(out);
}

Result<FittedModel> model_from_row(const ModelRow& row) {
  const std::string where = "model " + std::to_string(row.id);
  try {
    const json::value body = json::parse(row.body);
    const json::object& from = body.as_object();
    if (const int version = from.at("version").to_number<int>(); version != kModelVersion) {
      return fail(
          "the model's form is of version " + std::to_string(version) + ", not " + std::to_string(kModelVersion),
          "it is fitted anew at the next refit", where);
    }
    FittedModel out = model_of(row, from);
    for (const json::value& each : from.at("own").as_array()) {
      auto own = std::make_shared<FittedModel>(model_of(row, each.as_object()));
      own->own_runs = true;
      out.own.emplace(own->owner, std::move(own));
    }
    return out;
  } catch (const std::exception& error) {
    return fail(std::string("the model kept in the history is malformed: ") + error.what(),
                "it is fitted anew at the next refit", where);
  }
}

}  // namespace etad::prediction
