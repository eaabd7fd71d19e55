#include "parsers/base/trace_labels.h"

#include <gtest/gtest.h>

namespace etad {
namespace {

TEST(TraceLabels, WhatWasWrittenCanBeRead) {
  TraceLabels labels;
  labels[TraceLabel::gpu] = "0";
  labels[TraceLabel::command] = "a=b,c";
  std::string text;
  labels.write({{"gpu", "7"}, {"host", "n1.cluster"}}, text);
  EXPECT_EQ(text, "command=a b c,gpu=0,host=n1.cluster");
  EXPECT_EQ(label_value(text, "command"), "a b c");
  EXPECT_EQ(label_value(text, "gpu"), "0") << "the line wins";
  EXPECT_EQ(label_value(text, "host"), "n1.cluster");
}

TEST(TraceLabels, ALabelThatIsNotThereHasNoValue) {
  EXPECT_FALSE(label_value("", "gpu"));
  EXPECT_FALSE(label_value("gpu=0,uuid=GPU-5f3a", "g"));
  EXPECT_FALSE(label_value("gpu=0,uuid=GPU-5f3a", "gpu=0"));
  EXPECT_FALSE(label_value("gpu=0,uuid=GPU-5f3a", ""));
  EXPECT_FALSE(label_value("gpu,uuid", "gpu"));
  EXPECT_EQ(label_value("gpu=,uuid=GPU-5f3a", "gpu"), "") << "present, and empty";
}

}  // namespace
}  // namespace etad
