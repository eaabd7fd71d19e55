// Which thread no longer gets on, and which only waits for the history.
#include "daemon/beats.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/daemon/temp_history.h"

namespace etad {
namespace {

using std::chrono::seconds;

class BeatsTest : public testing::Test {
 protected:
  std::optional<std::string> stuck() const { return beats_.stuck(now_, seconds{20}); }

  Beats::Steady now_{std::chrono::hours{1}};
  Beats beats_{now_, now_, now_, {}};
};

TEST_F(BeatsTest, WhoIsSilentForTooLongIsStuck) {
  EXPECT_FALSE(stuck());
  beats_.service -= seconds{21};
  EXPECT_EQ(stuck(), "service");
  beats_.refit -= seconds{21};
  EXPECT_EQ(stuck(), "refit");
  beats_.ingest -= seconds{21};
  EXPECT_EQ(stuck(), "ingest");
}

TEST_F(BeatsTest, WhoWaitsForWhatIsAtWorkOnTheHistoryIsNot) {
  beats_.ingest -= seconds{90};
  beats_.refit -= seconds{90};
  beats_.history = now_ - seconds{1};
  EXPECT_FALSE(stuck());
  beats_.service -= seconds{21};
  EXPECT_EQ(stuck(), "service") << "it waits for no writer";
}

TEST_F(BeatsTest, WhoWaitsForAChangeThatHangsIs) {
  beats_.ingest -= seconds{90};
  beats_.history = now_ - seconds{90};
  EXPECT_EQ(stuck(), "ingest");
}

using SharedWriters = TempHistory;

TEST_F(SharedWriters, TellThatSomebodyWrites) {
  EXPECT_FALSE(writer_->is_busy());
  writer_->with([this](Writer&) { EXPECT_TRUE(writer_->is_busy()); });
  EXPECT_FALSE(writer_->is_busy());
  EXPECT_THROW(writer_->with([](Writer&) { throw std::runtime_error("a defect"); }), std::runtime_error);
  EXPECT_FALSE(writer_->is_busy());
}

}  // namespace
}  // namespace etad
