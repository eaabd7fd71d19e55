// Memory that runs out when a test says so: the N-th allocation from now on of this thread, by operator new,
// by SQLite or by zlib to decompress, fails; those after it do not.
#pragma once

#include <cstdint>

namespace etad {

class FailingAllocation {
 public:
  explicit FailingAllocation(std::int64_t nth);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  static bool happened();  // since the last one was made
};

// Before the first use of SQLite.
void let_sqlite_fail_too();

}  // namespace etad
