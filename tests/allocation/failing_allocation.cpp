#include "tests/allocation/failing_allocation.h"

#include <dlfcn.h>
#include <sqlite3.h>
#include <zlib.h>

#include <cstdlib>
#include <new>

namespace etad {
namespace {

thread_local std::int64_t left = 0;  // until the one that fails; 0: none does
thread_local bool failed = false;

bool fails_now() {
  if (left == 0 || --left > 0) return false;
  failed = true;
  return true;
}

sqlite3_mem_methods real{};

void* sqlite_malloc(int size) {
  return fails_now() ? nullptr : real.xMalloc(size);
}
void* sqlite_realloc(void* old, int size) {
  return fails_now() ? nullptr : real.xRealloc(old, size);
}

}  // namespace

FailingAllocation::FailingAllocation(std::int64_t nth) {
  failed = false;
  left = nth;
}
FailingAllocation::~FailingAllocation() {
  left = 0;
}
bool FailingAllocation::happened() {
  return failed;
}

void* zlib_allocated(void*, unsigned count, unsigned size) {
  return fails_now() ? nullptr : std::calloc(count, size);
}
void zlib_freed(void*, void* memory) {
  std::free(memory);
}

void let_sqlite_fail_too() {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
  sqlite3_mem_methods ours = real;
  ours.xMalloc = sqlite_malloc;
  ours.xRealloc = sqlite_realloc;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &ours);
}

void* allocated(std::size_t size) {
  if (fails_now()) return nullptr;
  return std::malloc(size > 0 ? size : 1);
}

}  // namespace etad

// Stands before zlib's own, which it calls: a stream made here allocates by our function.
extern "C" int inflateInit2_(z_stream* stream, int window, const char* version, int size) {
  using Init = int (*)(z_stream*, int, const char*, int);
  static const Init real = reinterpret_cast<Init>(dlsym(RTLD_NEXT, "inflateInit2_"));
  stream->zalloc = etad::zlib_allocated;
  stream->zfree = etad::zlib_freed;
  return real(stream, window, version, size);
}

void* operator new(std::size_t size) {
  if (void* const made = etad::allocated(size)) return made;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return etad::allocated(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
