// The table of measured segments: columns in any order, cells in quotes, rows that can't be true.
#include <gtest/gtest.h>

#include "parsers/training/segment_table.h"

namespace etad::test {
namespace {

TEST(SegmentTable, ColumnsInAnyOrder) {
  SegmentTable table;
  ASSERT_TRUE(table.take_header("seconds, Iterations ,\"network\",note,batch_size"));
  const Event row = table.read("12.5,100,\"net, big\",whatever,64");
  ASSERT_EQ(row.kind, EventKind::segment);
  EXPECT_EQ(row.number(Field::seconds), 12.5);
  EXPECT_EQ(row.integer(Field::iterations), 100);
  EXPECT_EQ(row.text(Field::network), "net, big");
  EXPECT_EQ(row.integer(Field::batch_size), 64);
  EXPECT_FALSE(row.has(Field::phase));
}

TEST(SegmentTable, EveryColumnAtOnce) {
  SegmentTable table;
  ASSERT_TRUE(
      table.take_header("network,framework,device,devices,host,phase,batch_size,global_batch_size,"
                        "iter_size,iteration,precision,run,iterations,seconds"));
  const Event row = table.read("n,f,d,2,h,train,8,16,1,300,amp,r1,100,12.5");
  EXPECT_EQ(table.complaint(), "");
  ASSERT_EQ(row.kind, EventKind::segment);
  EXPECT_EQ(row.text(Field::network), "n");
  EXPECT_EQ(row.integer(Field::iterations), 100);
  EXPECT_EQ(row.number(Field::seconds), 12.5);
}

TEST(SegmentTable, WhatItCostAndSettingsOfAnyName) {
  SegmentTable table;
  ASSERT_TRUE(table.take_header(
      "iterations,seconds,energy_joules,peak_memory_bytes,setting.power_limit,setting.kind"));
  const Event row = table.read("100,12.5,2500,3e9,150,big");
  ASSERT_EQ(row.kind, EventKind::segment);
  EXPECT_EQ(row.number(Field::energy_joules), 2500);
  EXPECT_EQ(row.number(Field::peak_memory_bytes), 3e9);
  std::vector<std::string> settings;
  for (const FieldValue& v : row.values())
    if (v.field == Field::key || v.field == Field::value) settings.emplace_back(v.text);
  EXPECT_EQ(settings, (std::vector<std::string>{"power_limit", "150", "kind", "big"}));
  EXPECT_EQ(table.read("100,12.5,,,,").kind, EventKind::segment) << "not known";
  EXPECT_EQ(table.read("100,12.5,-1,,,").kind, EventKind::none);
  EXPECT_EQ(table.complaint(), "row 3: energy_joules: '-1' should be a number above 0");
}

TEST(SegmentTable, WhatIsNoHeader) {
  SegmentTable table;
  EXPECT_FALSE(table.take_header("network,iterations"));
  EXPECT_FALSE(table.take_header("iterations,seconds,seconds"));
  EXPECT_FALSE(table.take_header("resnet50,pytorch,64,100,35.25"));
  EXPECT_TRUE(table.take_header("iterations;seconds")) << "apart by semicolons";
  EXPECT_EQ(table.read("100;2.5").number(Field::seconds), 2.5);
}

TEST(SegmentTable, BadRowsAreCountedAndTheFirstIsNamed) {
  SegmentTable table;
  EXPECT_EQ(table.read("network,phase,batch_size,iterations,seconds").kind, EventKind::none);
  for (const char* row : {"n,train,8,100", "n,train,8,ten,1", "n,train,8,10,-1", "n,train,0,10,1",
                          "n,validate,8,10,1", "n,train,8,10,inf"})
    EXPECT_EQ(table.read(row).kind, EventKind::none) << row;
  EXPECT_EQ(table.bad_rows(), 6);
  EXPECT_EQ(table.complaint(), "row 2: the row: '4 cells' should be 5, as the header");
  for (const char* line : {"", "# a comment", ",,,,"}) EXPECT_EQ(table.read(line).kind, EventKind::none);
  EXPECT_EQ(table.bad_rows(), 6) << "an empty line is no row";
  EXPECT_EQ(table.read("n,,8,10,1").kind, EventKind::segment) << "what is left empty is not said";
}

TEST(SegmentTable, GoesOnWhereItWasSaved) {
  SegmentTable table;
  table.read("iterations,seconds");
  SegmentTable later;
  later.restore(table.header(), table.lines());
  later.read("10,0");
  EXPECT_EQ(later.complaint(), "row 2: seconds: '0' should be a number above 0");
}

}  // namespace
}  // namespace etad::test
