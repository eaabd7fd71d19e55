// The copy of the history that a backup is sent from.
#include <fstream>

#include "tests/daemon/temp_daemon.h"

namespace etad {
namespace {

class BackupTest : public TempDaemon {};

TEST_F(BackupTest, ACopyThatAKilledDaemonLeftGoesAtTheNextStart) {
  start();
  const std::string copy = daemon_->backup().value();  // as of one that is killed before it is sent
  std::ofstream(folder_ / "history.db.backup-2026") << "a user's own";
  daemon_.reset();
  ASSERT_TRUE(std::filesystem::exists(copy));
  start();
  EXPECT_FALSE(std::filesystem::exists(copy));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "history.db.backup-2026"));
}

}  // namespace
}  // namespace etad
