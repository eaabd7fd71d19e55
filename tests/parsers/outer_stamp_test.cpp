// What environments write before each line: what is such a stamp, and that a log behind it is read as without.
#include "parsers/lines/outer_stamp.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Lines = std::vector<std::string>;

struct StampForm {
  const char* stamp;
  const char* time;
  bool names_origin;
};

constexpr StampForm kForms[] = {
    {"Mar 04 05:06:07 node-3 train.sh[71]: ", "Mar 04 05:06:07", true},
    {"Mar  4 05:06:07 python3[71]: ", "Mar  4 05:06:07", true},
    {"Mar 04 05:06:07.250000 node-3 python3[71]: ", "Mar 04 05:06:07.250000", true},
    {"Mar 04 05:06:07 ", "Mar 04 05:06:07", false},
    {"2026-03-04T05:06:07+0000 node-3 python3[71]: ", "2026-03-04T05:06:07+0000", true},
    {"1772600767.250000 node-3 python3[71]: ", "1772600767.250000", true},
    {"1772600767250 ", "1772600767250", false},
    {"2026-03-04T05:06:07.250Z ", "2026-03-04T05:06:07.250Z", false},
    {"2026-03-04T05:06:07.250000+00:00 job/algo-1-1772 ", "2026-03-04T05:06:07.250000+00:00", true},
    {"2026-03-04T05:06:07.250000Z 01O ", "2026-03-04T05:06:07.250000Z", true},
    {"2026-03-04T05:06:07.250000Z 00E+", "2026-03-04T05:06:07.250000Z", true},
    {"[2026-03-04T05:06:07.250Z] ", "2026-03-04T05:06:07.250Z", false},
    {"[pod/train-0/main] 2026-03-04T05:06:07.250000000Z ", "2026-03-04T05:06:07.250000000Z", false},
    {"2026-03-04 05:06:07 ", "2026-03-04 05:06:07", false},
    {"2026-03-04 05:06:07 +0000 ", "2026-03-04 05:06:07 +0000", false},
    {"[2026-03-04 05:06:07.5 +00:00] ", "2026-03-04 05:06:07.5 +00:00", false},
};

TEST(OuterStamp, EachEnvironmentsFormIsTakenOff) {
  for (const StampForm& form : kForms) {
    const std::string line = std::string(form.stamp) + "train/loss 0.5";
    const auto stamp = outer_stamp(line);
    ASSERT_TRUE(stamp) << line;
    EXPECT_EQ(line.substr(stamp->length), "train/loss 0.5") << line;
    EXPECT_EQ(stamp->time, form.time) << line;
    EXPECT_EQ(stamp->names_origin, form.names_origin) << line;
    TimeContext context;
    context.reference = reference_time();
    const auto at = read_header(stamp->form, stamp->time, context).time;
    ASSERT_TRUE(at) << line;
    EXPECT_EQ(to_rfc3339(*at).substr(0, 19), "2026-03-04T05:06:07") << line;
  }
}

TEST(OuterStamp, NamesTheSpeakerOfALabelBeforeIt) {
  EXPECT_NE(outer_stamp("[pod/train-0/main] 2026-03-04T05:06:07Z a")->speaker, 0U);
  EXPECT_EQ(outer_stamp("2026-03-04T05:06:07Z a")->speaker, 0U);
}

TEST(OuterStamp, WhatIsNoneStays) {
  for (const std::string_view line :
       {"", "Mar", "Marching 04 05:06:07 a", "Max 04 05:06:07 a", "March 04 05:06:07 a", "Mar 04 05:06 a",
        "2026-03-04 step 1", "2026-03-04T05:06:07", "20260304 05:06:07 a", "17726007672 a", "177260076 a",
        "Epoch 3/40", "[2026-03-04 05:06:07 a", "I0304 05:06:07.250000 71 solver.cpp:239] Iteration 0",
        "120: 12.5, 15.25 avg loss", "05:06:07 a"})
    EXPECT_FALSE(outer_stamp(line)) << line;
  EXPECT_FALSE(outer_stamp("Mar 04 05:06:07 loss: 0.5")->names_origin);
  EXPECT_FALSE(outer_stamp("2026-03-04T05:06:07Z train/loss 0.5")->names_origin);
  EXPECT_FALSE(outer_stamp("2026-03-04T05:06:07+00:00 train/loss 0.5")->names_origin);
}

// Twenty seconds behind the hour, and further; the form is that of one of the environments.
std::string stamp_of(int form, double seconds) {
  const int whole = static_cast<int>(seconds), millis = static_cast<int>(seconds * 1000) % 1000;
  const std::string clock = time_of_day(5, whole);
  switch (form) {
    case 0:
      return "Mar 04 " + clock + " node-3 train.sh[71]: ";
    case 1:
      return "2026-03-04T" + clock + "+0000 node-3 python3[71]: ";
    case 2:
      return std::to_string(1772600400000 + static_cast<long long>(seconds * 1000)) + " ";
    case 3:
      return written("2026-03-04T%s.%03dZ ", clock.c_str(), millis);
    case 4:
      return written("2026-03-04T%s.%03d000+00:00 job/algo-1-1772 ", clock.c_str(), millis);
    case 5:
      return written("[pod/train-0/main] 2026-03-04T%s.%03d000000Z ", clock.c_str(), millis);
    default:
      return written("2026-03-04T%s.%03d000Z 01O ", clock.c_str(), millis);
  }
}
constexpr int kStampForms = 7;

