// The journal as a source, with a journal of the test's own; and that the real one can be asked.
#include "daemon/follow/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/follow/fake_filesystem.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kUnit = "journal:caffe.service";

// Entries with cursors "0", "1", …; those before `first` have been rotated out.
struct FakeJournal {
  std::vector<std::string> messages;
  std::size_t first = 0;
  Errno error = 0;
  std::vector<std::string> matches;
  bool cut = false;  // all entries are
  Errno error_of_cursor = 0;
};

class FakeReader final : public JournalReader {
 public:
  explicit FakeReader(FakeJournal& journal) : journal_(journal) {}
  OsResult<void> seek(const std::string& cursor) override {
    next_ = std::max(journal_.first, cursor.empty() ? 0 : std::stoul(cursor) + 1);
    return {};
  }
  OsResult<std::optional<JournalEntry>> next() override {
    if (journal_.error != 0) return tl::unexpected(journal_.error);
    if (next_ >= journal_.messages.size()) return std::optional<JournalEntry>();
    const Instant at{std::chrono::seconds(1'780'000'000 + next_)};
    return std::optional(JournalEntry{journal_.messages[next_++], at, journal_.cut});
  }
  OsResult<std::string> cursor() override {
    if (journal_.error_of_cursor != 0) return tl::unexpected(journal_.error_of_cursor);
    return std::to_string(next_ - 1);
  }

 private:
  FakeJournal& journal_;
  std::size_t next_ = 0;
};

class JournalSource : public ::testing::Test {
 protected:
  void start() {
    follower_ = std::make_unique<Follower>(
        files_, nullptr, std::vector<Watch>{{kUnit, 3, false}}, Options{},
        [this](const std::vector<std::string>& matches) {
          journal_.matches = matches;
          return OsResult<std::unique_ptr<JournalReader>>(std::make_unique<FakeReader>(journal_));
        });
    std::vector<Position> positions;
    if (position_) positions.push_back(*position_);
    follower_->restore(std::move(positions), {});
  }
  void poll(bool commit = true) {
    now_ += std::chrono::seconds(11);
    for (const Batch& batch : follower_->poll(now_, Instant{}, 1 << 20)) {
      EXPECT_EQ(batch.path, kUnit);
      EXPECT_EQ(batch.tag, 3U);
      if (batch.error_changed) errors_.push_back(batch.error);
      if (!commit) {
        follower_->rewind(batch.stream);
        continue;
      }
      for (const Line& line : batch.lines) {
        lines_.emplace_back(line.text);
        last_ = line.time;
      }
      truncated_ += batch.truncated_lines;
      position_ = batch.after;
      follower_->committed(batch);
    }
  }

  FakeFileSystem files_;
  FakeJournal journal_;
  std::unique_ptr<Follower> follower_;
  SteadyTime now_{std::chrono::hours(1)};
  std::optional<Position> position_;
  std::vector<std::string> lines_;
  std::vector<std::string> errors_;
  std::optional<Instant> last_;
  std::int64_t truncated_ = 0;
};

TEST_F(JournalSource, FollowsAUnit) {
  journal_.messages = {"one", "two\nthree\r", "\x1b[32mfour\x1b[0m"};
  start();
  poll();
  EXPECT_THAT(journal_.matches, ElementsAre("_SYSTEMD_UNIT=caffe.service"));
  EXPECT_THAT(lines_, ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(last_, Instant(std::chrono::seconds(1'780'000'002)));
  journal_.messages.push_back("five");
  poll();
  EXPECT_EQ(lines_.back(), "five");
  EXPECT_EQ(position_->marker, "3");
}

TEST_F(JournalSource, ItsLinesAreCleanedAsAFilesAre) {
  journal_.messages = {"\r 10%|#   | 1/10\r 20%|##  | 2/10 ", "0: three  "};
  start();
  poll();
  EXPECT_THAT(lines_, ElementsAre(" 20%|##  | 2/10", "0: three"));
}

TEST_F(JournalSource, AMessageThatWasCutIsCountedOnce) {
  journal_.messages = {"the beginning of a long one"};
  journal_.cut = true;
  journal_.error_of_cursor = EIO;
  start();
  poll();
  EXPECT_EQ(truncated_, 0) << "it is read again";
  journal_.error_of_cursor = 0;
  poll();
  EXPECT_THAT(lines_, ElementsAre("the beginning of a long one"));
  EXPECT_EQ(truncated_, 1);
}

TEST_F(JournalSource, GoesOnBehindTheCommittedCursor) {
  journal_.messages = {"one", "two"};
  start();
  poll();
  journal_.messages.push_back("three");
  start();
  poll();
  EXPECT_THAT(lines_, ElementsAre("one", "two", "three"));
}

TEST_F(JournalSource, ReadsAgainWhatCouldNotBeCommitted) {
  journal_.messages = {"one"};
  start();
  poll();
  journal_.messages.push_back("two");
  poll(false);
  poll();
  EXPECT_THAT(lines_, ElementsAre("one", "two"));
}

TEST_F(JournalSource, GoesOnWhereItsEntryIsGone) {
  journal_.messages = {"one", "two", "lost", "four"};
  start();
  poll();
  journal_.messages.insert(journal_.messages.end(), {"five", "six"});
  journal_.first = 5;
  start();
  poll();
  EXPECT_EQ(lines_.back(), "six");
}

TEST_F(JournalSource, ReadsALongPastAtOnce) {
  journal_.messages.assign(5000, std::string(1000, 'x'));
  start();
  poll();
  EXPECT_GE(lines_.size(), 1000U) << "a poll's budget";
  for (int i = 0; i < 10; ++i) poll();
  EXPECT_EQ(lines_.size(), 5000U);
}

TEST_F(JournalSource, SaysOnceWhatIsWrong) {
  journal_.messages = {"one"};
  journal_.error = EACCES;
  start();
  poll();
  poll();
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("ermission denied")));
  EXPECT_EQ(follower_->statuses()[0].state, State::waiting);
  journal_.error = 0;
  poll();
  EXPECT_THAT(lines_, ElementsAre("one"));
  EXPECT_EQ(errors_.back(), "");
}

TEST_F(JournalSource, AReloadDropsIt) {
  journal_.messages = {"one"};
  start();
  poll();
  follower_->set_watches({});
  journal_.messages.push_back("two");
  poll();
  EXPECT_THAT(lines_, ElementsAre("one"));
  EXPECT_TRUE(follower_->statuses().empty());
}

TEST(JournalMatches, AreUnitsOrFields) {
  EXPECT_THAT(journal_matches("journal:a.service"), ElementsAre("_SYSTEMD_UNIT=a.service"));
  EXPECT_THAT(journal_matches("journal:_UID=1000,SYSLOG_IDENTIFIER=train"),
              ElementsAre("_UID=1000", "SYSLOG_IDENTIFIER=train"));
  EXPECT_FALSE(is_journal("/var/log/journal"));
}

TEST(SystemdJournal, CanBeAskedWhereThereIsNone) {
  const auto journal = open_journal({"_SYSTEMD_UNIT=etad-test-no-such.service"});
  ASSERT_TRUE(journal) << journal.error();
  ASSERT_TRUE((*journal)->seek(""));
  const auto entry = (*journal)->next();
  ASSERT_TRUE(entry);
  EXPECT_FALSE(*entry);
}

}  // namespace
}  // namespace etad::follow
