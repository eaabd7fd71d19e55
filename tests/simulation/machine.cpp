#include "tests/simulation/machine.h"

#include <algorithm>
#include <utility>

namespace etad::simulation {
namespace {

constexpr std::int64_t kMostRuns = 1000;

}  // namespace

Machine::Machine(std::string path, follow::FakeFileSystem& files, std::shared_ptr<const FormatSet> formats,
                 bool is_asked)
    : path_(std::move(path)), files_(files), formats_(std::move(formats)), is_asked_(is_asked) {
  files_.set_clock(wall);
}

Machine::~Machine() {
  let_go();
}

void Machine::set_watch(follow::Watch watch, follow::Options options) {
  watch_ = std::move(watch);
  options_ = options;
}

bool Machine::start() {
  let_go();
  auto writer = Writer::open(path_);
  if (!writer) return false;
  writer_ = std::make_unique<SharedWriter>(std::move(*writer));
  if (auto reader = Reader::open(path_)) {
    reader_ = std::move(*reader);
    if ((!is_asked_ || begin_to_answer()) && begin_to_follow()) return true;
  }
  let_go();
  return false;
}

bool Machine::begin_to_refit() {
  auto reader = Reader::open(path_);
  if (!reader) return false;
  constexpr std::size_t kMemory = std::size_t{1} << 20;
  auto models = std::make_shared<prediction::StoredModels>(
      [this] { return ModelReader::open(path_); }, kMemory,
      prediction::StoredModels::Write{put_models_with(*writer_), put_records_with(*writer_)});
  refit_ = std::make_unique<Refit>(std::move(*reader), std::move(models), [this] { return wall; });
  return true;
}

bool Machine::begin_to_answer() {
  if (!begin_to_refit()) return false;
  auto reader = Reader::open(path_);
  auto second = Reader::open(path_);
  if (!reader || !second) return false;
  service_ = std::make_unique<Service>(std::move(*reader), std::move(*second), *refit_, formats_,
                                       [this] { return wall; });
  return true;
}

bool Machine::begin_to_follow() {
  follower_ =
      std::make_unique<follow::Follower>(files_, nullptr, std::vector<follow::Watch>{watch_}, options_);
  IngestOptions options;
  options.formats = formats_;
  SourceRule rule;
  rule.format = "simulated";
  options.sources = {std::move(rule)};
  options.host = "simulated";
  ingest_ = std::make_unique<Ingest>(std::move(options), *writer_, *follower_);
  return ingest_->restore(wall).has_value();
}

bool Machine::reload(follow::Watch watch) {
  watch_ = std::move(watch);
  ingest_.reset();
  follower_.reset();
  if (begin_to_follow()) return true;
  let_go();
  return false;
}

void Machine::begin_import(const std::string& name, std::string content) {
  ImportOptions options;
  options.formats = formats_;
  options.now = [this] { return wall; };
  options.files = &files_;
  auto session = begin_log_import({name, "", {}, wall}, std::move(options), *writer_, [] {});
  if (session) imports_.push_back({std::move(*session), std::move(content), 0});
}

void Machine::go_on_importing(std::size_t which, std::size_t bytes) {
  Import& import = imports_[which];
  const std::string_view piece = std::string_view(import.content).substr(import.fed, bytes);
  import.fed += piece.size();
  const bool ends = piece.empty();
  const bool done = ends ? import.session->finish().has_value() : import.session->feed(piece).has_value();
  if (ends || !done) imports_.erase(imports_.begin() + static_cast<std::ptrdiff_t>(which));
}

void Machine::let_go() {
  imports_.clear();
  ingest_.reset();
  follower_.reset();
  service_.reset();
  refit_.reset();
  reader_.reset();
  writer_.reset();
  told_.clear();
}

void Machine::pass(std::chrono::milliseconds time) {
  now += time;
  wall += time;
  file_clock_ = std::max(file_clock_ + time, wall);
  files_.set_clock(file_clock_);
}

bool Machine::look() {
  const auto done = ingest_->tick(now, wall);
  static_cast<void>(writer_->with([&](Writer& writer) { return writer.maintain(wall); }));
  return !done || *done || ingest_->next_due(now) <= now;
}

// Opened when it is first needed: most lives of the machine end before that.
bool Machine::refit() {
  return (refit_ || begin_to_refit()) && refit_->run().has_value();
}

std::vector<Step> Machine::new_steps() {
  std::vector<Step> out;
  const auto runs = reader_->runs({}).value();
  for (const RunRow& row : runs) {
    std::int64_t& told = told_[row.id];
    for (;;) {
      const auto points = reader_->points(row.id, told, 1000).value();
      for (const ProgressPoint& point : points)
        if (!point.snapshot) out.push_back({static_cast<int>(point.loss), static_cast<int>(point.iteration)});
      told += static_cast<std::int64_t>(points.size());
      if (points.size() < 1000) break;
    }
  }
  return out;
}

std::map<std::int64_t, std::int64_t> Machine::iterations() const {
  std::map<std::int64_t, std::int64_t> out;
  RunFilter all;
  all.limit = kMostRuns;
  const auto runs = reader_->runs(all).value();
  for (const RunRow& row : runs) out[row.id] = row.run.iteration.value_or(-1);
  return out;
}

std::int64_t Machine::lines() const {
  std::int64_t out = 0;
  const auto rows = reader_->sources().value();
  for (const SourceRow& row : rows) out += row.lines;
  return out;
}

std::int64_t Machine::lost_bytes() const {
  std::int64_t out = 0;
  const auto rows = reader_->sources().value();
  for (const SourceRow& row : rows) out += row.lost_bytes;
  return out;
}

std::string Machine::sources() const {
  std::string out;
  const auto rows = reader_->sources().value();
  for (const SourceRow& row : rows)
    out += row.path + ": " + std::to_string(row.lines) + " lines, at " + row.identity + " offset " +
           std::to_string(row.offset) + ", lost " + std::to_string(row.lost_bytes) + " " + row.last_error +
           "\n";
  for (const follow::Status& status : follower_->statuses())
    out += status.path + " reads " + status.file + ": " + status.text + "\n";
  return out;
}

}  // namespace etad::simulation
