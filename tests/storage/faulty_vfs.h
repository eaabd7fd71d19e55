// A file system between SQLite and the real one that fails when a test says so. While one is alive it is
// SQLite's default; syncs are not passed on, because nothing here outlives the test.
#pragma once

#include <functional>
#include <map>
#include <string>

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

  // From now on it is noted what each file was at its last sync.
  void note_what_is_synced();

  // The files as a power cut would leave them on the worst of disks: nothing of what was not synced. By path.
  std::map<std::string, std::string> left_by_power_cut() const;
};

// The code with which SQLite's own file system reports that such an operation failed.
int failure_code(Operation operation);

}  // namespace etad::test
