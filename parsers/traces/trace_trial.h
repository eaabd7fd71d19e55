// Whether a file that no rule file recognises is a monitoring trace. A training log may print a monitor's
// figures before it begins; so a file is one only if it begins as a trace and goes on as one for a few lines.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "parsers/traces/trace.h"

namespace etad {

class TraceTrial {
 public:
  explicit TraceTrial(TraceOptions options) : options_(std::move(options)) {}

  // The file's next line. Gives the format's name once that is sure.
  std::string_view consider(std::string_view line, TimeContext time);

  // As far as the file goes: the format of a short one.
  std::string_view likely() const { return samples_ > 0 ? std::string_view(format_) : std::string_view(); }

  bool over() const { return over_; }  // it is none
  void give_up();

 private:
  static constexpr int kSure = 3;  // lines with samples

  void begin(std::string_view line);

  TraceOptions options_;
  std::string format_;
  std::unique_ptr<TraceReader> reader_;
  int samples_ = 0;
  bool over_ = false;
};

}  // namespace etad
