// What statements are bound to, and for how long it is there.
#include "storage/sqlite.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/storage/temp_dir.h"

namespace etad::sqlite {
namespace {

// Longer than what a string holds within itself.
const std::string kLong(100, 'x');

std::optional<std::string> given() {
  return kLong;
}

TEST(SqliteTest, TextsOfTemporariesAreThereAsLongAsTheRows) {
  Connection connection(":memory:", Connection::Mode::write);
  Statement select(connection, "SELECT ?1, ?2, ?3");
  auto rows = select.query(given(), std::string(kLong), std::string(100, 'y'));
  const std::string taken_since(100, '-'), and_more(100, '-');
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.get<std::string>(0), kLong);
  EXPECT_EQ(rows.get<std::string>(1), kLong);
  EXPECT_EQ(rows.get<std::string>(2), std::string(100, 'y'));
}

TEST(SqliteTest, AStatementIsPreparedWhenItIsFirstAsked) {
  Connection connection(":memory:", Connection::Mode::write);
  Statement select(connection, "SELECT n FROM numbers");
  EXPECT_THROW(select.number(), Failure);
  connection.execute("CREATE TABLE numbers (n); INSERT INTO numbers VALUES (3)");
  EXPECT_EQ(select.number(), 3) << "what failed once is tried anew";
}

sqlite3_stmt* first_of(Connection& connection) {
  return sqlite3_next_stmt(connection.handle(), nullptr);
}

TEST(SqliteTest, AQuestionThatIsAskedAgainIsNotPreparedAgain) {
  Connection connection(":memory:", Connection::Mode::write);
  EXPECT_EQ(Statement(connection, "SELECT ?1").number(3), 3);
  sqlite3_stmt* const prepared = first_of(connection);
  ASSERT_NE(prepared, nullptr) << "it is kept";
  Statement again(connection, "SELECT ?1");
  auto rows = again.query();
  ASSERT_TRUE(rows.next());
  EXPECT_TRUE(rows.is_null(0)) << "nothing is left of what it was asked with before";
  EXPECT_EQ(first_of(connection), prepared);
  EXPECT_EQ(sqlite3_next_stmt(connection.handle(), prepared), nullptr);
}

TEST(SqliteTest, AQuestionWithinItselfIsAnotherStatement) {
  Connection connection(":memory:", Connection::Mode::write);
  connection.execute("CREATE TABLE numbers (n); INSERT INTO numbers VALUES (1), (2), (3)");
  std::int64_t pairs = 0;
  for (int time = 0; time < 2; ++time) {
    Statement outer(connection, "SELECT n FROM numbers");
    for (auto rows = outer.query(); rows.next();) {
      Statement inner(connection, "SELECT n FROM numbers");
      for (auto others = inner.query(); others.next();) ++pairs;
    }
  }
  EXPECT_EQ(pairs, 18);
}

TEST(SqliteTest, NoMoreThanSomeStatementsAreKept) {
  Connection connection(":memory:", Connection::Mode::write);
  for (int i = 0; i < 1000; ++i) Statement(connection, "SELECT " + std::to_string(i)).run();
  int kept = 0;
  for (auto* each = first_of(connection); each != nullptr;
       each = sqlite3_next_stmt(connection.handle(), each))
    ++kept;
  EXPECT_GT(kept, 0);
  EXPECT_LE(kept, 64);
}

TEST(SqliteTest, AllocationsAreNotCounted) {
  Connection connection(":memory:", Connection::Mode::write);
  connection.execute("CREATE TABLE of_some (bytes)");
  EXPECT_EQ(sqlite3_memory_used(), 0);
}

int pages_kept(const Connection& connection) {
  int used = 0, unused = 0;
  sqlite3_db_status(connection.handle(), SQLITE_DBSTATUS_CACHE_USED, &used, &unused, 0);
  return used;
}

TEST(SqliteTest, PagesThatALargeQuestionNeededAreGivenBack) {
  const test::TempDir folder;
  Connection connection(folder.file("large.db"), Connection::Mode::write);
  connection.execute(
      "CREATE TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
      " SELECT i, zeroblob(500) FROM n");
  ASSERT_GT(pages_kept(connection), 1'000'000);
  connection.keep_pages(2'000'000);
  EXPECT_GT(pages_kept(connection), 1'000'000) << "no more than so many";
  connection.keep_pages(100'000);
  EXPECT_LT(pages_kept(connection), 100'000);
  EXPECT_EQ(Statement(connection, "SELECT count(*) FROM numbers").number(), 2000);
}

}  // namespace
}  // namespace etad::sqlite
