// Files that the daemon's ingest follows while they grow, on a clock that the test moves.
#pragma once

#include <chrono>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/follow/filesystem.h"
#include "daemon/ingest.h"
#include "tests/daemon/temp_history.h"

namespace etad {

class FollowedFiles : public TempHistory {
 protected:
  FollowedFiles() { std::filesystem::create_directory(folder_ / "logs"); }

  std::filesystem::path file(const std::string& name) const { return folder_ / "logs" / name; }

  void append(const std::string& name, std::string_view bytes) const {
    std::ofstream(file(name), std::ios::binary | std::ios::app) << bytes;
  }

  static IngestOptions usual_options() {
    IngestOptions options;
    options.formats = shipped_formats();
    options.sources = {SourceRule{}};
    options.host = "gpu1";
    return options;
  }

  // A daemon's ingest, started on what the history holds; the one before it is gone without a word.
  void start_ingest(IngestOptions options, const std::string& pattern = "*.log", std::size_t tag = 0,
                    const follow::Options& following = {}) {
    ingest_.reset();
    follower_ = std::make_unique<follow::Follower>(
        *files_, nullptr, std::vector<follow::Watch>{{file(pattern).string(), tag, false}}, following);
    ingest_ = std::make_unique<Ingest>(std::move(options), *writer_, *follower_);
    const auto restored = ingest_->restore(wall_);
    ASSERT_TRUE(restored) << restored.error().text();
  }

  Result<bool> tick_after(std::chrono::seconds time) {
    now_ += time;
    wall_ += time;
    return ingest_->tick(now_, wall_);
  }

  // A dozen ticks, none of which fails.
  void wait(std::chrono::seconds time = std::chrono::minutes(1)) {
    for (int i = 0; i < 12; ++i) {
      const auto ticked = tick_after(time / 12);
      ASSERT_TRUE(ticked) << ticked.error().text();
    }
  }

  std::unique_ptr<follow::FileSystem> files_ = follow::posix_filesystem();
  std::unique_ptr<follow::Follower> follower_;
  std::unique_ptr<Ingest> ingest_;
  follow::SteadyTime now_{};
  // The files' own times are the machine's: what is followed is not older than they say.
  Instant wall_ = Instant(std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()));
};

}  // namespace etad
