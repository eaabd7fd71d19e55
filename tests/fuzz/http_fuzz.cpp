// HTTP requests: any bytes through the same parser, limits and router that the socket uses. A reply must come
// back, valid UTF-8, with a status that HTTP knows; nothing may crash, hang or grow without bound.
#include <boost/asio/buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "daemon/service/json_writer.h"
#include "daemon/service/openapi.h"
#include "daemon/service/router.h"
#include "tests/fuzz/line_mutator.h"

namespace {

namespace http = boost::beast::http;
using namespace etad;
using namespace etad::service;
using prediction::FittedModel;
using prediction::ModelSet;
using prediction::RefitReport;

// A history with one run and a daemon with one model: enough for every route to have something to say.
class OneRun : public Reader {
 public:
  Result<std::vector<RunRow>> runs(const RunFilter&) override { return std::vector<RunRow>{row()}; }
  Result<std::optional<RunRow>> run(std::int64_t id) override {
    return id == 1 ? std::optional(row()) : std::nullopt;
  }
  Result<std::vector<RunningCount>> running() override { return std::vector<RunningCount>(1); }
  Result<std::vector<RunCount>> run_counts(const std::string&, Phase, std::int64_t) override {
    return std::vector<RunCount>(1);
  }
  Result<std::vector<Segment>> segments(std::int64_t, std::int64_t, std::int64_t) override {
    Segment segment;
    segment.iterations = 100;
    segment.duration = from_seconds(5);
    return std::vector<Segment>(3, segment);
  }
  Result<std::vector<ProgressPoint>> points(std::int64_t, std::int64_t, std::int64_t) override {
    return std::vector<ProgressPoint>(3);
  }
  Result<std::vector<Layer>> layers(const std::string&) override { return std::vector<Layer>{}; }
  Result<std::vector<LayerTime>> layer_times(std::int64_t) override { return std::vector<LayerTime>{}; }
  Result<std::vector<TimedLayer>> timed_layers(const ModelKey&) override { return {}; }
  Result<std::vector<NetworkRow>> networks(const NetworkFilter&) override {
    return std::vector<NetworkRow>(1);
  }
  Result<std::vector<SourceRow>> sources(const SourceFilter&) override { return std::vector<SourceRow>(1); }
  Result<std::vector<std::string>> paths_without_source(const std::vector<std::string>& paths) override {
    return paths;
  }
  Result<std::optional<SourceRow>> source(std::int64_t) override { return SourceRow(); }
  Result<UnrecognisedSources> unrecognised_sources(std::int64_t) override { return UnrecognisedSources{}; }
  Result<HistorySize> size() override { return HistorySize{}; }
  Result<std::vector<PredictionRow>> predictions(std::int64_t) override {
    return std::vector<PredictionRow>(1);
  }
  Result<std::vector<AccuracyRow>> accuracy() override { return std::vector<AccuracyRow>(1); }
  Result<std::vector<ScoredPrediction>> scored_predictions(std::int64_t) override {
    return std::vector<ScoredPrediction>(1);
  }
  Result<std::vector<std::int64_t>> unscored_runs(std::int64_t) override {
    return std::vector<std::int64_t>{};
  }
  Result<std::vector<SeriesRow>> series(const std::string&) override { return std::vector<SeriesRow>(1); }
  Result<std::vector<SeriesPoints>> series_points(const SeriesQuery&) override {
    return std::vector<SeriesPoints>(1);
  }
  Result<std::vector<ModelKey>> changed_keys(std::int64_t, std::int64_t&, std::int64_t) override {
    return std::vector<ModelKey>{};
  }
  Result<std::vector<ModelKey>> unnamed_keys(std::int64_t) override { return std::vector<ModelKey>{}; }
  Result<RefitProgress> refit_progress() override { return RefitProgress{}; }
  Result<std::vector<RunData>> run_data(const ModelKey&, int, int, const RunsWanted&) override {
    return std::vector<RunData>{};
  }

