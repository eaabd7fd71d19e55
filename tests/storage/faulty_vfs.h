// A file system between SQLite and the real one that fails when a test says so. While one is alive it is
// SQLite's default; syncs are not passed on, because nothing here outlives the test.
#pragma once

#include <functional>

namespace etad::test {

enum class Operation { open, read, write, sync, truncate, remove, map };

class FaultyVfs {
 public:
  // Asked before every operation on any file: SQLITE_OK lets it through, another code is its result.
  using Decide = std::function<int(Operation)>;

  explicit FaultyVfs(Decide decide);
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;
  ~FaultyVfs();
};

// The code with which SQLite's own file system reports that such an operation failed.
int failure_code(Operation operation);

}  // namespace etad::test
