// Trouble on its way to the operator's command, and that command itself: a real one, under the confinement.
#include "daemon/alerts.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <future>

#include "daemon/alert_command.h"
#include "daemon/confinement.h"
#include "tests/daemon/temp_history.h"
#include "tests/service/fixtures.h"

namespace {

bool small_pipes = false;  // as the kernel makes them for a user who has many

}  // namespace

// Stands before the C library's own, also in processes that are forked from here.
extern "C" int pipe2(int ends[2], int flags) noexcept {
  const int made = static_cast<int>(syscall(SYS_pipe2, ends, flags));
  if (made == 0 && small_pipes) fcntl(ends[1], F_SETPIPE_SZ, 4096);
  return made;
}

namespace etad {
namespace {

namespace json = boost::json;
using service::testing::kNow;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

RunRow failed_run() {
  RunRow row;
  row.id = 12;
  row.source = "/var/log/lenet.log";
  row.run = service::testing::lenet(0, RunState::failed, kNow);
  row.run.message = "out of memory";
  return row;
}

class AlertQueue : public testing::Test {
 protected:
  void start(std::int64_t per_hour, Result<void> outcome = {}) {
    alerts_ = std::make_unique<Alerts>(
        [this, outcome](const std::string& input) {
          taken_.push_back(json::parse(input).as_object());
          return outcome;
        },
        per_hour, "gpu1", [this] { return steady_; });
  }
  void post() {
    alerts_->post({RunEventKind::failed, row_, forecast_, "run 12 of LeNet failed: out of memory"}, kNow);
    alerts_->drain();
  }

