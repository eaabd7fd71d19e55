// A log that is imported beside following, on a clock that the test moves and with what happens amid a read.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/importer.h"
#include "tests/daemon/followed_files.h"
#include "tests/places.h"

namespace etad {

// The real files, of owners that a test gives them; what it wants to happen in the middle of a poll happens at a read.
class WatchedFiles final : public follow::FileSystem {
 public:
  std::function<void()> at_next_read;
  std::map<std::string, std::int64_t> owners;  // by path

  follow::OsResult<follow::FileStatus> status(const std::string& path) override {
    return owned(real_->status(path), path);
  }
  follow::OsResult<void> list(const std::string& directory, const TakeEntry& take) override {
    return real_->list(directory, take);
  }
  follow::OsResult<std::string> resolve(const std::string& path) override { return real_->resolve(path); }
  follow::OsResult<Handle> open(const std::string& path) override {
    const auto handle = real_->open(path);
    if (handle) opened_[*handle] = path;
    return handle;
  }
  void close(Handle handle) override { real_->close(handle); }
  follow::OsResult<follow::FileStatus> status(Handle handle) override {
    return owned(real_->status(handle), opened_[handle]);
  }
  follow::OsResult<std::size_t> read(Handle handle, std::int64_t offset, std::span<char> into) override {
    const auto got = real_->read(handle, offset, into);
    if (into.size() > follow::kHeadBytes && at_next_read) std::exchange(at_next_read, nullptr)();
    return got;
  }
  std::int64_t next_data(Handle handle, std::int64_t offset) override {
    return real_->next_data(handle, offset);
  }
  std::chrono::nanoseconds spent() const override { return real_->spent(); }

 private:
  follow::OsResult<follow::FileStatus> owned(follow::OsResult<follow::FileStatus> status,
                                             const std::string& path) const {
    if (const auto owner = owners.find(path); status && owner != owners.end()) status->owner = owner->second;
    return status;
  }

  std::map<Handle, std::string> opened_;
  std::unique_ptr<follow::FileSystem> real_ = follow::posix_filesystem();
};

class ImportRaces : public FollowedFiles {
 protected:
  ImportRaces() {
    auto files = std::make_unique<WatchedFiles>();
    watched_ = files.get();
    files_ = std::move(files);
  }

  void set_modified(const std::string& name, Instant time) const {
    using FileTime = std::filesystem::file_time_type;
    std::filesystem::last_write_time(file(name), std::chrono::time_point_cast<FileTime::duration>(
                                                     std::chrono::file_clock::from_sys(time)));
  }

  std::unique_ptr<service::ImportSession> begin(const std::string& name, std::string_view content,
                                                std::optional<std::int64_t> owner = {}) {
    ImportOptions options;
    options.formats = shipped_formats();
    options.host = "gpu1";
    options.now = [this] { return wall_; };
    options.files = watched_;
    auto session =
        begin_log_import({name, "", {}, kToday, 0, owner}, std::move(options), *writer_, [] {}).value();
    const auto fed = session->feed(content);
    EXPECT_TRUE(fed) << fed.error().text();
    return session;
  }

  static void expect_already_read(service::ImportSession& import) {
    const auto report = import.finish();
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->already_read);
  }

  // The import ends amid the follower's first read of the file.
  void end_while_read(service::ImportSession& import) {
    watched_->at_next_read = [&] {
      const auto done = import.finish();
      EXPECT_TRUE(done) << done.error().text();
    };
    wait();
    EXPECT_EQ(watched_->at_next_read, nullptr);
  }

  void expect_once() {
    ASSERT_EQ(runs().size(), 1U);
    EXPECT_EQ(runs()[0].run.train.iterations, 500);
    EXPECT_EQ(reader_->segments(runs()[0].id, 0, 1000).value().size(), 16U);
    EXPECT_EQ(reader_->size().value().segments, 16);
  }

  std::string first_lines(std::string_view until) const {
    return lenet_.substr(0, lenet_.rfind('\n', lenet_.find(until)) + 1);
  }

  WatchedFiles* watched_ = nullptr;
  const std::string lenet_ = content_of(ETAD_EXAMPLES "/caffe/lenet_b64_i500_tb100_ti50.log");
};

}  // namespace etad
