// A run is of one owner's log: whoever else copies that, or puts his own in its place, adds nothing to the run.
#include <map>

#include "tests/daemon/import_races.h"

namespace etad {
namespace {

constexpr std::int64_t kRoot = 0, kAda = 1001, kBen = 1002;

class OtherOwners : public ImportRaces {
 protected:
  void write(const std::string& name, std::string_view bytes, std::int64_t owner) {
    watched_->owners[file(name)] = owner;
    append(name, bytes);
  }
  // The iterations of each owner's runs.
  std::map<std::int64_t, std::int64_t> iterations() {
    std::map<std::int64_t, std::int64_t> out;
    for (const RunRow& run : runs()) out[run.owner.value_or(-1)] += run.run.train.iterations;
    return out;
  }

  const std::string part_ = first_lines("Iteration 300,");
  const std::string rest_ = lenet_.substr(part_.size());
};

// Bob's copy lies where alice's log lay, before alice's run is over.
class ACopyInItsPlace : public OtherOwners, public testing::WithParamInterface<int> {};

TEST_P(ACopyInItsPlace, IsASourceOfItsOwn) {
  FaultyWriter* const history = write_by_faulty_writer();
  start_ingest(usual_options());
  write("lenet.log", part_, kAda);
  wait();
  const auto before = iterations();
  ASSERT_EQ(before.size(), 1U);
  std::filesystem::remove(file("lenet.log"));
  ASSERT_TRUE(tick_after(std::chrono::seconds(20)));
  write("lenet.log", lenet_, kBen);
  history->failures = GetParam();
  for (int i = 0; i < 30; ++i) (void)tick_after(std::chrono::seconds(5));
  ASSERT_EQ(history->failures, 0);
  start_ingest(usual_options());
  wait();
  EXPECT_EQ(iterations(), (std::map<std::int64_t, std::int64_t>{{kAda, before.at(kAda)}, {kBen, 500}}));
  EXPECT_EQ(reader_->sources().value().size(), 2U);
}
INSTANTIATE_TEST_SUITE_P(AfterSoManyFailingCommits, ACopyInItsPlace, testing::Values(0, 1, 2));

TEST_F(OtherOwners, ACopyOfAnImportedLogGoesOnWithoutItsRun) {
  start_ingest(usual_options());
  ASSERT_TRUE(begin("/alice/lenet.log", part_, kRoot)->finish());
  const auto before = iterations();
  write("bobs.log", lenet_, kBen);
  wait();
  EXPECT_EQ(iterations().at(kRoot), before.at(kRoot));
  EXPECT_EQ(reader_->sources().value().size(), 2U);
  EXPECT_LE(iterations()[kBen], 500 - before.at(kRoot)) << "what was imported is not counted again";
  wait(std::chrono::minutes(5));
  EXPECT_EQ(reader_->sources().value().size(), 2U);
}

TEST_F(OtherOwners, WhoHasABeginningKeepsNobodyFromImportingTheWhole) {
  start_ingest(usual_options());
  write("bobs.log", part_, kBen);
  write("undecided.log", lenet_.substr(0, lenet_.find('\n') + 1), kBen);
  wait();
  const auto before = iterations();
  const auto done = begin("/alice/lenet.log", lenet_, kRoot)->finish();
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_FALSE(done->already_read);
  EXPECT_EQ(iterations(), (std::map<std::int64_t, std::int64_t>{{kRoot, 500}, {kBen, before.at(kBen)}}));
  const auto again = begin("/alice/lenet.log", lenet_, kRoot)->finish();
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(again->already_read);
}

TEST_F(OtherOwners, NorDoesWhoHasACopyOfIt) {
  start_ingest(usual_options());
  write("bobs.log", lenet_, kBen);
  wait();
  EXPECT_FALSE(begin("/alice/lenet.log", lenet_, kRoot)->finish()->already_read);
  EXPECT_EQ(iterations(), (std::map<std::int64_t, std::int64_t>{{kRoot, 500}, {kBen, 500}}));
}

TEST_F(OtherOwners, NorWhoHadOneThatWasRotatedAway) {
  start_ingest(usual_options());
  write("bobs.log", lenet_, kBen);
  wait();
  std::filesystem::rename(file("bobs.log"), file("bobs.log.1"));
  write("bobs.log", "a line of no format\n", kBen);
  wait();
  EXPECT_FALSE(begin("/alice/lenet.log", lenet_ + "more\n", kRoot)->finish()->already_read);
  EXPECT_EQ(iterations(), (std::map<std::int64_t, std::int64_t>{{kRoot, 500}, {kBen, 500}}));
}

TEST_F(OtherOwners, AnImportOfAnothersLogGoesOnUnderThatsPath) {
  start_ingest(usual_options());
  ASSERT_TRUE(begin(file("lenet.log"), part_, kRoot)->finish());
  write("lenet.log", lenet_, kAda);
  wait();
  expect_once();
}

}  // namespace
}  // namespace etad