  RunRow row_ = failed_run();
  prediction::RunForecast forecast_;
  Alerts::Steady steady_{hours{1}};
  std::vector<json::object> taken_;
  std::unique_ptr<Alerts> alerts_;
};

TEST_F(AlertQueue, TheCommandReadsWhatHappened) {
  start(10);
  post();
  ASSERT_EQ(taken_.size(), 1U);
  const json::object& alert = taken_[0];
  EXPECT_EQ(alert.at("event"), "failed");
  EXPECT_EQ(alert.at("message"), "run 12 of LeNet failed: out of memory");
  EXPECT_EQ(alert.at("host"), "gpu1");
  EXPECT_EQ(alert.at("source"), "/var/log/lenet.log");
  EXPECT_EQ(alert.at("at"), "2026-11-21T12:00:00Z");
  EXPECT_EQ(alert.at("dropped"), 0);
  EXPECT_EQ(alert.at("run").at("id"), 12);
  EXPECT_EQ(alert.at("run").at("network"), "LeNet");
  EXPECT_EQ(alerts_->counters().sent, 1);
}

TEST_F(AlertQueue, SoManyAnHourAndTheNextOneSaysHowManyWereDropped) {
  start(3);
  for (int i = 0; i < 10; ++i) post();
  EXPECT_EQ(taken_.size(), 3U);
  EXPECT_EQ(alerts_->counters().dropped, 7);
  steady_ += hours{1};
  post();
  ASSERT_EQ(taken_.size(), 4U);
  EXPECT_EQ(taken_[3].at("dropped"), 7);
}

TEST_F(AlertQueue, OneUsersManyDropNoneOfAnothers) {
  start(3);
  row_.owner = 1001;
  for (int i = 0; i < 10; ++i) post();
  EXPECT_EQ(taken_.size(), 3U);
  row_.owner = 1002;
  post();
  EXPECT_EQ(taken_.size(), 4U);
  row_.owner.reset();
  post();
  EXPECT_EQ(taken_.size(), 5U);
}

TEST_F(AlertQueue, ACommandThatTakesItsTimeHoldsNobodyUp) {
  std::promise<void> begun, go_on;
  Alerts alerts(
      [&, waiting = go_on.get_future().share(), first = true](const std::string&) mutable -> Result<void> {
        if (std::exchange(first, false)) begun.set_value();
        waiting.wait();
        return {};
      },
      1000, "gpu1", [this] { return steady_; });
  const RunEvent event{RunEventKind::failed, row_, forecast_, "failed"};
  alerts.post(event, kNow);
  begun.get_future().wait();
  for (std::size_t i = 0; i < 2 * Alerts::kMostWaiting; ++i) alerts.post(event, kNow);
  EXPECT_EQ(alerts.counters().dropped, static_cast<std::int64_t>(Alerts::kMostWaiting))
      << "the queue is bounded";
  row_.owner = 1001;
  alerts.post({RunEventKind::failed, row_, forecast_, "failed"}, kNow);
  go_on.set_value();
  alerts.drain();
  EXPECT_EQ(alerts.counters().sent, static_cast<std::int64_t>(Alerts::kMostWaiting) + 2) << "and another's";
}

TEST_F(AlertQueue, OwnersTakeTurns) {
  std::promise<void> begun, go_on;
  std::vector<std::string> order;
  Alerts alerts(
      [&, waiting = go_on.get_future().share(),
       first = true](const std::string& input) mutable -> Result<void> {
        if (std::exchange(first, false)) begun.set_value();
        waiting.wait();
        order.emplace_back(json::parse(input).as_object().at("message").as_string());
        return {};
      },
      1000, "gpu1", [this] { return steady_; });
  const auto post = [&](std::int64_t owner, const std::string& message) {
    row_.owner = owner;
    row_.run.message = message;
    alerts.post({RunEventKind::failed, row_, forecast_, message}, kNow);
  };
  post(1001, "first");
  begun.get_future().wait();
  for (int i = 0; i < 3; ++i) post(1001, "a");
  for (int i = 0; i < 2; ++i) post(1002, "b");
  post(1003, "c");
  go_on.set_value();
  alerts.drain();
  EXPECT_THAT(order, testing::ElementsAre("first", "a", "b", "c", "a", "b", "a"));
}

TEST_F(AlertQueue, ADefectInOneAlertIsCountedAndTheNextIsSent) {
  Alerts alerts(
      [first = true](const std::string&) mutable -> Result<void> {
        if (std::exchange(first, false)) throw std::bad_alloc();
        return {};
      },
      1000, "gpu1", [this] { return steady_; });
  for (int i = 0; i < 2; ++i) alerts.post({RunEventKind::failed, row_, forecast_, "failed"}, kNow);
  alerts.drain();
  EXPECT_EQ(alerts.counters().failed, 1);
  EXPECT_EQ(alerts.counters().sent, 1);
}

TEST_F(AlertQueue, AFailingCommandIsCounted) {
  start(10, fail("the command ended with status 1"));
  post();
  EXPECT_EQ(alerts_->counters().failed, 1);
}

TEST_F(AlertQueue, NoLogMakesAnAlertTooLarge) {
  for (int i = 0; i < 2000; ++i) row_.run.settings["key " + std::to_string(i)] = std::string(100, 'x');
  const std::string text = alert_json({RunEventKind::failed, row_, forecast_, "failed"}, kNow, "gpu1", 0);
  EXPECT_LE(text.size(), AlertCommand::kMostInput);
  EXPECT_EQ(json::parse(text).at("run").at("id"), 12);
}

class Command : public TempHistory {
 protected:
  // A script that is given `content` and the path of a file to write to as its argument.
  std::unique_ptr<AlertCommand> script(const std::string& content, milliseconds timeout = seconds{20}) {
    const auto path = folder_ / "alert";
    std::ofstream(path) << "#!/bin/sh\n" << content;
    chmod(path.c_str(), 0700);
    return AlertCommand::start({path.string(), out()}, timeout).value();
  }
  std::string out() const { return (folder_ / "out").string(); }
};

TEST_F(Command, GetsTheAlertOnItsStandardInput) {
  const auto command = script("cat >> \"$1\"\n");
  ASSERT_TRUE(command->run("one\n"));
  ASSERT_TRUE(command->run("two\n"));
  EXPECT_EQ(content_of(out()), "one\ntwo\n");
}

TEST_F(Command, RunsAlthoughTheDaemonMayExecuteAndWriteNothing) {
  const auto command = script("cat >> \"$1\"\n");
  const pid_t daemon = fork();
  if (daemon == 0) {
    std::filesystem::create_directory(folder_ / "ours");
    const auto confined = confine({(folder_ / "ours").string()});
    if (!confined) _exit(2);
    if (*confined && access("/bin/true", X_OK) == 0) {
      execl("/bin/true", "true", nullptr);  // refused, or the test would end here with 0
      if (errno != EACCES) _exit(3);
    }
    _exit(command->run("from the confinement\n") ? 7 : 1);
  }
  int status = 0;
  waitpid(daemon, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(content_of(out()), "from the confinement\n");
}

TEST_F(Command, IsKilledWithItsChildrenWhenItTakesTooLong) {
  const auto command = script("sleep 600 & echo $! > \"$1\"; wait\n", milliseconds{300});
  const auto done = command->run("{}");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("took too long"));
  const int child = static_cast<int>(syscall(SYS_pidfd_open, std::stoi(content_of(out())), 0U));
  pollfd end{child, POLLIN, 0};
  EXPECT_TRUE(child < 0 || poll(&end, 1, 10'000) == 1) << "what it started lives on";
  if (child >= 0) close(child);
  EXPECT_FALSE(command->run("{}")) << "and the next one is tried";
}

TEST_F(Command, ReadsAllOfAnAlertThatAPipeDoesNotTakeAtOnce) {
  small_pipes = true;
  std::string alert(AlertCommand::kMostInput - 1, 'x');
  alert += '\n';
  EXPECT_TRUE(script("cat > \"$1\"\n")->run(alert));
  EXPECT_TRUE(content_of(out()) == alert);
  EXPECT_TRUE(script("head -c 3 > \"$1\"\n")->run(alert)) << "also where it reads no more";
  const auto waiting = script("sleep 600\n", milliseconds{300})->run(alert);
  small_pipes = false;
  ASSERT_FALSE(waiting);
  EXPECT_THAT(waiting.error().message, HasSubstr("took too long"));
}

TEST_F(Command, SaysHowItFailed) {
  EXPECT_THAT(script("exit 3\n")->run("{}").error().message, HasSubstr("ended with status 3"));
  EXPECT_THAT(script("kill -9 $$\n")->run("{}").error().message, HasSubstr("killed by signal 9"));
  const auto missing = AlertCommand::start({"/nowhere/alert"}, seconds{5}).value()->run("{}");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("can't be executed: No such file"));
}

TEST_F(Command, ThatCanNotBeExecutedIsToldBeforeThereIsAnAlert) {
  EXPECT_TRUE(AlertCommand::check({"/bin/sh", "-c"}));
  const auto missing = AlertCommand::check({"/nowhere/alert", "a"});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text(),
              HasSubstr("/nowhere/alert: [alerts] command: it can't be executed: No such file"));
}

TEST_F(Command, HasNothingOfTheDaemons) {
  setenv("NOTIFY_SOCKET", "/run/systemd/notify", 1);
  const auto command = script("ls /proc/self/fd | wc -l > \"$1\"; echo \"[$NOTIFY_SOCKET]\" >> \"$1\"\n");
  unsetenv("NOTIFY_SOCKET");
  ASSERT_TRUE(command->run("{}"));
  EXPECT_EQ(content_of(out()), "4\n[]\n") << "the three, and the one ls opens";
}

}  // namespace
}  // namespace etad
