// A mutex whose use the compiler checks: what is GUARDED_BY it can't be touched without it. Checked by clang
// (-Wthread-safety, an error for whoever links this room); to other compilers the words mean nothing.
//
//   mutable Mutex mutex_;
//   int count_ GUARDED_BY(mutex_) = 0;
//   void count() EXCLUDES(mutex_) { const Lock lock(mutex_); ++count_; }
//
// The words are those of clang's documentation, "Thread Safety Analysis". A lambda that runs under a lock
// says so as a function does: `news_.wait(lock, [this]() REQUIRES(mutex_) { return count_ > 0; })`.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define ETAD_CHECKED(...) __attribute__((__VA_ARGS__))
#else
#define ETAD_CHECKED(...)
#endif

#define GUARDED_BY(mutex) ETAD_CHECKED(guarded_by(mutex))         // a member: only under it
#define PT_GUARDED_BY(mutex) ETAD_CHECKED(pt_guarded_by(mutex))   // what a member points to
#define REQUIRES(mutex) ETAD_CHECKED(requires_capability(mutex))  // a function: whoever calls it holds it
#define EXCLUDES(...) ETAD_CHECKED(locks_excluded(__VA_ARGS__))  // … does not hold it, for it will be taken
#define UNCHECKED ETAD_CHECKED(no_thread_safety_analysis)        // … and why not, a comment says

namespace etad {

class ETAD_CHECKED(capability("mutex")) Mutex {
 public:
  void lock() ETAD_CHECKED(acquire_capability()) { mutex_.lock(); }
  void unlock() ETAD_CHECKED(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Held from here to the end of the block, but for what lies between unlock() and lock().
class ETAD_CHECKED(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) ETAD_CHECKED(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() ETAD_CHECKED(release_capability()) {
    if (held_) mutex_.unlock();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void lock() ETAD_CHECKED(acquire_capability()) {
    mutex_.lock();
    held_ = true;
  }
  void unlock() ETAD_CHECKED(release_capability()) {
    held_ = false;
    mutex_.unlock();
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

using Condition = std::condition_variable_any;  // waits with a Lock

}  // namespace etad
