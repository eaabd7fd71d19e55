// The states of a progress bar whose line has not ended yet.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/lines/line.h"

namespace etad {
namespace {

std::vector<std::string> states_of(std::string line, std::size_t limit = 4096) {
  std::vector<std::string_view> found;
  LineLosses losses;
  clean_states(line, limit, found, losses);
  return {found.begin(), found.end()};
}

std::string state(int done, const std::string& rest = "", int seconds = 10) {
  return std::to_string(done) + "%|#  | " + std::to_string(done) + "/100 [00:" + std::to_string(seconds) +
         "<00:30, 2.00it/s" + rest + "]";
}

TEST(OverdrawnStates, AllUpToTheLastButOne) {
  const std::string first = state(1) + "\r", both = first + state(2) + "\r";
  EXPECT_EQ(overdrawn_states(state(1)), 0U);
  EXPECT_EQ(overdrawn_states(first), 0U) << "nothing was drawn over it";
  EXPECT_EQ(overdrawn_states(first + state(2)), 0U) << "nobody knows where the second one ends";
  EXPECT_EQ(overdrawn_states(both), first.size());
  EXPECT_EQ(overdrawn_states("\r" + both + state(3) + "\r" + state(4)), 1 + both.size());
}

TEST(OverdrawnStates, StatesOfOneCountStayTogether) {
  const std::string first = state(1) + "\r";
  EXPECT_EQ(overdrawn_states(first + state(1, ", loss=2") + "\r"), 0U) << "the second one counts";
  EXPECT_EQ(overdrawn_states(first + state(2) + "\r" + state(2, ", loss=2") + "\r"), first.size());
}

TEST(OverdrawnStates, OnlyOfABarThatShowsItsPace) {
  EXPECT_EQ(overdrawn_states("Downloading 10%\rDownloading 20%\rDownloading 30%\r"), 0U);
  EXPECT_EQ(overdrawn_states(state(1) + "\ra word\r" + state(1) + "\r"), 0U)
      << "it may be the same state again";
  EXPECT_EQ(overdrawn_states(""), 0U);
}

// Each epoch's bar is wiped when it is full, in one line without an end, and counts images.
TEST(OverdrawnStates, AlsoWhereTheBarCountsInAUnitOfItsOwn) {
  const std::string first = "Epoch 1/2: 100%|#| 640/640 [00:12<00:00, 51.25img/s]",
                    second = "Epoch 2/2: 100%|#| 640/640 [00:11<00:00,  1.25s/img]",
                    third = "Epoch 2/2: 100%|#| 641/640 [00:11<?, ?img/s]";
  const std::vector<std::string> both = {first, second};
  EXPECT_EQ(states_of(first + "\r      \r" + second), both);
  EXPECT_EQ(overdrawn_states(first + "\r" + second + "\r"), first.size() + 1);
  EXPECT_EQ(overdrawn_states(second + "\r" + third + "\r"), second.size() + 1);
  EXPECT_EQ(
      states_of(
          "model: 10%|# | 1.0M/9.9M [00:01<00:09, 1.0MB/s]\rmodel: 99%|# | 9.8M/9.9M [00:09<00:01, 1.0MB/s]")
          .size(),
      1U)
      << "a download's";
  EXPECT_EQ(states_of("a<b, c/s]\rd<e, f/s]").size(), 1U);
}

// autoresearch's steps, and a download's.
TEST(OverdrawnStates, AlsoOfALineThatShowsUnitsASecond) {
  const std::string
      first = "step 00001 (0.4%) | loss: 9.5000 | dt: 1250ms | tok/sec: 44,250 | remaining: 299s    ",
      second = "step 00002 (0.8%) | loss: 9.2500 | dt: 1250ms | tok/sec: 44,250 | remaining: 298s    ";
  const std::vector<std::string> both = {first, second};
  EXPECT_EQ(states_of("\r" + first + "\r" + second), both);
  EXPECT_EQ(states_of("\r" + first + "\r" + second + "\r"), both) << "whose line Windows ended";
  EXPECT_EQ(overdrawn_states(first + "\r" + second + "\r"), first.size() + 1);
  EXPECT_EQ(states_of("model 10% 1.25 MB/sec\rmodel 99% 1.25 MB/sec").size(), 1U);
}

// However a bar's line comes, its states are those of the whole.
TEST(OverdrawnStates, InWhateverPiecesTheLineComes) {
  std::mt19937 random(17);
  const auto any = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int round = 0; round < 300; ++round) {
    std::string line;
    for (int i = 0, done = 0, seconds = 10; i < 12; ++i) {
      done += any(2);
      seconds += any(2) * any(8);
      line += any(6) == 0 ? "a word" : state(done, any(3) == 0 ? ", loss=2" : "", seconds);
      if (any(8) == 0) line += "INFO saved";
      line += any(9) == 0 ? "\r\r" : "\r";
    }
    line += any(3) == 0 ? state(99) : any(2) == 0 ? state(99) + "INFO saved" : "done";
    std::vector<std::string> found;
    std::string held;
    for (std::size_t at = 0; at < line.size();) {
      const std::string piece = line.substr(at, static_cast<std::size_t>(1 + any(90)));
      at += piece.size();
      held += piece;
      const std::size_t over = overdrawn_states(held);
      if (over == 0) continue;
      for (std::string& each : states_of(held.substr(0, over))) found.push_back(std::move(each));
      held.erase(0, over);
    }
    for (std::string& each : states_of(held)) found.push_back(std::move(each));
    ASSERT_EQ(found, states_of(line)) << "round " << round;
  }
}

// Were each beginning of a bar held against all that stands behind it, or before it, these would take hours.
TEST(OverdrawnStates, LongLinesOfNothingButBeginningsOfBars) {
  constexpr std::size_t kLong = 8'000'000;
  std::string paces, lines = "x 1/2 it/s ";
  while (paces.size() < kLong) paces += "1<,";
  while (lines.size() < kLong) lines += "    ]INFO";
  EXPECT_EQ(overdrawn_states(paces + "\r"), 0U);
  EXPECT_EQ(states_of(paces + "\rx").size(), 1U);
  EXPECT_EQ(states_of(lines + "\rx 2/2 it/s", 2 * kLong).size(), 2U);
}

}  // namespace
}  // namespace etad
