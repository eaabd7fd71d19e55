// What the command line of a log's process says: which processes count, what they agree on, and when they are
// looked for.
#include "daemon/command_line.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <deque>

#include "daemon/command_line_watch.h"
#include "daemon/config.h"
#include "daemon/confinement.h"
#include "tests/daemon/followed_files.h"

namespace etad {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

struct FakeProcess {
  std::string command_line;
  std::vector<ProcessTable::OpenFile> files;
  bool closed = false;  // to us
};

class FakeProcessTable final : public ProcessTable {
 public:
  std::map<int, FakeProcess> all;
  std::map<std::pair<int, int>, std::string> same;  // (pid, fd): the path that it is in our eyes
  int walks = 0;

  std::vector<int> processes() override {
    ++walks;
    std::vector<int> out;
    for (const auto& [pid, process] : all) out.push_back(pid);
    return out;
  }
  std::optional<std::vector<OpenFile>> open_files(int pid, std::size_t most) override {
    const FakeProcess& process = all.at(pid);
    if (process.closed) return std::nullopt;
    auto files = process.files;
    files.resize(std::min(files.size(), most));
    return files;
  }
  bool is_file(int pid, int fd, const std::string& path) override {
    const auto found = same.find({pid, fd});
    return found != same.end() && found->second == path;
  }
  std::string command_line(int pid) override { return all.at(pid).command_line; }
};

CommandLinePatterns usual_patterns() {
  return CommandLinePatterns::compile({R"(--batch[-_]size[= ](?P<batch_size>\d+))",
                                       R"((?:^| )-b ?(?P<batch_size>\d+)(?: |$))",
                                       R"((?:--arch|-a)[= ](?P<network>\w+))"})
      .value();
}

class CommandLines : public testing::Test {
 protected:
  struct Finding {
    std::map<std::string, std::string> labels;
    int lines = 0;
  };
  Finding find(const std::string& log) {
    Finding out;
    AgreedLabels said;
    counts_ = read_command_lines(table_, {log}, [&](std::size_t, const std::string& line) {
      said.add(usual_patterns().labels(line));
      ++out.lines;
    });
    out.labels = said.take();
    return out;
  }
  FakeProcessTable table_;
  ProcessCounts counts_;
};

TEST_F(CommandLines, TheProcessThatWritesTheLogTells) {
  table_.all[10] = {"python main.py -a resnet50 --batch_size=64 /data", {{1, "/log/a.log", true}}};
  table_.all[11] = {"python main.py --batch-size 128", {{1, "/log/b.log", true}}};
  table_.all[12] = {"tail -b 7 /log/a.log", {{3, "/log/a.log", false}}};
  table_.same[{10, 1}] = "/log/a.log";
  table_.same[{11, 1}] = "/log/b.log";
  const auto found = find("/log/a.log");
  EXPECT_EQ(found.lines, 1);
  EXPECT_THAT(found.labels, UnorderedElementsAre(Pair("batch_size", "64"), Pair("network", "resnet50")));
  EXPECT_THAT(find("/log/b.log").labels, UnorderedElementsAre(Pair("batch_size", "128")));
  EXPECT_THAT(find("/log/c.log").labels, IsEmpty());
}

TEST_F(CommandLines, BehindTeeItIsTheOneThatFeedsThePipe) {
  table_.all[10] = {"python main.py -b 32", {{1, "pipe:[99]", true}, {2, "pipe:[99]", true}}};
  table_.all[11] = {"tee /log/a.log", {{0, "pipe:[99]", false}, {3, "/log/a.log", true}}};
  table_.all[12] = {"python other.py -b 16", {{1, "pipe:[100]", true}}};
  table_.same[{11, 3}] = "/log/a.log";
  EXPECT_THAT(find("/log/a.log").labels, ElementsAre(Pair("batch_size", "32")));
}

TEST_F(CommandLines, WhatTwoOfThemSayDifferentlyIsNotTaken) {
  table_.all[10] = {"worker -b 32 -a vgg16", {{1, "/log/a.log", true}}};
  table_.all[11] = {"worker -b 64 -a vgg16", {{1, "/log/a.log", true}}};
  table_.same[{10, 1}] = table_.same[{11, 1}] = "/log/a.log";
  EXPECT_THAT(find("/log/a.log").labels, ElementsAre(Pair("network", "vgg16")));
}

TEST_F(CommandLines, AContainerCallsTheFileByAnotherPath) {
  table_.all[10] = {"train -b 8", {{1, "/logs/a.log", true}}};
  table_.all[11] = {"train -b 9", {{1, "/else/a.log", true}}};
  table_.same[{10, 1}] = "/srv/volumes/7/a.log";
  EXPECT_THAT(find("/srv/volumes/7/a.log").labels, ElementsAre(Pair("batch_size", "8")));
}

TEST_F(CommandLines, AnotherFileOfTheSamePathTellsNothingOfTheLog) {
  table_.all[10] = {"train -b 8", {{1, "/log/a.log", true}}};
  table_.all[11] = {"unshare -b 9999", {{1, "/log/a.log", true}}};  // in a mount namespace of its own
  table_.same[{10, 1}] = "/log/a.log";
  const auto found = find("/log/a.log");
  EXPECT_EQ(found.lines, 1);
  EXPECT_THAT(found.labels, ElementsAre(Pair("batch_size", "8")));
}

TEST_F(CommandLines, ThoseThatMayNotBeLookedIntoAreCounted) {
  table_.all[10] = {"train -b 8", {{1, "/log/a.log", true}}, true};
  table_.all[11] = {"sh", {}};
  EXPECT_EQ(find("/log/a.log").lines, 0);
  EXPECT_EQ(counts_.seen, 2U);
  EXPECT_EQ(counts_.closed, 1U);
}

TEST_F(CommandLines, AValueOfNoLabelsLengthIsNone) {
  table_.all[10] = {"train -b 8 --arch " + std::string(60'000, 'x'), {{1, "/log/a.log", true}}};
  table_.same[{10, 1}] = "/log/a.log";
  EXPECT_THAT(find("/log/a.log").labels, ElementsAre(Pair("batch_size", "8")));
}

TEST_F(CommandLines, PatternsAreCheckedWithTheConfiguration) {
  const auto parsed = [](const std::string& patterns) {
    return parse_config("etad.toml", "[command_line]\npatterns = " + patterns);
  };
  EXPECT_TRUE(parse_config("etad.toml", "").value().command_line.patterns.empty()) << "off by default";
  EXPECT_TRUE(parsed(R"(['-b (?P<batch_size>\d+)', '--gpus (?P<gpus>[\d,]+)'])"));
  for (const char* wrong : {R"(['-b (\d+)'])", R"(['-b (?P<batch_size>\d+'])", R"(['-l (?P<loss>\d+)'])",
                            R"(['-x (?P<colour>\d+)'])"}) {
    const auto config = parsed(wrong);
    ASSERT_FALSE(config) << wrong;
    EXPECT_EQ(config.error().front().where, "etad.toml:2");
  }
}

// The real table, asked about this very process.
TEST(ProcProcessTable, ShowsAnOpenFileAndTheCommandLine) {
  std::string path = (std::filesystem::temp_directory_path() / "etad-proc-XXXXXX").string();
  const int writing = mkstemp(path.data());
  const int reading = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto table = proc_process_table();
  EXPECT_THAT(table->processes(), testing::Contains(getpid()));
  const auto files = table->open_files(getpid(), 1000);
  ASSERT_TRUE(files);
  int seen = 0;
  for (const auto& file : *files) {
    if (file.fd != writing && file.fd != reading) continue;
    ++seen;
    EXPECT_EQ(file.target, path);
    EXPECT_EQ(file.writable, file.fd == writing);
    EXPECT_TRUE(table->is_file(getpid(), file.fd, path));
    EXPECT_FALSE(table->is_file(getpid(), file.fd, "/"));
  }
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(table->open_files(getpid(), 1)->size(), 1U);
  EXPECT_THAT(table->command_line(getpid()), HasSubstr("daemon_tests"));
  EXPECT_FALSE(table->open_files(1 << 30, 10));
  EXPECT_EQ(table->command_line(1 << 30), "");
  close(writing);
  close(reading);
  unlink(path.c_str());
}

// What the reading process has told by now of what it was asked for; waits for its last word.
std::vector<CommandLineReader::Part> answer_of(CommandLineReader& reader) {
  std::vector<CommandLineReader::Part> out;
  while (out.empty() || !out.back().last) {
    pollfd more{reader.descriptor(), POLLIN, 0};
    if (poll(&more, 1, 120'000) != 1) break;
    auto part = reader.take();
    if (!part) break;
    if (*part) out.push_back(std::move(**part));
  }
  return out;
}

std::unique_ptr<FakeProcessTable> table_of_two() {
  auto table = std::make_unique<FakeProcessTable>();
  table->all[10] = {"train -b 8", {{1, "/log/a.log", true}}};
  table->all[11] = {std::string(ProcessTable::kLongestCommandLine, 'x'), {{1, "/log/b.log", true}}};
  table->same[{10, 1}] = "/log/a.log";
  table->same[{11, 1}] = "/log/b.log";
  return table;
}

TEST(ReadingProcess, TellsEachCommandLineAndItsEnd) {
  const auto reader = CommandLineReader::start(table_of_two()).value();
  ASSERT_EQ(reader->ask({"/log/a.log", "/log/none.log", "/log/b.log"}).value(), 3U);
  const auto told = answer_of(*reader);
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].log, 0U);
  EXPECT_EQ(told[0].command_line, "train -b 8");
  EXPECT_EQ(told[1].log, 2U);
  EXPECT_EQ(told[1].command_line, std::string(ProcessTable::kLongestCommandLine, 'x'));
  EXPECT_EQ(told[2].processes, 2U);
  EXPECT_EQ(told[2].closed, 0U);
}

TEST(ReadingProcess, TakesOfManyLogsAsManyAsARequestHolds) {
  const auto reader = CommandLineReader::start(table_of_two()).value();
  std::vector<std::string> logs(100, "/" + std::string(4000, 'x'));
  logs.front() = "/log/a.log";
  const std::size_t taken = reader->ask(logs).value();
  EXPECT_GE(taken, 16U);
  EXPECT_LT(taken, 100U);
  EXPECT_EQ(answer_of(*reader).front().command_line, "train -b 8");
}

TEST(ReadingProcess, TellsNothingOfWhatWasAskedForBefore) {
  const auto reader = CommandLineReader::start(table_of_two()).value();
  ASSERT_TRUE(reader->ask({"/log/b.log"}));
  ASSERT_TRUE(reader->ask({"/log/a.log"}));
  const auto told = answer_of(*reader);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].command_line, "train -b 8");
}

TEST(ReadingProcess, HasEnoughToDoWhereNobodyTakesWhatItTells) {
  const auto reader = CommandLineReader::start(table_of_two()).value();
  int asked = 0;
  while (asked < 100'000 && reader->ask({"/log/b.log"}).value() > 0) ++asked;
  ASSERT_LT(asked, 100'000) << "what it is asked for does not pile up";
  while (reader->ask({"/log/a.log"}).value() == 0)
    EXPECT_FALSE(reader->take().value()) << "all of it is of before";
  EXPECT_EQ(answer_of(*reader).front().command_line, "train -b 8");
}

// Started before, it sees what the confined daemon does not.
TEST(ReadingProcess, SeesProcessesAlthoughTheDaemonIsConfined) {
  std::string path = (std::filesystem::temp_directory_path() / "etad-writer-XXXXXX").string();
  const int log = mkstemp(path.data());
  const auto reader = CommandLineReader::start(proc_process_table()).value();
  const pid_t daemon = fork();
  if (daemon == 0) {
    const auto confined = confine({});
    if (!confined || !*confined) _exit(confined ? 77 : 1);
    if (proc_process_table()->open_files(getppid(), 10)) _exit(2);
    if (reader->ask({path}).value() != 1) _exit(3);
    const auto told = answer_of(*reader);
    const bool seen = !told.empty() && told.front().command_line.find("daemon_tests") != std::string::npos;
    _exit(seen ? 0 : 4);
  }
  int status = 0;
  waitpid(daemon, &status, 0);
  close(log);
  unlink(path.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Asks about itself, as its log would: what it may still do.
class CuriousTable final : public ProcessTable {
 public:
  std::vector<int> processes() override { return {1}; }
  std::optional<std::vector<OpenFile>> open_files(int, std::size_t) override {
    return std::vector<OpenFile>{{1, "/log/a.log", true}};
  }
  bool is_file(int, int, const std::string&) override { return true; }
  std::string command_line(int) override {
    std::string out = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? "gains nothing," : "";
    const std::string file = (std::filesystem::temp_directory_path() / "etad-curious").string();
    const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    std::signal(SIGXFSZ, SIG_IGN);
    out += write(fd, "x", 1) < 0 ? " writes nothing," : "";
    unlink(file.c_str());
    int files = 0;
    for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) ++files;
    return out + " has " + std::to_string(files - 1) + " descriptors";
  }
};

TEST(ReadingProcess, HasNothingOfTheDaemonsAndWritesNothing) {
  const auto reader = CommandLineReader::start(std::make_unique<CuriousTable>()).value();
  ASSERT_TRUE(reader->ask({"/log/a.log"}));
  const auto told = answer_of(*reader);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].command_line, "gains nothing, writes nothing, has 5 descriptors")
      << "the three, its socket, and the file just tried";
}

// A log that does not say its batch size, followed while a process writes it.
class FollowedCommandLine : public FollowedFiles {
 protected:
  FollowedCommandLine() {
    wall_ = kToday;
    start();
  }

  void start() {
    IngestOptions options = usual_options();
    options.tell_begun_runs = true;
    options.lost_after = std::chrono::hours(24 * 3650);  // the files are of today, this clock is not
    start_ingest(std::move(options));
  }

  std::string log() const { return file("train.log").string(); }

  // One epoch of PyTorch's ImageNet example.
  void write(int from, int to) const {
    std::ofstream out(log(), std::ios::app);
    for (int i = from; i < to; i += 10)
      out << "Epoch: [0][" << i
          << "/1000]\tTime  0.250 ( 0.260)\tData  0.010 ( 0.012)\tLoss 6.9e+00 (6.9e+00)\n";
  }

  // A few rounds of the ingest thread. How many of them labelled a run.
  int rounds(int n = 4) {
    int labelled = 0;
    for (int i = 0; i < n; ++i) {
      EXPECT_TRUE(tick_after(seconds(5)));
      labelled += watch_.look(ingest_->take_begun_runs(), now_) ? 1 : 0;
    }
    return labelled;
  }

  // In this process, so that a test may change the table; its answer is there at once.
  class TableReader final : public CommandLineReader {
   public:
    explicit TableReader(ProcessTable& table) : table_(table) {}
    Result<std::size_t> ask(const std::vector<std::string>& logs) override {
      if (dead) return fail("gone", "restart etad");
      const auto counts = read_command_lines(table_, logs, [&](std::size_t log, const std::string& line) {
        told_.push_back({log, line, false, 0, 0, {}});
      });
      told_.push_back({0, "", true, counts.seen, counts.closed, spent});
      return logs.size();
    }
    Result<std::optional<Part>> take() override {
      if (dead) return fail("gone", "restart etad");
      if (told_.empty() || silent) return std::optional<Part>();
      std::optional<Part> out = std::move(told_.front());
      told_.pop_front();
      return out;
    }
    int descriptor() const override { return -1; }
    bool dead = false, silent = false;
    std::chrono::microseconds spent{};

   private:
    ProcessTable& table_;
    std::deque<Part> told_;
  };

  FakeProcessTable table_;
  TableReader reading_{table_};
  CommandLineWatch watch_{usual_patterns(), &reading_, *writer_};
};

TEST_F(FollowedCommandLine, GivesARunWhatItsLogLacks) {
  table_.all[10] = {"python main.py -a resnet50 -b 64", {{1, log(), true}}};
  table_.same[{10, 1}] = log();
  write(0, 50);
  EXPECT_EQ(rounds(), 1);
  const RunRow row = runs().at(0);
  EXPECT_EQ(row.run.train.batch_size, 64);
  EXPECT_EQ(row.run.network, "resnet50");
  EXPECT_EQ(row.label_origins.at("batch_size"), "command line");
  // The run goes on, the daemon restarts, the process is gone: the value stays, and nobody looks again and
  // again.
  const int walks = table_.walks;
  write(50, 100);
  rounds();
  EXPECT_EQ(table_.walks, walks);
  table_.all.clear();
  start();
  write(100, 200);
  rounds();
  EXPECT_EQ(table_.walks, walks + 1);
  EXPECT_EQ(runs().at(0).run.train.batch_size, 64);
  EXPECT_FALSE(reader_->segments(runs().at(0).id, 0, 100).value().empty());
  EXPECT_EQ(reader_->segments(runs().at(0).id, 0, 100).value().back().samples_per_iteration, 64);
}

TEST_F(FollowedCommandLine, AProcessThatCanNotBeSeenIsToldOnce) {
  table_.all[10] = {"python main.py -b 64", {{1, log(), true}}, true};
  write(0, 50);
  EXPECT_EQ(rounds(), 0);
  const auto notice = watch_.take_notice();
  ASSERT_TRUE(notice);
  EXPECT_THAT(*notice, HasSubstr("of 1 processes 1 may not be looked into"));
  std::filesystem::copy_file(log(), file("again.log"));
  rounds();
  EXPECT_FALSE(watch_.take_notice());
  EXPECT_FALSE(runs().at(0).run.train.batch_size);
}

TEST_F(FollowedCommandLine, IsLookedForAtMostEveryTwoSeconds) {
  EXPECT_FALSE(watch_.look({{"/a.log", 1, 0}}, now_));
  EXPECT_FALSE(watch_.look({{"/b.log", 2, 0}}, now_));
  EXPECT_FALSE(watch_.look({}, now_ + seconds(1)));
  EXPECT_EQ(table_.walks, 1);
  EXPECT_FALSE(watch_.look({}, now_ + seconds(2)));
  EXPECT_EQ(table_.walks, 2);
  watch_.look({}, now_ + seconds(60));
  EXPECT_FALSE(watch_.look({}, now_ + seconds(120)));
  EXPECT_EQ(table_.walks, 2) << "nothing waits";
}

TEST_F(FollowedCommandLine, AWalkThatTakesLongIsNotWaitedForAndFollowedByALongerRest) {
  reading_.silent = true;
  reading_.spent = seconds(100);
  EXPECT_FALSE(watch_.look({{"/a.log", 1, 0}}, now_));
  EXPECT_FALSE(watch_.look({{"/b.log", 2, 0}}, now_ + seconds(59)));
  EXPECT_FALSE(watch_.take_notice());
  EXPECT_FALSE(watch_.look({}, now_ + seconds(60)));
  EXPECT_THAT(watch_.take_notice().value(), HasSubstr("has not ended for a minute"));
  EXPECT_EQ(table_.walks, 1) << "one at a time";
  reading_.silent = false;
  watch_.look({}, now_ + seconds(100));
  watch_.take_notice();
  watch_.look({}, now_ + seconds(100) + seconds(1'199));
  EXPECT_EQ(table_.walks, 1);
  watch_.look({}, now_ + seconds(100) + seconds(1'200));
  EXPECT_EQ(table_.walks, 2);
}

TEST_F(FollowedCommandLine, AReadingProcessThatIsGoneIsToldOnce) {
  table_.all[10] = {"python main.py -b 64", {{1, log(), true}}};
  table_.same[{10, 1}] = log();
  reading_.dead = true;
  write(0, 50);
  EXPECT_EQ(rounds(), 0);
  EXPECT_EQ(watch_.take_notice(), "gone (restart etad)");
  EXPECT_FALSE(watch_.wanted()) << "nothing is waited for any more";
  EXPECT_EQ(rounds(), 0);
  EXPECT_FALSE(watch_.take_notice());
  EXPECT_EQ(runs().size(), 1U);
}

}  // namespace
}  // namespace etad
