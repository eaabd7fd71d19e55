// A log that grows while the daemon's ingest follows it, on a clock that the test moves.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/follow/filesystem.h"
#include "daemon/ingest.h"
#include "tests/daemon/temp_history.h"

namespace etad {

class FollowedLog : public TempHistory {
 protected:
  FollowedLog() {
    std::filesystem::create_directory(folder_ / "logs");
    start();
  }

  // The ingest of a daemon that has just begun.
  void start() {
    ingest_.reset();
    follower_ = std::make_unique<follow::Follower>(
        *files_, nullptr, std::vector<follow::Watch>{{(folder_ / "logs/*.log").string()}});
    IngestOptions options;
    options.formats = shipped_formats();
    options.sources = {SourceRule{}};
    options.host = "gpu1";
    options.lost_after = std::chrono::hours(1);
    ingest_ = std::make_unique<Ingest>(std::move(options), *writer_, *follower_);
    const auto restored = ingest_->restore(wall_);
    ASSERT_TRUE(restored) << restored.error().text();
  }

  // What is appended is read and committed.
  void write(const std::string& name, std::string_view bytes) {
    std::ofstream(folder_ / "logs" / name, std::ios::binary | std::ios::app) << bytes;
    wait(std::chrono::minutes(1));
  }

  void wait(std::chrono::seconds time) {
    for (int i = 0; i < 12; ++i) {
      steady_ += time / 12;
      wall_ += time / 12;
      const auto ticked = ingest_->tick(steady_, wall_);
      ASSERT_TRUE(ticked) << ticked.error().text();
    }
  }

  RunRow newest() { return runs().at(0); }

  // The pieces of a log that end with a line in which `mark` is found, and what is behind the last of them.
  static std::vector<std::string> pieces(const std::string& log, std::string_view mark) {
    std::vector<std::string> out;
    std::size_t begin = 0;
    for (std::size_t at = log.find(mark); at != std::string::npos; at = log.find(mark, at)) {
      at = std::min(log.find('\n', at), log.size() - 1) + 1;
      out.push_back(log.substr(begin, at - begin));
      begin = at;
    }
    out.push_back(log.substr(begin));
    return out;
  }

  static std::string example(const std::string& name) {
    return content_of(std::filesystem::path(ETAD_EXAMPLES) / "caffe" / name);
  }

  std::unique_ptr<follow::FileSystem> files_ = follow::posix_filesystem();
  std::unique_ptr<follow::Follower> follower_;
  std::unique_ptr<Ingest> ingest_;
  follow::SteadyTime steady_{};
  // The files' own times are the machine's: what is followed is not older than they say.
  Instant wall_ = Instant(std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()));
};

}  // namespace etad
