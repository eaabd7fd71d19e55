// Files beside a followed log that say how its runs were started.
#include "daemon/follow/beside.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/daemon/followed_files.h"

namespace etad {
namespace {

constexpr const char* kLog =
    "epoch,time,train/box_loss,lr/pg0\n1,40.5,1.9,0.01\n2,71.5,1.8,0.01\n3,102.5,1.7,0.01\n";
constexpr const char* kArguments = "model: yolo11n.pt\nepochs: 50\nbatch: 16\ndevice:\n- 0\n- 1\n";

class FilesBeside : public FollowedFiles {
 protected:
  etad::Run follow() {
    IngestOptions options = usual_options();
    options.files = files_.get();
    start_ingest(std::move(options), "*.csv");
    append("results.csv", kLog);
    wait();
    const auto found = runs();
    EXPECT_EQ(found.size(), 1U);
    return found.at(0).run;
  }
  std::string text(const std::string& name = "args.yaml") {
    return follow::text_beside(*files_, file("results.csv").string(), name);
  }
};

TEST_F(FilesBeside, SayHowAFollowedRunWasStarted) {
  append("args.yaml", kArguments);
  const etad::Run run = follow();
  EXPECT_EQ(run.network, "yolo11n");
  EXPECT_EQ(run.devices, 2);
  EXPECT_EQ(run.max_iterations, 50);
  EXPECT_EQ(run.train.batch_size, 8);
}

TEST_F(FilesBeside, AreRememberedOverARestart) {
  append("args.yaml", kArguments);
  follow();
  std::filesystem::remove(file("args.yaml"));
  IngestOptions options = usual_options();
  options.files = files_.get();
  start_ingest(std::move(options), "*.csv");
  append("results.csv", "4,133.5,1.6,0.01\n");
  wait();
  ASSERT_EQ(runs().size(), 1U);
  EXPECT_EQ(runs()[0].run.iteration, 4);
  EXPECT_EQ(runs()[0].run.devices, 2);
}

TEST_F(FilesBeside, MayBeMissing) {
  EXPECT_EQ(follow().train.batch_size, std::nullopt);
}

TEST_F(FilesBeside, AreSmallRegularFiles) {
  append("results.csv", kLog);
  append("args.yaml", std::string(16 * 1024, 'x'));
  EXPECT_EQ(text().size(), 16U * 1024);
  append("args.yaml", "x");
  EXPECT_EQ(text(), "");
  std::filesystem::create_directory(file("folder"));
  EXPECT_EQ(text("folder"), "");
  std::filesystem::create_symlink("/dev/zero", file("zero"));
  EXPECT_EQ(text("zero"), "");
}

TEST_F(FilesBeside, AreTheWorkOfTheLogsOwner) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of others";
  constexpr uid_t kAda = 4711;
  constexpr uid_t kMallory = 4712;
  append("results.csv", kLog);
  append("args.yaml", kArguments);
  ASSERT_EQ(chown(file("results.csv").c_str(), kAda, kAda), 0);
  EXPECT_EQ(text(), kArguments) << "root's";
  ASSERT_EQ(chown(file("args.yaml").c_str(), kAda, kAda), 0);
  EXPECT_EQ(text(), kArguments);
  ASSERT_EQ(chown(file("args.yaml").c_str(), kMallory, kMallory), 0);
  EXPECT_EQ(text(), "");
  std::filesystem::rename(file("args.yaml"), file("ada.yaml"));
  ASSERT_EQ(chown(file("ada.yaml").c_str(), kAda, kAda), 0);
  std::filesystem::create_symlink("ada.yaml", file("args.yaml"));
  ASSERT_EQ(lchown(file("args.yaml").c_str(), kMallory, kMallory), 0);
  EXPECT_EQ(text(), "") << "by a link of somebody else's";
}

}  // namespace
}  // namespace etad
