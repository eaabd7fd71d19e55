// The table of `etactl what-if`: a bar as long as the throughput, and what is measured, best and the knee.
#include <gtest/gtest.h>

#include "daemon/client/views.h"

namespace etad::client {
namespace {

const Object kAnswer = boost::json::parse(R"({"vary":"batch_size","rows":[
  {"batch_size":8,"seconds":4,"lower":3,"upper":5,"samples_per_second":500,"seen":2},
  {"batch_size":16,"seconds":6,"lower":5,"upper":8,"samples_per_second":975,"seen":1},
  {"batch_size":32,"seconds":12,"lower":9,"upper":15,"samples_per_second":1000,"seen":0}],
  "unanswered":[{"value":"64","why":"No model \u001b[31mof that.","hint":"say which"}],
  "best":{"batch_size":"32","row":2,"why":"the most samples a second"},"knee":16,"knee_within":0.025})")
                           .as_object();

TEST(WhatIfView, BarsMarksAndWhatWasMeasured) {
  const std::string text = what_if_text(kAnswer, {});
  EXPECT_EQ(text.substr(0, text.find("\n\n")) + "\n",
            "batch size    time  interval          samples/s  throughput                measured  note\n"
            "         8  4.00 s  3.00 s to 5.00 s      500.0  ████████████              2 runs\n"
            "        16  6.00 s  5.00 s to 8.00 s      975.0  ███████████████████████▍  1 run     knee\n"
            "        32  12.0 s  9.00 s to 15.0 s       1000  ████████████████████████  no        best\n"
            "64: No model \\x1b[31mof that.\n"
            "  say which\n"
            "knee: the smallest batch within 2.5 % of the best throughput\n");
}

TEST(WhatIfView, PlotsTheThroughputAndHatchesWhatWasNotMeasured) {
  Object answer = kAnswer;
  answer["rows"].as_array()[2].as_object()["extrapolates"] = boost::json::parse(R"(["batch_size"])");
  const std::string text = what_if_text(answer, {.width = 42});
  EXPECT_NE(text.find("\nsamples a second; ░: beyond what was measured\n"
                      "1000 │           ▁▃▅▆░░░░░░░░░░░░░░░\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n      batch size 8                32\n"), std::string::npos) << text;
  EXPECT_EQ(what_if_text(kAnswer, {}).find("beyond"), std::string::npos);
  answer["rows"].as_array().resize(2);
  EXPECT_EQ(what_if_text(answer, {}).find("a second"), std::string::npos) << "two rows are no curve";
}

TEST(WhatIfView, WhatDoesNotFitIsSaid) {
  Object answer = kAnswer;
  Object& row = answer["rows"].as_array()[2].as_object();
  row["peak_memory_bytes"] = 20e9, row["device_memory_bytes"] = 17179869184, row["fits"] = false;
  const std::string text = what_if_text(answer, {});
  EXPECT_NE(text.find("does not fit\n"), std::string::npos) << text;
  EXPECT_NE(text.find("does not fit: needs more than the device's 16.0 GiB of memory\n"), std::string::npos)
      << text;
  EXPECT_EQ(what_if_text(kAnswer, {}).find("fit"), std::string::npos);
}

TEST(WhatIfView, AnUnknownDeviceIsADash) {
  const Object answer = boost::json::parse(R"({"vary":"device","rows":[
    {"device":"","seconds":4,"lower":3,"upper":5,"samples_per_second":500,"seen":2}]})")
                            .as_object();
  const std::string text = what_if_text(answer, {});
  EXPECT_NE(text.find("\n-  "), std::string::npos) << text;
}

TEST(WhatIfView, ASplitIsSharesAndATime) {
  const Object answer = boost::json::parse(R"({"vary":"split","rows":[],"split":{"seconds_per_iteration":0.05,
    "samples_per_second":2000,"shares":[{"device":"K80","batch_size":30},{"device":"V100","batch_size":70}]}})")
                            .as_object();
  const std::string text = what_if_text(answer, {});
  EXPECT_NE(text.find("V100"), std::string::npos) << text;
  EXPECT_NE(text.find("70"), std::string::npos) << text;
  EXPECT_NE(text.find("all are ready after 50.0 ms: 2000 samples/s"), std::string::npos) << text;
}

TEST(WhatIfView, NarrowScreenLosesTheBarsFirst) {
  const std::string text = what_if_text(kAnswer, {.width = 70});
  EXPECT_EQ(text.substr(0, text.find("\n\n")).find("█"), std::string::npos);
  EXPECT_NE(text.find("knee"), std::string::npos);
}

TEST(EstimateView, TimeLimitIsTheUpperBoundRoundedUp) {
  const auto limit = [](const char* estimate) {
    return limit_text(boost::json::parse(estimate).as_object());
  };
  EXPECT_EQ(limit(R"({"upper":7500.2})"), "02:05:01\n");
  EXPECT_EQ(limit(R"({"upper":360000})"), "100:00:00\n");
  EXPECT_EQ(limit(R"({"upper":1e22})"), std::nullopt) << "no limit is better than a wrong one";
  EXPECT_EQ(limit(R"({"upper":null})"), std::nullopt);
}

TEST(EstimatorsView, MarksWhoAnswers) {
  const Object answer = boost::json::parse(R"({"estimators":[
    {"name":"gianniti","needs":{"met":true,"missing":""},"kinds":{"seen":{"left_out_error_percent":9.5,"chosen":false}}},
    {"name":"effects","needs":{"met":true,"missing":""},"kinds":{"seen":{"left_out_error_percent":4.5,"chosen":true}}}]})")
                            .as_object();
  const std::string text = estimators_text(answer, {});
  EXPECT_NE(text.find("4.5 %*"), std::string::npos) << text;
  EXPECT_NE(text.find("9.5 % "), std::string::npos) << text;
}

}  // namespace
}  // namespace etad::client
