// A log that is followed while it grows, and its network's models.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/refit.h"
#include "tests/daemon/followed_files.h"
#include "tests/daemon/refitted.h"
#include "tests/places.h"

namespace etad {

// Behind what a training displays of an iteration; a log of which several are told.
inline constexpr const char* kDisplayed = ", loss = ";
inline const std::string kExample = "lenet_b8_i5000_tb100_ti40.log";

class FollowedLog : public FollowedFiles {
 protected:
  FollowedLog() { start(); }

  void start() { start_ingest(usual_options()); }

  // What is appended is read and committed.
  void write(const std::string& name, std::string_view bytes) {
    append(name, bytes);
    wait();
  }

  // Reads what the network did before and fits its models.
  void fit_earlier_logs() {
    for (const char* earlier : {"lenet_b64_i500_tb100_ti50.log", "lenet_b32_i500_tb50_ti50.log",
                                "lenet_b8_i1000_tb32_ti20.log", "lenet_b128_i200_tb100_ti50.log"}) {
      write(earlier, example(earlier));
    }
    ASSERT_TRUE(refit_.run());
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

  Refit refit_ = refit_of(path(), *writer_, [this] { return wall_; });
};

}  // namespace etad
