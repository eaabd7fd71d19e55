// What is answered with success is on the disk, also over a power cut.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>

#include "tests/daemon/temp_daemon.h"
#include "tests/daemon/temp_history.h"
#include "tests/places.h"
#include "tests/storage/faulty_vfs.h"

namespace etad {
namespace {

class AnsweredOnDisk : public TempDaemon {
 protected:
  AnsweredOnDisk() {
    start();
    for (const std::int64_t owner : {1001, 1002, 1003}) {
      service::ImportRequest request;
      request.name = "/" + std::to_string(owner) + ".log";
      request.owner = owner;
      request.modified = kToday;
      auto session = daemon_->begin_import(request).value();
      EXPECT_TRUE(session->feed("# " + request.name + "\n" + lenet_));
      EXPECT_TRUE(session->finish());
    }
  }
  ~AnsweredOnDisk() override { daemon_.reset(); }  // before the files that it writes by

  template <class Change>
  void expect_synced(const char* what, Change change) {
    const int before = syncs_;
    const auto done = change();
    ASSERT_TRUE(done) << what << ": " << done.error().text();
    EXPECT_GT(syncs_, before) << what;
  }

  std::atomic<int> syncs_{0};
  test::FaultyVfs vfs_{[this](test::Operation operation) {
    if (operation == test::Operation::sync) ++syncs_;
    return SQLITE_OK;
  }};
  const std::string lenet_ = content_of(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log");
};

TEST_F(AnsweredOnDisk, ALabelAndWhatIsForgotten) {
  expect_synced("label", [&] { return daemon_->label(1, {{"device", "K80"}}); });
  expect_synced("run", [&] { return daemon_->forget_run(1); });
  expect_synced("source", [&] { return daemon_->forget_source(2); });
  expect_synced("owner", [&] { return daemon_->forget_owner(1003); });
}

}  // namespace
}  // namespace etad
