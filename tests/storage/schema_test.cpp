// Which files are taken, which refused, and how an older history becomes a current one.
#include "storage/schema.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "storage/codes.h"
#include "tests/places.h"
#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Runs SQL with plain SQLite, as another program would.
void sql(const std::string& file, const std::string& statements) {
  sqlite::Connection connection(file, sqlite::Connection::Mode::write);
  connection.execute(statements);
}

std::set<std::string> objects_of(const std::string& file) {
  sqlite::Connection connection(file, sqlite::Connection::Mode::write);
  sqlite::Statement select(connection,
                           "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema");
  std::set<std::string> result;
  for (auto rows = select.query(); rows.next();) result.insert(rows.get<std::string>(0));
  return result;
}

std::string pragma(const std::string& file, const std::string& name) {
  sqlite::Connection connection(file, sqlite::Connection::Mode::write);
  sqlite::Statement select(connection, "PRAGMA " + name);
  auto rows = select.query();
  return rows.next() ? rows.get<std::string>(0) : "";
}

class SchemaTest : public HistoryTest {
 protected:
  // Opening fails with that text, and the file stays as it is.
  void expect_refused(const std::string& text) {
    const std::string before = content_of(path());
    const auto opened = Writer::open(path());
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().text(), HasSubstr(text));
    EXPECT_EQ(opened.error().where, path());
    EXPECT_NE(opened.error().hint, "");
    EXPECT_EQ(content_of(path()), before);
    const auto read = Reader::open(path());
    ASSERT_FALSE(read);
  }
};

TEST_F(SchemaTest, ANewHistoryBearsItsMarks) {
  writer();
  close();
  EXPECT_EQ(pragma(path(), "application_id"), std::to_string(0x65746164));
  EXPECT_EQ(pragma(path(), "user_version"), std::to_string(schema::current_version()));
  EXPECT_EQ(pragma(path(), "journal_mode"), "wal");
  EXPECT_EQ(pragma(path(), "integrity_check"), "ok");
  for (const std::string& object : objects_of(path())) {
    if (object.starts_with("table ") && object.find("sqlite_") == std::string::npos) {
      EXPECT_THAT(object, HasSubstr("STRICT"));
    }
  }
}

TEST_F(SchemaTest, AnEmptyFileBecomesAHistory) {
  write_file(path(), "");
  EXPECT_THAT(must(writer().sources()), SizeIs(0));
}

TEST_F(SchemaTest, ANewerHistoryIsRefused) {
  writer();
  close();
  sql(path(), "PRAGMA user_version = 999; PRAGMA wal_checkpoint(TRUNCATE)");
  expect_refused("newer etad");
}

TEST_F(SchemaTest, AHistoryOfANumberThatThereIsNotIsRefused) {
  writer();
  close();
  sql(path(), "PRAGMA user_version = -1; PRAGMA wal_checkpoint(TRUNCATE)");
  expect_refused("is numbered -1");
}

TEST_F(SchemaTest, SomebodyElsesDatabaseIsRefused) {
  sql(path(), "CREATE TABLE addresses (name TEXT); INSERT INTO addresses VALUES ('x')");
  expect_refused("not a history of etad");
}

TEST_F(SchemaTest, SomebodyElsesEmptyDatabaseIsRefused) {
  sql(path(), "PRAGMA application_id = 0x0f055112; CREATE TABLE t (a); DROP TABLE t");
  expect_refused("not a history of etad");
  EXPECT_EQ(pragma(path(), "journal_mode"), "delete");
}

TEST_F(SchemaTest, AFileThatIsNoDatabaseIsRefused) {
  write_file(path(), std::string(5000, 'x'));
  expect_refused("file is not a database");
}

TEST_F(SchemaTest, ATruncatedHistoryIsRefused) {
  commit(source_with_run("/a.log", 2000));
  close();
  const std::string whole = content_of(path());
  write_file(path(), whole.substr(0, whole.size() / 2 / 4096 * 4096));
  expect_refused("malformed (restart etad first");
}

TEST_F(SchemaTest, AHistoryWhoseSchemaIsDamagedIsRefused) {
  writer();
  close();
  std::string damaged = content_of(path());
  for (std::size_t i = 100; i < 4096; ++i) damaged[i] = '\x55';
  write_file(path(), damaged);
  expect_refused("malformed");
}

// As one may be that was rescued with `.recover`.
TEST_F(SchemaTest, AHistoryThatLacksATableIsRefused) {
  writer();
  close();
  std::set<std::string> tables;
  {
    sqlite::Connection connection(path(), sqlite::Connection::Mode::write);
    sqlite::Statement select(
        connection, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    for (auto rows = select.query(); rows.next();) tables.insert(rows.get<std::string>(0));
  }
  const std::string whole = content_of(path());
  for (const std::string& table : tables) {
    SCOPED_TRACE(table);
    write_file(path(), whole);
    sql(path(), "PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF; DROP TABLE " + table);
    expect_refused("lost its table " + table);
  }
}

TEST_F(SchemaTest, ADirectoryOrAMissingFolderIsRefusedWithAHint) {
  for (const std::string& where : {dir_.path().string(), dir_.file("no/such/folder/history.db")}) {
    const auto opened = Writer::open(where);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().text(), HasSubstr("unable to open"));
    EXPECT_THAT(opened.error().hint, HasSubstr("folder"));
  }
}

