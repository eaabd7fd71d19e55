// What a lock guards can't be touched without it.
#include "threads/mutex.h"

namespace etad {

class Counter {
 public:
  void count() {
#ifndef FORBIDDEN
    const Lock lock(mutex_);
#endif
    ++count_;
  }

 private:
  Mutex mutex_;
  int count_ GUARDED_BY(mutex_) = 0;
};

}  // namespace etad
