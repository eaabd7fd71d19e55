// Random lives of a log, against the simplest model there is: the list of the lines that were written.
// However the writer wrote, rotated, copied, truncated, deleted and compressed, and whenever the daemon was
// killed or could not commit: what has been committed at the end is that list, in that order.
//
// What nobody could read is not asked for: a file is deleted, or truncated without a copy, only after a poll.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/follow/harness.h"
#include "tests/sanitized.h"

namespace etad::follow {
namespace {

class RandomLife {
 public:
  RandomLife(unsigned seed, Options options, bool wide)
      : random_(seed), etad_({{wide ? "/logs/*" : kLog, 0, false}}, options) {
    write_lines();
    etad_.poll();
  }

  void live(int steps) {
    for (int i = 0; i < steps; ++i) step();
    complete_line();
    read_all();
  }

  const std::vector<std::string>& written() const { return written_; }
  const Harness& etad() const { return etad_; }
  // What was done, and what lies there at the end.
  std::string story() {
    std::string out = story_;
    etad_.files.list("/logs", [&](const DirectoryEntry& entry) {
      const std::string name(entry.name), content = etad_.files.content("/logs/" + name);
      out += "\n" + name + " inode " + std::to_string(entry.inode) + ", " + std::to_string(content.size()) +
             " bytes: " + content.substr(0, content.find(' ', 5));
      return true;
    });
    const Position& position = etad_.positions[kLog];
    return out + "\nat " + position.identity + " offset " + std::to_string(position.offset) + ", " +
           etad_.text_of(kLog);
  }

 private:
  void step() {
    switch (pick(14)) {
      case 0:
      case 1:
      case 2:
        tell("write"), write_lines();
        break;
      case 3:
        tell("part"), write_part();
        break;
      case 4:
        tell("flush"), complete_line();
        break;
      case 5:
        tell("rename"), rename();
        break;
      case 6:
        tell("copytruncate"), copytruncate();
        break;
      case 7:
        tell("delete"), remove();
        break;
      case 8:
        tell("truncate"), truncate();
        break;
      case 9:
        tell("compress"), compress();
        break;
      case 10:
        tell("restart"), etad_.restart();
        break;
      case 11:
        tell("kill"), kill();
        break;
      case 12:
        tell("fail"), (void)etad_.poll_and_fail();
        break;
      default:
        tell("poll"), etad_.poll();
        break;
    }
  }

  std::size_t pick(std::size_t n) { return random_() % n; }
  void tell(const std::string& what) { story_ += what + "@" + std::to_string(written_.size()) + " "; }

  std::string next_line() {
    std::string line = "line " + std::to_string(written_.size()) + " ";
    return line + std::string(1 + (pick(4) == 0 ? pick(400) : pick(10)), static_cast<char>('a' + pick(26)));
  }

  void write_lines() {
    complete_line();
    for (std::size_t i = 1 + pick(5); i > 0; --i) {
      written_.push_back(next_line());
      etad_.files.write(writing_, written_.back() + "\n");
    }
    switch_over();
  }

  void write_part() {
    complete_line();
    const std::string line = next_line();
    const std::size_t cut = 1 + pick(line.size() - 1);
    written_.push_back(line);
    etad_.files.write(writing_, line.substr(0, cut));
    rest_ = line.substr(cut) + "\n";
  }

  void complete_line() {
    if (rest_.empty()) return;
    etad_.files.write(writing_, rest_);
    rest_.clear();
    switch_over();
  }

  // A renamed file is written to until the writer opens the new one; lines are never torn in two.
  void rename() {
    if (writing_ != kLog || !etad_.files.exists(kLog)) return;
    shift();
    etad_.files.rename(kLog, kLog + std::string(".1"));
    writing_ = kLog + std::string(".1");
    if (pick(2) == 0 || !etad_.files.exists(kLog)) etad_.files.create(kLog);
    if (rest_.empty()) switch_over();
  }

  void switch_over() {
    if (writing_ != kLog && rest_.empty() && pick(2) == 0) writing_ = kLog;
  }

  void copytruncate() {
    complete_line();
    if (writing_ != kLog || !etad_.files.exists(kLog)) return;
    shift();
    etad_.files.copy(kLog, kLog + std::string(".1"));
    etad_.files.truncate(kLog);
  }

  void remove() {
    complete_line();
    if (writing_ != kLog) return;
    read_all();
    etad_.files.remove(kLog);
    if (pick(2) == 0) etad_.poll();
  }

  void truncate() {
    complete_line();
    if (writing_ != kLog || !etad_.files.exists(kLog)) return;
    read_all();
    etad_.files.truncate(kLog);
  }

  // Twice: what was truncated may be being written anew, and is waited for.
  void read_all() {
    etad_.poll();
    etad_.poll();
  }

  void compress() {
    const std::string path = kLog + std::string(".") + std::to_string(1 + pick(4));
    if (!etad_.files.exists(path) || path == writing_) return;
    etad_.files.gzip(path, path + ".gz");
    if (pick(3) == 0) etad_.poll();
    etad_.files.remove(path);
  }

  void kill() {
    (void)etad_.follower->poll(etad_.now += std::chrono::seconds(11), etad_.wall, 1 + pick(5000));
    etad_.restart();
  }

  // logrotate's way: the oldest first.
  void shift() {
    for (int i = 40; i > 0; --i) {
      for (const std::string end : {"", ".gz"}) {
        const std::string from = kLog + std::string(".") + std::to_string(i) + end;
        if (etad_.files.exists(from))
          etad_.files.rename(from, kLog + std::string(".") + std::to_string(i + 1) + end);
      }
    }
  }

  std::mt19937 random_;
  Harness etad_;
  std::string writing_ = kLog;
  std::string rest_;
  std::vector<std::string> written_;
  std::string story_;
};

// Where two lists part, in a few words.
std::string difference(const std::vector<std::string>& got, const std::vector<std::string>& wanted) {
  std::size_t at = 0;
  while (at < got.size() && at < wanted.size() && got[at] == wanted[at]) ++at;
  const auto show = [at](const std::vector<std::string>& list) {
    return at < list.size() ? "\"" + list[at].substr(0, 40) + "\"" : "nothing";
  };
  return "line " + std::to_string(at) + " of " + std::to_string(wanted.size()) + " is " + show(got);
}

void live_many(unsigned first_seed, unsigned count, Options options, bool wide) {
  options.line_idle_limit = std::chrono::hours(10);  // or a line left open for long is two
  for (unsigned seed = first_seed; seed < first_seed + count / kOneCaseIn; ++seed) {
    RandomLife life(seed, options, wide);
    life.live(30);
    ASSERT_TRUE(life.etad().lines == life.written())
        << "seed " << seed << ": " << difference(life.etad().lines, life.written()) << "\n"
        << life.story();
    ASSERT_EQ(life.etad().lost, 0) << "seed " << seed << ": " << life.story();
  }
}

TEST(FollowingModel, ALogFollowedAlone) {
  live_many(1, 2000, {}, false);
}

TEST(FollowingModel, ALogAmongItsRotatedFiles) {
  live_many(100'000, 2000, {}, true);
}

TEST(FollowingModel, InSmallBatches) {
  Options options;
  options.batch_bytes = 1024;
  live_many(200'000, 500, options, false);
}

TEST(FollowingModel, WithDescriptorsClosedAtOnce) {
  Options options;
  options.close_after = std::chrono::milliseconds(0);
  live_many(300'000, 1500, options, false);
}

}  // namespace
}  // namespace etad::follow
