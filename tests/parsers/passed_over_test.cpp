// Lines that are known to say nothing but when they were written are passed over (Reading::pass_over). With a memory of
// shapes, and so with that, a log comes to the same as when each line is matched anew.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "parsers/log/log_parser.h"
#include "parsers/rules/shape_memory.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

class Followed {
 public:
  explicit Followed(bool remembers) {
    options_.formats = &shipped_formats();
    if (remembers) options_.shapes = &shapes_;
    parser_.emplace(options_);
  }

  void feed(const std::string& line) { parser_->feed(line, {}, reference_time(), records_); }

  // All that it remembers, and what it has told.
  std::string state() {
    parser_->flush(records_);
    std::string out = parser_->save();
    for (const auto& s : records_.segments)
      out +=
          written(" %d %lld+%lld: %lld", static_cast<int>(s.value.phase),
                  static_cast<long long>(s.value.first_iteration), static_cast<long long>(s.value.iterations),
                  static_cast<long long>(s.value.duration.count()));
    for (const Run& run : records_.runs)
      out += written(" run %lld ends %lld", static_cast<long long>(run.ordinal),
                     run.ended_at ? static_cast<long long>(run.ended_at->time_since_epoch().count()) : 0LL);
    records_ = {};
    return out;
  }

 private:
  ShapeMemory shapes_;
  LogOptions options_;
  std::optional<LogParser> parser_;
  Records records_;
};

void expect_the_same(const std::vector<std::string>& lines, const std::string& name, std::size_t each) {
  Followed anew(false), remembering(true);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    anew.feed(lines[i]);
    remembering.feed(lines[i]);
    if (i % each != 0) continue;
    ASSERT_EQ(remembering.state(), anew.state()) << name << ": line " << i + 1 << ": " << lines[i];
  }
  EXPECT_EQ(remembering.state(), anew.state()) << name;
}

// A training whose displays have two lines behind them that say nothing, `label` before each.
std::vector<std::string> training(const std::string& label, int displays) {
  std::vector<std::string> lines = {
      "I1121 10:00:00.000000 77 caffe.cpp:217] Using GPUs 0",
      "I1121 10:00:00.000001 77 solver.cpp:289] Solving LeNet",
  };
  for (int i = 0; i < displays; ++i) {
    const std::string head = "I1121 " + time_of_day(10, 2 * i) + written(".%06d 77 ", 100 + i);
    lines.push_back(head + written("solver.cpp:239] Iteration %d, loss = 0.5", 20 * i));
    lines.push_back(head + "solver.cpp:258]     Train net output #0: loss = 0.5 (* 1 = 0.5 loss)");
    lines.push_back(head + written("sgd_solver.cpp:112] Iteration %d, lr = 0.01", 20 * i));
  }
  for (std::string& line : lines) line.insert(0, label);
  return lines;
}

TEST(PassedOver, EachCaffeLogComesToTheSame) {
  for (const std::string& name : caffe_log_names()) expect_the_same(caffe_log(name), name, 37);
}

TEST(PassedOver, SoDoesOneBehindALaunchersLabel) {
  for (const std::string label : {"", "[1,0]<stdout>:", " 0: ", "0: ", "trainer-1  | ", "[rank0]: "})
    expect_the_same(training(label, 40), label, 1);
}

// Behind half an hour it is another program's line; amid a snapshot it shows how long that takes at least.
TEST(PassedOver, GapsAndSnapshotsComeToTheSame) {
  std::vector<std::string> lines = training("", 20);
  lines.push_back(
      "I1121 10:00:40.000000 77 solver.cpp:454] Snapshotting to binary proto file a_iter_380.caffemodel");
  lines.push_back("I1121 10:00:43.000200 77 sgd_solver.cpp:112] Iteration 380, lr = 0.01");
  lines.push_back("I1121 10:00:45.000000 77 solver.cpp:239] Iteration 400, loss = 0.5");
  lines.push_back("I1121 10:00:45.000000 77 sgd_solver.cpp:112] Iteration 400, lr = 0.01");
  lines.push_back("I1121 14:00:45.000000 77 sgd_solver.cpp:112] Iteration 400, lr = 0.01");
  lines.push_back("I1121 14:00:47.000000 77 sgd_solver.cpp:112] Iteration 400, lr = 0.01");
  expect_the_same(lines, "gaps", 1);
}

}  // namespace
}  // namespace etad::test
