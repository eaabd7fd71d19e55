// What is answered with success is on the disk: a power cut at once after any answer leaves it.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/daemon/temp_daemon.h"
#include "tests/daemon/temp_history.h"
#include "tests/places.h"
#include "tests/storage/faulty_vfs.h"

namespace etad {
namespace {

class AnsweredOnDisk : public TempDaemon {
 protected:
  // Three imports of three owners, and a log that is followed.
  AnsweredOnDisk() {
    vfs_.note_what_is_synced();
    std::ofstream(log()) << "# followed\n" << lenet_;
    Config config;
    config.sources.push_back({});
    config.sources.back().paths = {log()};
    start(std::move(config));
    for (const std::int64_t owner : {1001, 1002, 1003}) import(owner);
  }
  ~AnsweredOnDisk() override { daemon_.reset(); }  // before the files that it writes by

  std::string log() const { return (folder_ / "train.log").string(); }

  void import(std::int64_t owner) {
    service::ImportRequest request;
    request.name = "/" + std::to_string(owner) + ".log";
    request.owner = owner;
    request.modified = kToday;
    auto session = daemon_->begin_import(request).value();
    EXPECT_TRUE(session->feed("# " + request.name + "\n" + lenet_));
    EXPECT_TRUE(session->finish());
  }

  // The history as a power cut now would leave it.
  std::unique_ptr<ModelReader> after_power_cut() {
    const auto folder = folder_ / ("cut" + std::to_string(++cuts_));
    std::filesystem::create_directory(folder);
    for (const auto& [path, content] : vfs_.left_by_power_cut()) {
      const std::filesystem::path file(path);
      if (file.parent_path() == folder_) std::ofstream(folder / file.filename(), std::ios::binary) << content;
    }
    const std::string path = (folder / "history.db").string();
    if (const auto writer = Writer::open(path); !writer) ADD_FAILURE() << writer.error().text();
    return ModelReader::open(path).value();
  }

  static std::optional<SourceRow> source(Reader& reader, const std::string& path) {
    const auto rows = reader.sources().value();
    const auto found = std::ranges::find(rows, path, &SourceRow::path);
    return found == rows.end() ? std::nullopt : std::optional(*found);
  }
  std::optional<SourceRow> source_left(const std::string& path) { return source(*after_power_cut(), path); }
  std::int64_t runs_left(const std::string& path) {
    const auto rows = after_power_cut()->runs({}).value();
    return std::ranges::count(rows, path, &RunRow::source);
  }

  // The followed log, once it is so.
  SourceRow followed(const std::function<bool(const SourceRow&)>& is) {
    const auto reader = Reader::open(history()).value();
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (std::chrono::steady_clock::now() < end) {
      const auto row = source(*reader, log());
      if (row && is(*row)) return *row;
      std::this_thread::yield();
    }
    ADD_FAILURE() << "it was not read";
    return {};
  }
  // Once it was read whole.
  SourceRow followed() {
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(log()));
    return followed([size](const SourceRow& row) { return row.offset == size; });
  }

  int cuts_ = 0;
  test::FaultyVfs vfs_{[](test::Operation) { return SQLITE_OK; }};
  const std::string lenet_ = content_of(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log");
};

TEST_F(AnsweredOnDisk, AnImport) {
  for (const std::int64_t owner : {1004, 1005}) {
    import(owner);
    EXPECT_EQ(runs_left("/" + std::to_string(owner) + ".log"), 1);
  }
  const auto there = source_left("/1004.log");
  ASSERT_TRUE(there);
  EXPECT_FALSE(there->pending);
}

TEST_F(AnsweredOnDisk, ALabel) {
  ASSERT_TRUE(daemon_->label(1, {{"job", "4711"}}));
  EXPECT_EQ(after_power_cut()->run(1).value()->labels.at("job"), "4711");
}

TEST_F(AnsweredOnDisk, ThatARunIsForgotten) {
  const auto runs = after_power_cut()->runs({}).value();
  ASSERT_FALSE(runs.empty());
  const auto forgotten = runs.front().id;
  ASSERT_TRUE(daemon_->forget_run(forgotten));
  EXPECT_FALSE(after_power_cut()->run(forgotten).value());
}

TEST_F(AnsweredOnDisk, ThatASourceIsForgotten) {
  const auto row = source_left("/1002.log");
  ASSERT_TRUE(row);
  ASSERT_TRUE(daemon_->forget_source(row->id));
  EXPECT_FALSE(source_left("/1002.log"));
  ASSERT_TRUE(daemon_->forget_source(followed().id));
  EXPECT_EQ(runs_left(log()), 0);
}

TEST_F(AnsweredOnDisk, ThatOneWhoseFileIsGoneIsForgottenAndNotWhereItStood) {
  followed();
  std::filesystem::remove(log());
  ASSERT_TRUE(daemon_->forget_source(followed(&SourceRow::gone).id));
  EXPECT_EQ(runs_left(log()), 0);
  EXPECT_TRUE(source_left(log())) << "what was rotated away from it would be read again";
}

TEST_F(AnsweredOnDisk, ThatAnOwnersAreForgotten) {
  ASSERT_EQ(runs_left("/1003.log"), 1);
  ASSERT_TRUE(daemon_->forget_owner(1003));
  EXPECT_EQ(runs_left("/1003.log"), 0);
}

TEST_F(AnsweredOnDisk, WhatWasReadAgain) {
  const SourceRow before = followed();
  const auto done = daemon_->reread(before.id);
  ASSERT_TRUE(done) << done.error().text();
  const auto now = source(*Reader::open(history()).value(), log());
  ASSERT_TRUE(now);
  EXPECT_NE(now->id, before.id);
  EXPECT_EQ(source_left(log())->id, now->id);
  EXPECT_EQ(runs_left(log()), 1);
}

TEST_F(AnsweredOnDisk, WhatWasRefitted) {
  ASSERT_TRUE(daemon_->refit());
  EXPECT_GT(after_power_cut()->model_count().value(), 0);
}

}  // namespace
}  // namespace etad
