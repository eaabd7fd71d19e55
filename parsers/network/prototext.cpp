#include "parsers/network/prototext.h"

#include <algorithm>

#include "parsers/base/text.h"

namespace etad {
namespace {

bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '+' || c == '-';
}

// The text between two quotes with its escapes undone. Octal and hexadecimal ones stay as written: the
// strings that matter here are names.
std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size();
    if (escaped && (text[i + 1] == '"' || text[i + 1] == '\'' || text[i + 1] == '\\')) ++i;
    out.push_back(text[i]);
  }
  return out;
}

}  // namespace

void PrototextReader::feed(std::string_view line, Sink& sink) {
  while (!line.empty()) {
    const char c = line.front();
    if (is_word(c)) {
      line = take_word(line, sink);
      continue;
    }
    if (c == '"' || c == '\'') {
      line = take_string(line, sink);
      continue;
    }
    line.remove_prefix(1);
    switch (c) {
      case '#':
        return;
      case ':':
        state_.wants_value = !state_.key.empty();
        break;
      case '{':
      case '<':
        open(sink);
        break;
      case '}':
      case '>':
        close(sink);
        break;
      case '[':
        state_.in_list = state_.wants_value;
        break;
      case ']':
        if (state_.in_list) state_.wants_value = state_.in_list = false;
        break;
      default:
        break;  // blanks, separators, and whatever else a log may hold
    }
  }
}

std::string_view PrototextReader::take_word(std::string_view text, Sink& sink) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_word);
  const auto length = static_cast<std::size_t>(end - text.begin());
  const std::string_view word = text.substr(0, length);
  if (state_.wants_value) {
    give(word, sink);
  } else {
    state_.key.assign(word.substr(0, kMaxKey));
  }
  return text.substr(length);
}

std::string_view PrototextReader::take_string(std::string_view text, Sink& sink) {
  const char quote = text.front();
  std::size_t end = 1;
  bool escapes = false;
  while (end < text.size() && text[end] != quote) {
    if (text[end] == '\\') {
      escapes = true;
      ++end;
    }
    ++end;
  }
  if (end >= text.size()) {  // cut within the string: what is there of it would be another name
    state_.wants_value = false;
    return {};
  }
  const std::string_view inner = text.substr(1, end - 1);
  if (state_.wants_value) {
    if (escapes) {
      give(unescape(inner), sink);
    } else {
      give(inner, sink);
    }
  }
  return text.substr(end + 1);
}

void PrototextReader::give(std::string_view value, Sink& sink) {
  if (readable()) sink.value(state_.path, state_.key, value);
  if (!state_.in_list) state_.wants_value = false;
}

void PrototextReader::open(Sink& sink) {
  const bool read = readable() && state_.path.size() < kMaxDepth && !state_.key.empty();
  if (read) {
    sink.open(state_.path, state_.key);
    state_.path.push_back(state_.key);
  }
  ++state_.depth;
  state_.key.clear();
  state_.wants_value = false;
}

void PrototextReader::close(Sink& sink) {
  if (state_.depth == 0) return;  // the text began in the middle of a message
  state_.key.clear();
  state_.wants_value = state_.in_list = false;
  if (readable()) {
    const std::string key = std::move(state_.path.back());
    state_.path.pop_back();
    sink.close(state_.path, key);
  }
  --state_.depth;
}

}  // namespace etad
