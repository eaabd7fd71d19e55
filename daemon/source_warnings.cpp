#include "daemon/source_warnings.h"

#include <utility>

namespace etad {

// What was left out is told with the first message after it.
bool SourceWarnings::may_write(MessageLimit::Owner owner, follow::SteadyTime now) {
  if (const auto left_out = limit_.take_left_out(owner, now)) write_(log::Level::warning, *left_out, {});
  return limit_.admits(owner, now);
}

void SourceWarnings::tell(const std::string& path, const std::string& text, follow::SteadyTime now) {
  if (may_write(owner_of_(path), now)) write_(log::Level::warning, text, path);
}

void SourceWarnings::look(const std::vector<follow::Status>& streams, const follow::Lookup& lookup,
                          follow::SteadyTime now) {
  for (const std::string& left_out : limit_.take_all_left_out(now)) write_(log::Level::warning, left_out, {});
  std::map<std::string, Told> before = std::exchange(told_, {});
  const auto change = [&](const std::string& path, const std::string& text) {
    const auto known = before.find(path);
    Told told = known == before.end() ? Told{{}, {}, owner_of_(path)} : std::move(known->second);
    const bool is_due = known == before.end() || now - told.at >= kOfOneFile;
    if (told.text != text && is_due) {
      if (may_write(told.owner, now)) {
        if (text.empty())
          write_(log::Level::info, path + ": no longer " + told.text, path);
        else
          write_(log::Level::warning, path + ": " + text, path);
      }
      told = {text, now, told.owner};
    }
    if (!told.text.empty() || !text.empty() || now - told.at < kOfOneFile) told_[path] = std::move(told);
    if (known != before.end()) before.erase(known);
  };
  for (const follow::Status& stream : streams)
    if (stream.state == follow::State::waiting) change(stream.path, stream.text);
  for (const auto* obstacles : {&lookup.unreadable, &lookup.unasked, &lookup.passed_over})
    for (const follow::Obstacle& each : *obstacles) change(each.path, each.text);
  while (!before.empty()) change(std::string(before.begin()->first), {});
}

}  // namespace etad
