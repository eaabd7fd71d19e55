// What statements are bound to, and for how long it is there.
#include "storage/sqlite.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

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

TEST(SqliteTest, AllocationsAreNotCounted) {
  Connection connection(":memory:", Connection::Mode::write);
  connection.execute("CREATE TABLE of_some (bytes)");
  EXPECT_EQ(sqlite3_memory_used(), 0);
}

}  // namespace
}  // namespace etad::sqlite
