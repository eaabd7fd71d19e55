#include "daemon/own_files.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

namespace etad {
namespace {

constexpr std::array<std::string_view, 4> kSuffixes = {"", "-wal", "-shm", "-journal"};

class OtherFiles final : public follow::FileSystem {
 public:
  OtherFiles(std::unique_ptr<follow::FileSystem> files, std::string database, Accounts accounts)
      : files_(std::move(files)), database_(std::move(database)), accounts_(std::move(accounts)) {}

  follow::OsResult<follow::FileStatus> status(const std::string& path) override {
    auto status = files_->status(path);
    if (status && status->type == follow::FileType::regular && seems_ours(*status))
      status->type = follow::FileType::other;
    return of_account(std::move(status));
  }
  follow::OsResult<void> list(const std::string& directory, const TakeEntry& take) override {
    look_in_ = 0;
    return files_->list(directory, take);
  }
  follow::OsResult<std::string> resolve(const std::string& path) override { return files_->resolve(path); }
  follow::OsResult<Handle> open(const std::string& path) override {
    const auto status = files_->status(path);
    look_in_ = 0;
    if (status && seems_ours(*status)) return tl::unexpected(EINVAL);
    return files_->open(path);
  }
  void close(Handle handle) override { files_->close(handle); }
  follow::OsResult<follow::FileStatus> status(Handle handle) override {
    return of_account(files_->status(handle));
  }
  follow::OsResult<std::size_t> read(Handle handle, std::int64_t offset, std::span<char> into) override {
    return files_->read(handle, offset, into);
  }
  std::int64_t next_data(Handle handle, std::int64_t offset) override {
    return files_->next_data(handle, offset);
  }
  std::chrono::nanoseconds spent() const override { return files_->spent(); }

 private:
  follow::OsResult<follow::FileStatus> of_account(follow::OsResult<follow::FileStatus> status) const {
    if (status && status->owner) status->owner = accounts_.of(*status->owner);
    return status;
  }

  // Ten thousand files at rest are asked for their status day and night, and nothing but a status hangs on an answer
  // that is a few looks old: what is opened is held against our files as they are then.
  bool seems_ours(const follow::FileStatus& status) {
    constexpr int kLooks = 64;
    if (look_in_-- <= 0) {
      look_in_ = kLooks;
      ours_.clear();
      for (const std::string_view suffix : kSuffixes) {
        struct stat found {};
        if (stat((database_ + std::string(suffix)).c_str(), &found) == 0)
          ours_.emplace_back(found.st_dev, found.st_ino);
      }
    }
    return std::find(ours_.begin(), ours_.end(), std::pair(status.device, status.inode)) != ours_.end();
  }

  std::unique_ptr<follow::FileSystem> files_;
  std::string database_;
  Accounts accounts_;
  std::vector<std::pair<decltype(follow::FileStatus::device), decltype(follow::FileStatus::inode)>> ours_;
  int look_in_ = 0;  // so many more statuses
};

}  // namespace

std::unique_ptr<follow::FileSystem> without_database(std::unique_ptr<follow::FileSystem> files,
                                                     std::string database, Accounts accounts) {
  return std::make_unique<OtherFiles>(std::move(files), std::move(database), std::move(accounts));
}

bool names_database(const std::string& pattern, const std::string& database) {
  return std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](std::string_view suffix) {
    return fnmatch(pattern.c_str(), (database + std::string(suffix)).c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
  });
}

}  // namespace etad
