// The tables, how an older database becomes a current one, and which files we refuse to touch.
// docs/schema.md describes every table and column.
#pragma once

#include <span>

#include "storage/sqlite.h"

namespace etad::schema {

// "etad" as big-endian ASCII: in the file's header, so that file(1) and we know whose it is.
inline constexpr std::int64_t kApplicationId = 0x65746164;

// The steps: the n-th takes a database of version n to version n + 1. A step, once released, never changes.
std::span<const char* const> migrations();
inline std::int64_t current_version() {
  return static_cast<std::int64_t>(migrations().size());
}

// Throws sqlite::Failure where the file is foreign, newer or damaged, and leaves it as it was. An empty one is none of
// these.
void check(sqlite::Connection& connection);

// Brings a database that was checked to the current version, step by step, each in a transaction of its own; gives a new
// (empty) file its tables.
void prepare_for_writing(sqlite::Connection& connection);

// Throws where the file is no history of ours, or of a newer version.
void prepare_for_copying(sqlite::Connection& connection);

// Throws where the file is not a history of the current version.
void prepare_for_reading(sqlite::Connection& connection);

}  // namespace etad::schema
