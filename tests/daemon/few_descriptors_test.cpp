// More files than the process may open: `ulimit -n 40` and 200 logs that grow.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/daemon/followed_files.h"
#include "tests/sanitized.h"

namespace etad {
namespace {

constexpr int kFiles = 200;

// The process's own limit, for as long as it lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t most) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit now{most, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &now);
  }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

class FewDescriptors : public FollowedFiles {
 protected:
  void write_to_all(const std::string& line) const {
    for (int i = 0; i < kFiles; ++i)
      append(std::to_string(i) + ".log", line + " of " + std::to_string(i) + "\n");
  }
  // In ticks that may each find no descriptor left.
  void read_all() {
    const DescriptorLimit forty(40);
    for (int i = 0; i < 120; ++i) static_cast<void>(tick_after(std::chrono::seconds(5)));
  }
  void expect_lines(std::int64_t each) {
    const auto sources = reader_->sources().value();
    EXPECT_EQ(sources.size(), static_cast<std::size_t>(kFiles));
    for (const SourceRow& source : sources)
      EXPECT_EQ(source.lines, each) << source.path << " " << source.last_error;
  }
};

TEST_F(FewDescriptors, TwoHundredGrowingFilesAreAllReadWithForty) {
  if (ETAD_SANITIZED) GTEST_SKIP() << "the sanitizers need descriptors of their own";
  write_to_all("one");
  start_ingest(usual_options());
  read_all();
  expect_lines(1);
  write_to_all("two");
  read_all();
  expect_lines(2);
}

}  // namespace
}  // namespace etad
