// What the allocator is told at the start.
#include <gtest/gtest.h>
#include <malloc.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "daemon/system.h"
#include "tests/sanitized.h"

namespace etad {
namespace {

std::size_t heaps() {
  char* text = nullptr;
  std::size_t size = 0;
  FILE* const out = open_memstream(&text, &size);
  malloc_info(0, out);
  std::fclose(out);
  const std::string info(text, size);
  std::free(text);
  std::size_t count = 0;
  for (auto at = info.find("<heap "); at != std::string::npos; at = info.find("<heap ", at + 1)) ++count;
  return count;
}

// How many heaps there are while so many threads each hold something.
std::size_t heaps_of_threads(int threads) {
  std::size_t found = 0;
  std::barrier all(threads);
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&all, &found, i] {
      const auto held = std::make_unique<std::string>(10'000, 'x');
      all.arrive_and_wait();
      if (i == 0) found = heaps();
      all.arrive_and_wait();
    });
  }
  running.clear();
  return found;
}

// How many there may be is settled by the first thread that asks for one: in a process of its own.
TEST(AllocatorDeathTest, ThreadsShareOneHeap) {
  if (ETAD_SANITIZED) GTEST_SKIP() << "the heap is the sanitizer's";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto with_memory_kept = [] {
    system::keep_memory();
    std::exit(static_cast<int>(heaps_of_threads(8)));
  };
  EXPECT_EXIT(with_memory_kept(), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(std::exit(heaps_of_threads(8) > 1 ? 0 : 1), testing::ExitedWithCode(0), "")
      << "the allocator's own way is another";
}

}  // namespace
}  // namespace etad
