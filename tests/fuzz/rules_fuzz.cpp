// Any text as a rule file: it loads or it is refused with reasons, and what loads can match anything.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "parsers/rules/format.h"
#include "tests/fuzz/line_mutator.h"
#include "tests/parsers/shipped_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// The shipped rule files, line by line.
etad::fuzz::KnownLines etad::fuzz::known_lines() {
  KnownLines words;
  for (const std::string& text : test::rule_file_texts())
    for (std::size_t at = 0; at < text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      words.lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  return words;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto format = etad::Format::load("fuzz.toml", text);
  if (!format) {
    if (format.error().empty()) std::abort();
    return 0;
  }
  etad::TimeContext context;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const etad::Event event = (*format)->match(line, context);
    if (event.values().size() > etad::Event::kMaxValues) std::abort();
    for (const etad::FieldValue& v : event.values()) static_cast<void>(event.number(v.field));
    static_cast<void>((*format)->recognises(line));
    at = end + 1;
  }
  return 0;
}
