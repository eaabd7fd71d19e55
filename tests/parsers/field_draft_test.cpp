// Rules to begin with, for lines that none knows.
#include "parsers/rules/field_draft.h"

#include <gtest/gtest.h>

#include <string>

#include "parsers/rules/format.h"

namespace etad {
namespace {

// The draft as a file, with the line as its sample.
std::string file_of(const std::string& line) {
  return "format = \"mine\"\n" + field_rule_for(line) + "samples = ['''" + line +
         "''']\n[[sample]]\nline = 'a font is missing'\nevent = \"\"\n";
}

TEST(FieldDraft, IsARuleThatReadsItsLine) {
  for (const char* line :
       {"round<10> q=3.000 clk=3.0s/round", "lap 40 of 500 | train loss 4.1 | 0.52s/lap | left 0:12:30",
        R"({"tick": 40, "d_loss": 4.1, "rate": 0.5})", "EPOCH[3/40] round 12/99 -- 12.5 img/s -- q: 0.5"}) {
    const auto format = Format::load("mine.toml", file_of(line));
    ASSERT_TRUE(format) << format.error().front().text() << "\n" << file_of(line);
    EXPECT_TRUE((*format)->recognises(line));
  }
}

TEST(FieldDraft, NamesWhatIsPlain) {
  EXPECT_EQ(field_rule_for("epoch 3/40 round 12/99 loss=0.5 q=0.25 clk=3.0s/round took 62.5s eta 0:12:30"),
            R"([words]
epoch = ["epoch#"]
batch = ["round#"]
loss = ["loss"]
figure = ["q"]
seconds = ["clk"]
duration = ["took"]
eta = ["eta"]

[[rule]]
name = "round"
event = "progress"
fields = { "epoch/epochs?" = "epoch", "batch/batches?" = "batch" }
with = ["loss", "figure", "seconds", "duration", "eta"]
take = ["loss", "seconds", "duration", "eta"]
recognise = true
)");
}

// As docs/rules.md shows it.
TEST(FieldDraft, LeavesATimeOfDayOut) {
  EXPECT_EQ(field_rule_for("@10:00:30 round<10> q=3.000 clk=3.0s/round"), R"([words]
iteration = ["round#"]
figure = ["q"]
seconds = ["clk"]

[[rule]]
name = "round"
event = "progress"
fields = { iteration = "iteration" }
with = ["figure", "seconds"]
take = ["seconds"]
recognise = true
)");
}

TEST(FieldDraft, OfALineThatCountsNothingIsNone) {
  EXPECT_EQ(field_rule_for("a font is missing"), "");
  EXPECT_EQ(field_rule_for("round 12"), "");
  EXPECT_EQ(field_rule_for("q=0.5 in 3s"), "");
}

}  // namespace
}  // namespace etad