 private:
  static RunRow row() {
    RunRow row;
    row.id = 1;
    row.source = "/var/log/caffe/lenet.log";
    row.run.network = "LeNet \xff";
    row.run.settings = {{"test_interval", "10"}, {"test_iter", "1e999"}, {"snapshot", "-3"}};
    row.run.iteration = 100;
    row.run.max_iterations = 1000;
    row.run.train.segments = 3;
    return row;
  }
};

class OneModel : public Backend {
 public:
  OneModel() {
    auto set = std::make_shared<ModelSet>();
    FittedModel fitted;
    fitted.id = 1;
    fitted.key.network = "LeNet";
    fitted.model.basis = "c0 + n*(c1 + c2*B)";
    fitted.model.coefficients = {{"c0", 0.5, 0}, {"c1", 0.01, 0}, {"c2", 0.001, 0}};
    fitted.model.covariance.assign(9, 0);
    fitted.model.samples = {16, 64};
    fitted.model.iterations = {100, 1000};
    fitted.model.scores = {0.5, 1, 2};
    set->models = std::make_shared<prediction::HeldModels>(std::vector<FittedModel>{fitted});
    models_ = std::move(set);
  }
  std::shared_ptr<const ModelSet> models() override { return models_; }
  std::shared_ptr<const FormatSet> formats() override { return formats_; }
  Health health() override { return {}; }
  std::map<std::string, std::string> source_statuses() override { return {{"/tmp/\xfe", "a directory"}}; }
  Result<std::unique_ptr<Reader>> reader() override { return std::make_unique<OneRun>(); }
  Result<std::vector<NetworkRow>> networks(const NetworkFilter&) override {
    return std::vector<NetworkRow>(1);
  }
  Result<RefitReport> refit() override { return RefitReport{}; }
  Result<std::vector<std::string>> reload() override { return std::vector<std::string>(); }
  Result<std::string> backup() override { return fail("not here"); }
  Result<void> label(std::int64_t, const std::map<std::string, std::string>&) override { return {}; }
  Result<void> reread(std::int64_t) override { return {}; }
  Result<void> forget_source(std::int64_t) override { return {}; }
  Result<void> forget_run(std::int64_t) override { return {}; }
  Result<Forgotten> forget_owner(std::int64_t) override { return Forgotten{}; }
  Result<std::unique_ptr<ImportSession>> begin_import(const ImportRequest&) override {
    return fail("not here");
  }

 private:
  std::shared_ptr<const ModelSet> models_;
  std::shared_ptr<const FormatSet> formats_ = std::make_shared<FormatSet>();
};

void check(const Reply& reply) {
  if (reply.status < 200 || reply.status > 599 || valid_utf8(reply.body) != reply.body) std::abort();
}

// A parameter by its description, which may stand elsewhere in the document.
std::string parameter_name(const boost::json::value& api, const boost::json::value& parameter) {
  const auto* ref = parameter.as_object().if_contains("$ref");
  if (ref == nullptr) return std::string(parameter.at("name").as_string());
  return std::string(api.at_pointer(ref->as_string().subview(1)).at("name").as_string());
}

}  // namespace

// Requests for all that the API describes: each path with each of its parameters, and with all of them.
fuzz::KnownLines fuzz::known_lines() {
  KnownLines words;
  const boost::json::value api = boost::json::parse(service::openapi());
  for (const auto& [path, operations] : api.at("paths").as_object())
    for (const auto& [method, operation] : operations.as_object()) {
      if (method == "parameters") continue;
      std::string verb(method);
      for (char& c : verb) c = static_cast<char>(c - 'a' + 'A');
      std::string target(path);
      if (const auto brace = target.find('{'); brace != std::string::npos)
        target.replace(brace, target.find('}') - brace + 1, "1");
      const auto line = [&](const std::string& query) {
        words.lines.push_back(verb + " " + target + query + " HTTP/1.1\r");
        words.lines.emplace_back("Host: localhost\r");
      };
      line("");
      std::string all;
      if (const auto* parameters = operation.as_object().if_contains("parameters"))
        for (const auto& parameter : parameters->as_array()) {
          const std::string assignment = parameter_name(api, parameter) + "=16";
          line("?" + assignment);
          all += (all.empty() ? "?" : "&") + assignment;
        }
      if (!all.empty()) line(all);
    }
  for (const char* field : {"Accept: text/event-stream\r", "Accept: application/json\r", "Origin: http://x\r",
                            "Content-Type: application/json\r", "Content-Length: 2\r", "\r"})
    words.lines.emplace_back(field);
  return words;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static OneRun reader;
  static OneModel backend;
  static prediction::LiveRuns live(reader);
  static Router router({"0", [] { return Instant{}; }, [] { return ServiceCounters{}; }}, backend, reader,
                       live);

  http::request_parser<http::string_body> parser;
  parser.header_limit(8 * 1024);
  parser.body_limit(64 * 1024);
  parser.eager(true);
  boost::system::error_code error;
  const auto* bytes = reinterpret_cast<const char*>(data);
  parser.put(boost::asio::buffer(bytes, size), error);
  if (error || !parser.is_header_done()) return 0;

  Request request;
  request.method = std::string(parser.get().method_string());
  request.target = std::string(parser.get().target());
  request.host = std::string(parser.get()[http::field::host]);
  request.accept = std::string(parser.get()[http::field::accept]);
  request.has_origin = parser.get().count(http::field::origin) > 0;
  request.may_change = true;
  request.body = parser.get().body();
  Outcome outcome = router.handle(request);
  if (const auto* reply = std::get_if<Reply>(&outcome)) check(*reply);
  if (const auto* work = std::get_if<Work>(&outcome)) check(work->job());
  if (const auto* watch = std::get_if<Watch>(&outcome)) {
    Watched watched;
    router.changes(*watch, watched);
    if (!router.changes(*watch, watched).empty()) std::abort();  // nothing has changed
  }
  return 0;
}
