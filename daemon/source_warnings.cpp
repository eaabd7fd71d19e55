#include "daemon/source_warnings.h"

#include <utility>

namespace etad {

// What was left out is told with the first message after it.
bool SourceWarnings::may_write(follow::SteadyTime now) {
  if (const std::size_t many = limit_.take_left_out(now); many > 0)
    write_(log::Level::warning,
           std::to_string(many) + " messages about files were left out: `etactl sources` tells all", {});
  return limit_.admits(now);
}

void SourceWarnings::tell(const std::string& text, follow::SteadyTime now) {
  if (may_write(now)) write_(log::Level::warning, text, {});
}

void SourceWarnings::look(const std::vector<follow::Status>& streams, follow::SteadyTime now) {
  std::map<std::string, Told> before = std::exchange(told_, {});
  const auto change = [&](const std::string& path, const std::string& text) {
    const auto known = before.find(path);
    Told told = known == before.end() ? Told{} : std::move(known->second);
    const bool is_due = known == before.end() || now - told.at >= kOfOneFile;
    if (told.text != text && is_due) {
      if (may_write(now)) {
        if (text.empty())
          write_(log::Level::info, path + ": no longer " + told.text, path);
        else
          write_(log::Level::warning, path + ": " + text, path);
      }
      told = {text, now};
    }
    if (!told.text.empty() || !text.empty() || now - told.at < kOfOneFile) told_[path] = std::move(told);
    if (known != before.end()) before.erase(known);
  };
  for (const follow::Status& stream : streams)
    if (stream.state == follow::State::waiting) change(stream.path, stream.text);
  while (!before.empty()) change(std::string(before.begin()->first), {});
}

}  // namespace etad
