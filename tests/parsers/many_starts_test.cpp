// Logs of many runs that come at once, and of many that come to nothing.
#include <gtest/gtest.h>

#include "tests/parsers/log_reader.h"
#include "tests/parsers/shipped_rules.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// What each of thousands of starts is said to have been set to would be kept for each.
TEST(ManyStarts, ThatMeasureNothingInheritTheirSettingsAFewTimes) {
  Lines lines = {"I1121 00:16:38.258493 18451 solver.cpp:48] Initializing solver from parameters: "};
  for (int i = 0; i < 40; ++i) lines.push_back(written("setting_%d: 0.125", i));
  for (int i = 0; i < 100; ++i) {
    lines.push_back("F1121 00:16:38.300000 18451 math_functions.cu:79] Check failed: status == 0");
    lines.push_back(
        "I1121 00:16:38.300000 18451 solver.cpp:331] Restoring previous solver status from "
        "x_iter_0.solverstate");
    lines.push_back("I1121 00:16:38.300000 18451 solver.cpp:229] Iteration 0, loss = 1");
  }
  std::size_t settings = 0, runs = 0;
  for (const auto& [ordinal, run] : runs_of(lines)) {
    ++runs;
    settings += run.settings.size();
  }
  EXPECT_GT(runs, 50U);
  EXPECT_GT(settings, 40U * 2);
  EXPECT_LT(settings, 40U * 20);
}

std::size_t segments_by(const Lines& lines, std::size_t batch) {
  LogOptions options;
  options.formats = &shipped_formats();
  LogParser parser(options);
  Records records;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    parser.feed(lines[i], std::nullopt, reference_time(), records);
    if ((i + 1) % batch == 0) parser.flush(records);
  }
  read_to_end(parser, records);
  return records.segments.size();
}

// A generic format is believed at the end of a batch of lines, but keeps no more than so many runs until then.
TEST(ManyStarts, OfNoKnownFrameworkThatComeAtOnceAreAllKept) {
  Lines lines;
  for (int run = 0; run < 4000; ++run)
    for (int step = 10; step <= 40; step += 10)
      lines.push_back(written("{\"global_step\": %d, \"loss\": 0.5, \"step_time\": 0.52}", step));
  EXPECT_EQ(segments_by(lines, lines.size()), segments_by(lines, 100));
}

// With the batch that ended before it, it would have won.
TEST(ManyStarts, AFrameworksLineBehindFewMeasurementsOfNoneTakesThemNotAway) {
  Lines lines;
  for (int step = 10; step <= 60; step += 10)
    lines.push_back(written("{\"global_step\": %d, \"loss\": 0.5, \"step_time\": 0.52}", step));
  lines.push_back("{'loss': 1.25, 'learning_rate': 4.5e-05, 'epoch': 0.5}");
  const std::size_t in_pieces = segments_by(lines, 3);
  EXPECT_GT(in_pieces, 0U);
  EXPECT_EQ(segments_by(lines, lines.size()), in_pieces);
}

// A table's runs may alternate, so those that came last are remembered: few of long names.
TEST(ManyStarts, OfATableOfLongNamesTakeABoundedState) {
  LogOptions options;
  options.formats = &shipped_formats();
  const auto state_of = [&](std::size_t length) {
    LogParser parser(options);
    Records records;
    const std::string header =
        "network,device,host,run,setting.a,setting.b,phase,batch_size,iterations,seconds";
    parser.feed(header, std::nullopt, reference_time(), records);
    for (int i = 0; i < 300; ++i) {
      const std::string name = written("%d", i) + std::string(length, 'x');
      std::string row;
      for (int column = 0; column < 6; ++column) row += name + ",";
      parser.feed(row + "train,8,10,1", std::nullopt, reference_time(), records);
    }
    parser.flush(records);
    EXPECT_EQ(records.segments.size(), 300U);
    EXPECT_EQ(records.runs.size(), 300U);
    return parser.save().size();
  };
  EXPECT_LT(state_of(250), 400'000U);
  EXPECT_GT(state_of(4), 50'000U) << "of usual names all 256 are";
}

}  // namespace
}  // namespace etad::test