// A row that can't be what we wrote is an error of the one question that meets it.
TEST_F(SchemaTest, ADamagedChunkIsAnErrorAndNoMore) {
  commit(source_with_run("/a.log", 10));
  commit(source_with_run("/b.log", 10));
  close();
  sql(path(),
      "UPDATE segment_chunks SET body = x'ff00ff' WHERE run_id = 1; UPDATE run_windows SET count = 99");
  const auto damaged = reader().segments(1, 0, 10);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().text(), HasSubstr("chunk of run 1"));
  EXPECT_THAT(must(reader().segments(2, 0, 10)), SizeIs(10));
  etad::Run run = lenet();
  EXPECT_FALSE(
      reader().run_data({run.network, run.architecture, run.framework, run.host, run.device, 1}, 10, 10));
}

TEST_F(SchemaTest, EveryStepLeadsToTheSameSchema) {
  writer();
  close();
  const auto current = objects_of(path());
  const std::string grown = dir_.file("grown.db");
  for (std::int64_t version = 1; version < schema::current_version(); ++version) {
    SCOPED_TRACE(version);
    const std::string file = dir_.file("v" + std::to_string(version) + ".db");
    sql(grown, std::string("BEGIN;") + schema::migrations()[static_cast<std::size_t>(version - 1)] +
                   ";PRAGMA user_version = " + std::to_string(version) +
                   "; PRAGMA application_id = 0x65746164; COMMIT");
    std::filesystem::copy_file(grown, file);
    must(Writer::open(file));
    EXPECT_EQ(objects_of(file), current);
    EXPECT_EQ(pragma(file, "user_version"), std::to_string(schema::current_version()));
  }
}

// A history that the first version wrote, kept as SQL: all of it is there after the migration, and grows on.
TEST_F(SchemaTest, AFirstVersionsHistoryIsTakenOver) {
  sql(path(), content_of(ETAD_TEST_DATA "/storage/v1.sql"));
  const auto rows = must(reader().runs({}));
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[1].run.network, "LeNet");
  EXPECT_EQ(rows[1].run.settings.at("type"), "SGD");
  EXPECT_EQ(rows[0].labels.at("network"), "MyNet");
  const auto segments = must(reader().segments(1, 0, 10));
  ASSERT_THAT(segments, SizeIs(3));
  EXPECT_EQ(segments[2].first_iteration, 200);
  EXPECT_THAT(must(reader().points(1, 0, 10)), SizeIs(3));
  std::int64_t generation = 0;
  const auto keys = must(reader().changed_keys(0, generation));
  EXPECT_THAT(keys, SizeIs(5))
      << "LeNet, no name, MyNet on one device, which nobody had said; two of them anew";
  EXPECT_EQ(rows[1].run.devices, 0);
  for (const ModelKey& key : keys)
    EXPECT_EQ(must(reader().run_data(key, 9, 9)).size(), key.devices == 0 ? 1 : 0);
  EXPECT_THAT(must(reader().models()), SizeIs(1));
  EXPECT_THAT(must(writer().sources()), SizeIs(2));
  must(writer().set_labels(2, {{"network", ""}}));
  EXPECT_EQ(must(reader().run(2))->run.devices, 0) << "as the log is remembered";

  PredictionRow prediction;
  prediction.run_id = 1;
  must(writer().put_predictions({prediction}));
  auto more = source_with_run("/c.log", 2);
  more.records.add_sample({"gpu.power", "gpu=0", "W"}, kNow, 100);
  commit(more);
  EXPECT_THAT(must(reader().runs({})), SizeIs(3));
  EXPECT_THAT(must(reader().series()), SizeIs(1));
  close();
  EXPECT_EQ(pragma(path(), "integrity_check"), "ok");
}

// While writing nobody asks the tables' CHECKs.
TEST_F(SchemaTest, TheTablesAdmitAllWordsThatAreWritten) {
  std::int64_t number = 0;
  for (std::size_t job = 0; job < codes::kJobs.size(); ++job)
    for (std::size_t state = 0; state < codes::kStates.size(); ++state) {
      etad::Run run = lenet();
      run.job = static_cast<Job>(job);
      run.state = static_cast<RunState>(state);
      auto source = source_with_run("/" + std::to_string(++number) + ".log", 2, run);
      commit(source);
    }
  PredictionRow prediction;
  prediction.run_id = 1;
  for (const PredictionKind kind : {PredictionKind::total, PredictionKind::remaining}) {
    prediction.kind = kind;
    must(writer().put_predictions({prediction}));
  }
  close();
  EXPECT_EQ(pragma(path(), "integrity_check"), "ok");
  sql(path(), "PRAGMA ignore_check_constraints = ON; UPDATE runs SET state = 'asleep' WHERE id = 1");
  EXPECT_EQ(pragma(path(), "integrity_check"), "CHECK constraint failed in runs") << "it asks them";
}

}  // namespace
}  // namespace etad::test