TEST(OuterStamp, ALogBehindItIsReadAsWithout) {
  for (int form = 0; form < kStampForms; ++form) {
    Lines lines;
    const auto say = [&](double at, const std::string& text) { lines.push_back(stamp_of(form, at) + text); };
    for (int step = 0; step <= 60; ++step) {
      if (step == 0) {
        say(0, "***** Running training *****");
        say(0, "  Total optimization steps = 60");
      }
      say(20 * step, written("%3d%%|####      | %d/60 [%02d:%02d<10:00, 20.00s/it]", step * 100 / 60, step,
                             step / 3, 20 * step % 60));
    }
    say(1200.5, "{'train_runtime': 1200.5, 'train_steps_per_second': 0.05, 'epoch': 2.0}");
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 60) << form;
    EXPECT_NEAR(step_time(run), 20, 0.1) << form;
    EXPECT_EQ(run.state, RunState::finished) << form;
  }
}

// Of lines without times of their own it tells when they came; where they have them, as here, these count.
TEST(OuterStamp, TellsWhenLinesCameThatBearNoTime) {
  for (int form = 0; form < kStampForms; ++form) {
    Lines lines;
    for (int epoch = 1; epoch <= 4; ++epoch) {
      lines.push_back(stamp_of(form, 20 * epoch) + written("Epoch %d/4", epoch));
      lines.push_back(stamp_of(form, 20 * (epoch + 1) - 1) + "100/100 - 19s - 190ms/step - loss: 0.5125");
    }
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.framework, "keras") << form;
    EXPECT_EQ(run.iteration, 400) << form;
    ASSERT_TRUE(run.started_at) << form;
    EXPECT_EQ(to_rfc3339(*run.started_at).substr(0, 19), "2026-03-04T05:00:20") << form;
  }
}

TEST(OuterStamp, AHeaderOfTheProgramsOwnStaysBehindIt) {
  for (int form = 0; form < kStampForms; ++form) {
    Lines lines;
    for (int step = 1; step <= 40; ++step)
      lines.push_back(stamp_of(form, 1.25 * step) +
                      written("03/04 05:%02d:%02d [INFO|DP=0|TP=0]: iteration: %d / 40 | consumed_tokens: "
                              "%dK | time_per_iteration_ms: 1.25K | tokens_per_sec: 104K | "
                              "global_batch_size: 131K | lm_loss: 8.5 | lr: 0.0003 | eta: 0:00:37",
                              step * 5 / 4 / 60, step * 5 / 4 % 60, step, 131 * step));
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.framework, "pytorch") << form;
    EXPECT_EQ(run.iteration, 40) << form;
    EXPECT_NEAR(step_time(run), 1.25, 0.01) << form;
  }
}

// As it stands, the batch of an evaluation would be an argument like any other: the training's.
TEST(OuterStamp, TheFormatsOwnWordGoesBeforeAnArgument) {
  for (int form = 0; form < kStampForms; ++form) {
    Lines lines;
    const auto say = [&](int at, const std::string& text) { lines.push_back(stamp_of(form, at) + text); };
    say(0, "[INFO:swift] Setting args.lazy_tokenize: True");
    say(0, "  Batch size = 16");
    say(1, "***** Running training *****");
    for (int step = 1; step <= 20; ++step)
      say(1 + 20 * step, written("%3d%%|##        | %d/60 [%02d:%02d<10:00, 20.00s/it]", step * 100 / 60,
                                 step, step / 3, 20 * step % 60));
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 20) << form;
    EXPECT_FALSE(run.train.batch_size) << form;
  }
}

TEST(OuterStamp, WhatEndsAProgramIsHeardBehindIt) {
  for (int form = 0; form < kStampForms; ++form) {
    Lines lines;
    const auto say = [&](int at, const std::string& text) { lines.push_back(stamp_of(form, at) + text); };
    for (int step = 0; step <= 20; ++step)
      say(20 * step, written("%3d%%|##        | %d/60 [%02d:%02d<10:00, 20.00s/it]{'loss': 1.25, "
                             "'learning_rate': 2.5e-05, 'epoch': 0.5}",
                             step * 100 / 60, step, step / 3, 20 * step % 60));
    say(401, "Traceback (most recent call last):");
    say(401, "  File \"train.py\", line 71, in <module>");
    say(401, "ValueError: no such split");
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.state, RunState::failed) << form;
    EXPECT_EQ(run.message, "ValueError: no such split") << form;
  }
}

}  // namespace
}  // namespace etad::test
