// Whatever fails, at whatever call: nothing is lost, nothing is doubled, and the writer goes on once the
// fault is gone.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <cerrno>
#include <sstream>
#include <utility>

#include "storage/sqlite.h"
#include "tests/sanitized.h"
#include "tests/storage/faulty_vfs.h"
#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

// All that can be read of a history, to compare two of them.
std::string told(const std::string& path) {
  auto reader = must(ModelReader::open(path));
  std::ostringstream out;
  for (const auto& source : must(reader->sources())) out << source.path << " " << source.offset << "\n";
  for (const auto& row : must(reader->runs({}))) {
    out << row.id << " " << row.run.network << " " << row.run.train.segments << " "
        << row.run.train.iterations << ":";
    for (const auto& s : must(reader->segments(row.id, 0, 10'000))) out << " " << s.first_iteration;
    out << " |";
    for (const auto& p : must(reader->points(row.id, 0, 10'000))) out << " " << p.iteration;
    out << "\n";
  }
  ModelFilter all;
  all.bodies = true;
  for (const auto& model : must(reader->models(all))) out << model.id << " " << model.body << "\n";
  for (const auto& series : must(reader->series())) out << series.name << " " << series.samples << "\n";
  const auto size = must(reader->size());
  out << size.segments << " " << size.points << " " << size.samples << "\n";
  return out.str();
}

std::string integrity(const std::string& path) {
  sqlite::Connection connection(path, sqlite::Connection::Mode::read);
  sqlite::Statement check(connection, "PRAGMA integrity_check");
  auto rows = check.query();
  return rows.next() ? rows.get<std::string>(0) : "";
}

// A day in the life of a history: each step is repeated until it succeeds, as the daemon does.
class Scenario {
 public:
  Scenario(std::string path, std::function<void()> on_error)
      : path_(std::move(path)), on_error_(std::move(on_error)) {}

  void open() {
    writer_.reset();
    repeat([&]() -> Result<void> {
      auto opened = Writer::open(path_);
      if (!opened) return tl::unexpected(opened.error());
      writer_ = std::move(*opened);
      return {};
    });
  }

  void play() {
    open();
    auto source = source_with_run("/a.log", 0);
    etad::Run run = lenet();
    std::int64_t n = 0;
    for (const int windows : {3, 520, 1}) {
      source.records.clear();
      for (int i = 0; i < windows; ++i, ++n) {
        source.records.segments.push_back({0, window(run, n)});
        source.records.points.push_back({0, {100 * n, after(static_cast<double>(n)), 1}});
        source.records.add_sample({"gpu.power", "gpu=0", "W"}, after(static_cast<double>(n)), 100);
      }
      source.records.runs = {run};
      source.source.offset += 1000;
      repeat([&] {
        std::vector<SourceCommit> all{source};
        auto done = writer_->commit(all, kNow);
        if (done) source.source.id = all.front().source.id;
        return done;
      });
      if (windows > 1) repeat([&] { return writer_->maintain(after(4000.0 * static_cast<double>(n))); });
    }
    std::vector<ModelRow> models(1);
    models[0].body = "{}";
    repeat([&] { return writer_->put_models(models); });
    repeat([&] { return writer_->set_labels(1, {{"batch_size", "64"}}); });
    leave_an_import();
    open();
    // What an import left may have had to wait where the disk was full at the start.
    repeat([&] { return writer_->maintain(after(4000.0 * static_cast<double>(n))); });
    writer_.reset();
  }

 private:
  void leave_an_import() {
    auto import = source_with_run("old.log.gz", 5);
    import.source.pending = true;
    repeat([&] {
      std::vector<SourceCommit> all{import};
      return writer_->commit(all, kNow);
    });
  }
  template <class Step>
  void repeat(const Step& step) {
    for (int tries = 0; tries < 3; ++tries) {
      const auto done = step();
      if (done) return;
      EXPECT_NE(done.error().message, "");
      on_error_();
    }
    throw std::runtime_error("the writer does not go on");
  }

  std::string path_;
  std::function<void()> on_error_;
  std::unique_ptr<Writer> writer_;
};

// Those whose failure can lose something; reads and mappings fail in numbers, and only repeat a question.
bool writes(Operation operation) {
  return operation != Operation::read && operation != Operation::map;
}

// Something done to a history at `path`; `on_error` hears of each error, and the fault may go then.
using Doing = std::function<void(const std::string& path, std::function<void()> on_error)>;

void make(const std::string& path, std::function<void()> on_error) {
  Scenario(path, std::move(on_error)).open();
}
void live(const std::string& path, std::function<void()> on_error) {
  Scenario(path, std::move(on_error)).play();
}

class FaultsTest : public ::testing::TestWithParam<std::pair<const char*, Doing>> {
 protected:
  // Does it beside a fault, to a history of its own, which must end up as if there had been none.
  struct Fault {
    FaultyVfs::Decide decide;
    std::function<void()> heard;
  };
  void expect_no_harm(const Fault& fault, const std::string& expected) {
    TempDir dir;
    start(dir);
    {
      FaultyVfs vfs(fault.decide);
      GetParam().second(dir.file("h.db"), fault.heard);
    }
    ASSERT_EQ(told(dir.file("h.db")), expected);
    ASSERT_EQ(integrity(dir.file("h.db")), "ok");
  }

  // The history when nothing fails, and how many writing operations that takes.
  std::string undisturbed(int& operations) {
    TempDir dir;
    start(dir);
    {
      FaultyVfs vfs([&operations](Operation operation) {
        if (writes(operation)) ++operations;
        return SQLITE_OK;
      });
      GetParam().second(dir.file("h.db"), [] { FAIL() << "without a fault"; });
    }
    return told(dir.file("h.db"));
  }

 private:
  // Making a history takes most operations: those who test its life begin with one that is made.
  void start(const TempDir& dir) {
    static const std::string made = [] {
      TempDir first;
      must(Writer::open(first.file("h.db")));
      return content_of(first.file("h.db"));
    }();
    if (GetParam().first != std::string_view("Make")) write_file(dir.file("h.db"), made);
  }
};

TEST_P(FaultsTest, AnyOneOperationFails) {
  int operations = 0;
  const std::string expected = undisturbed(operations);
  ASSERT_GT(operations, 50);
  int heard = 0;
  for (int n = 1; n <= operations; n += kOneCaseIn) {
    SCOPED_TRACE("operation " + std::to_string(n));
    int count = 0;
    const auto decide = [&](Operation operation) {
      return writes(operation) && ++count == n ? failure_code(operation) : SQLITE_OK;
    };
    expect_no_harm({decide, [&] { ++heard; }}, expected);
  }
  EXPECT_GT(heard, operations / kOneCaseIn / 2) << "most failures are seen";
}

// From the n-th operation on the disk takes nothing more, until somebody hears of it and makes room.
TEST_P(FaultsTest, TheDiskIsFullFromAnyOperationOn) {
  int operations = 0;
  const std::string expected = undisturbed(operations);
  for (int n = 1; n <= operations; n += kOneCaseIn) {
    SCOPED_TRACE("operation " + std::to_string(n));
    int count = 0;
    bool full = true;
    const auto decide = [&](Operation operation) {
      if (writes(operation)) ++count;
      return full && count >= n && operation == Operation::write ? SQLITE_FULL : SQLITE_OK;
    };
    expect_no_harm({decide, [&] { full = false; }}, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Histories, FaultsTest,
                         ::testing::Values(std::pair<const char*, Doing>("Make", make),
                                           std::pair<const char*, Doing>("Live", live)),
                         [](const auto& test) { return test.param.first; });

struct FillableDisk {
  bool full = false;
  FaultyVfs vfs{[this](Operation operation) {
    return full && operation == Operation::write ? SQLITE_FULL : SQLITE_OK;
  }};
};

TEST(Faults, AFullDiskIsNamedWithWhatHelps) {
  TempDir dir;
  FillableDisk disk;
  auto writer = must(Writer::open(dir.file("h.db")));
  disk.full = true;
  std::vector<SourceCommit> commits{source_with_run("/a.log", 3)};
  const auto done = writer->commit(commits, kNow);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().text(), ::testing::HasSubstr("full"));
  EXPECT_THAT(done.error().hint, ::testing::HasSubstr("make room"));
  EXPECT_EQ(done.error().kind, ErrorKind::exhausted);
  EXPECT_EQ(commits[0].source.id, 0);
  disk.full = false;
  EXPECT_TRUE(writer->commit(commits, kNow));
}

TEST(Faults, ASyncThatFailsSaysWhy) {
  TempDir dir;
  bool failing = false;
  FaultyVfs vfs([&](Operation operation) {
    return failing && operation == Operation::sync ? SQLITE_IOERR_FSYNC : SQLITE_OK;
  });
  auto writer = must(Writer::open(dir.file("h.db")));
  std::vector<SourceCommit> commits{source_with_run("/a.log", 3)};
  must(writer->commit(commits, kNow));
  failing = true;
  const auto synced = writer->sync();
  ASSERT_FALSE(synced);
  EXPECT_THAT(synced.error().message, ::testing::EndsWith("failed: disk I/O error"));
}

TEST(Faults, AFullDiskIsCalledSoWhereAFileOfSqlitesOwnCanNotGrow) {
  TempDir dir;
  FaultyVfs vfs([](Operation operation) {
    if (operation != Operation::map) return SQLITE_OK;
    errno = ENOSPC;
    return SQLITE_IOERR_SHMSIZE;
  });
  const auto opened = Writer::open(dir.file("h.db"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::exhausted);
  EXPECT_THAT(opened.error().hint, ::testing::HasSubstr("make room"));
}

TEST(Faults, WhoMayOpenNoMoreFilesIsNotToldOfPermissions) {
  TempDir dir;
  must(Writer::open(dir.file("h.db")));
  FaultyVfs vfs([](Operation operation) {
    if (operation != Operation::open) return SQLITE_OK;
    errno = EMFILE;
    return SQLITE_CANTOPEN;
  });
  const auto opened = Reader::open(dir.file("h.db"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(opened.error().hint, ::testing::HasSubstr("LimitNOFILE"));
}

// What the daemon asks of its history at a start.
TEST(Faults, AFullDiskStopsNoStart) {
  TempDir dir;
  FillableDisk disk;
  std::vector<SourceCommit> commits{source_with_run("/a.log", 3)};
  {
    auto writer = must(Writer::open(dir.file("h.db")));
    must(writer->look_again("rules"));
    must(writer->commit(commits, kNow));
  }
  disk.full = true;
  auto writer = must(Writer::open(dir.file("h.db")));
  EXPECT_EQ(must(writer->look_again("rules")), 0);
  EXPECT_EQ(must(writer->sources()).size(), 1U);
  EXPECT_FALSE(writer->commit(commits, kNow));
}

TEST(Faults, WhatAnImportLeftWaitsWhereAStartFindsAFullDisk) {
  TempDir dir;
  FillableDisk disk;
  {
    auto writer = must(Writer::open(dir.file("h.db")));
    std::vector<SourceCommit> left{source_with_run("/left.log", 3), source_with_run("/left too.log", 3)};
    for (SourceCommit& commit : left) commit.source.pending = true;
    must(writer->commit(left, kNow));
  }
  disk.full = true;
  auto writer = must(Writer::open(dir.file("h.db")));
  EXPECT_EQ(must(writer->sources()).size(), 2U);
  EXPECT_FALSE(writer->maintain(kNow));
  disk.full = false;
  // One that has begun since then stays.
  std::vector<SourceCommit> begun{source_with_run("/begun.log", 3)};
  begun[0].source.pending = true;
  must(writer->commit(begun, kNow));
  must(writer->maintain(kNow));
  const auto sources = must(writer->sources());
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].path, "/begun.log");
}

TEST(Faults, WhatAFailedImportFilledTheDiskWithGoesOnceItCan) {
  TempDir dir;
  FillableDisk disk;
  auto writer = must(Writer::open(dir.file("h.db")));
  std::vector<SourceCommit> import{source_with_run("/import.log", 3)};
  import[0].source.pending = true;
  must(writer->commit(import, kNow));
  std::vector<SourceCommit> followed{source_with_run("/followed.log", 3)};
  must(writer->commit(followed, kNow));
  disk.full = true;
  EXPECT_FALSE(writer->drop_source(import[0].source.id));
  EXPECT_FALSE(writer->drop_source(followed[0].source.id));
  EXPECT_FALSE(writer->maintain(kNow));
  disk.full = false;
  must(writer->maintain(kNow));
  const auto sources = must(writer->sources());
  ASSERT_EQ(sources.size(), 1U) << "who asked for the other is told that it is still there";
  EXPECT_EQ(sources[0].path, "/followed.log");
}

TEST(Faults, WhatCanNotBeDroppedKeepsNothingFromBeingFoldedIn) {
  TempDir dir;
  bool full = false;
  int written = 0;  // once the next write has failed
  FaultyVfs vfs([&](Operation operation) {
    if (operation != Operation::write) return SQLITE_OK;
    if (std::exchange(full, false)) return SQLITE_FULL;
    ++written;
    return SQLITE_OK;
  });
  auto writer = must(Writer::open(dir.file("h.db")));
  std::vector<SourceCommit> import{source_with_run("/import.log", 3)};
  import[0].source.pending = true;
  must(writer->commit(import, kNow));
  full = true;
  EXPECT_FALSE(writer->drop_source(import[0].source.id));
  written = 0;
  full = true;
  EXPECT_FALSE(writer->maintain(kNow)) << "it is told none the less";
  EXPECT_FALSE(full);
  EXPECT_GT(written, 0);
}

// To make them anew needs room on the disk: a start on a full one would fail.
TEST(Faults, AStopKeepsTheFilesBesideTheHistory) {
  TempDir dir;
  {
    auto writer = must(Writer::open(dir.file("h.db")));
    std::vector<SourceCommit> commits{source_with_run("/a.log", 3)};
    must(writer->commit(commits, kNow));
  }
  EXPECT_EQ(std::filesystem::file_size(dir.file("h.db-wal")), 0U);
  EXPECT_GT(std::filesystem::file_size(dir.file("h.db-shm")), 0U);
}

// The files as a SIGKILL at any moment would leave them: opened again, they hold whole commits and no part of
// one, and never fewer than were reported done.
TEST(Faults, KilledAtAnyOperationTheHistoryHoldsWholeCommits) {
  TempDir dir, copies;
  std::int64_t reported = 0;
  int count = 0;
  std::vector<std::pair<std::string, std::int64_t>> snapshots;
  {
    FaultyVfs vfs([&](Operation operation) {
      if (!writes(operation) || ++count % 4 != 0) return SQLITE_OK;
      const std::string copy = copies.file(std::to_string(snapshots.size()) + ".db");
      for (const char* part : {"", "-wal"}) {
        const std::string from = dir.file("h.db") + part;
        if (std::filesystem::exists(from)) write_file(copy + part, content_of(from));
      }
      snapshots.emplace_back(copy, reported);
      return SQLITE_OK;
    });
    auto writer = must(Writer::open(dir.file("h.db")));
    auto source = source_with_run("/a.log", 0);
    etad::Run run = lenet();
    for (std::int64_t i = 1; i <= 6; ++i) {
      source.records.segments = {{0, window(run, i)}};
      source.records.runs = {run};
      source.source.offset = i;
      std::vector<SourceCommit> all{source};
      must(writer->commit(all, kNow));
      source.source.id = all.front().source.id;
      reported = i;
      if (i % 3 == 0) must(writer->maintain(after(60.0 * static_cast<double>(i))));
    }
  }
  ASSERT_GT(snapshots.size(), 20U);
  for (const auto& [copy, least] : snapshots) {
    SCOPED_TRACE(copy);
    auto writer = must(Writer::open(copy));
    const auto sources = must(writer->sources());
    const std::int64_t commits = sources.empty() ? 0 : sources.front().offset;
    EXPECT_GE(commits, least);
    auto reader = must(Reader::open(copy));
    EXPECT_EQ(must(reader->segments(1, 0, 100)).size(), static_cast<std::size_t>(commits));
    EXPECT_EQ(must(reader->size()).segments, commits);
    if (commits > 0) {
      EXPECT_EQ(must(reader->run(1))->run.train.segments, commits);
    }
  }
}

}  // namespace
}  // namespace etad::test
