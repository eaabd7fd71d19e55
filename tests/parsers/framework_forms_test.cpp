// Forms of today's frameworks, as their code prints them: resumed runs, devices told in several ways, times rounded up,
// bars cut by a narrow console, launchers' labels before settings.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

// "0: " may be a program's own words; an argument in the line does not make it so.
TEST(FrameworkForms, SettingsBehindALaunchersLabel) {
  Lines lines = {
      "0: ***** Running training *****",
      "0:   Instantaneous batch size per device = 4",
      "0:   Total train batch size (w. parallel, distributed & accumulation) = 32",
      "0:   Gradient Accumulation steps = 2",
      "0:   Total optimization steps = 300",
  };
  for (int i = 1; i <= 300; ++i)
    lines.push_back(
        written("0: %3d%%|##########| %d/300 [%02d:%02d<00:00,  1.00it/s]", i / 3, i, i / 60, i % 60));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.train.samples_per_iteration, 32);
  EXPECT_EQ(run.devices, 4);
}

}  // namespace
}  // namespace etad::test
