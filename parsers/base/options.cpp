#include "parsers/base/options.h"

#include <algorithm>
#include <array>
#include <optional>

#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::size_t kLongestName = 48, kLongestValue = 64, kLongestInList = 256;

constexpr std::string_view kBlanksWithin = " \t", kSeparators = ":=|", kAroundValue = " \t,;|'\"";
constexpr std::string_view kBehindValue = " \t,;)]}|";  // in a list

// Parts of names that speak of another phase: "val.batch_size", "eval_batch_size". In the order of the alphabet.
constexpr std::array<std::string_view, 8> kOtherPhases = {"dev",  "eval", "infer", "inference",
                                                          "test", "val",  "valid", "validation"};

bool is_quote(char c) {
  return c == '\'' || c == '"';
}

// Code that computes: "batch_size=8 * 2048".
bool is_reckoned(std::string_view behind) {
  behind = trim(behind, kBlanksWithin);
  return !behind.empty() && (behind[0] == '*' || behind[0] == '/' || behind[0] == '+');
}

// The value at the head of `text`, without its quotes; what follows it ends the list's item. No value's end is looked for
// to the end of a long line, which may hold a name at every second byte.
std::string_view value_at(std::string_view text) {
  text = text.substr(0, kLongestInList);
  const bool quoted = !text.empty() && is_quote(text.front());
  const char quote = quoted ? text.front() : '\0';
  if (quoted) text.remove_prefix(1);
  const auto ends = [&](char c) { return quoted ? c == quote : kBehindValue.find(c) != kBehindValue.npos; };
  const auto end = std::find_if(text.begin(), text.end(), ends);
  if (quoted && end == text.end()) return {};
  const auto length = static_cast<std::size_t>(end - text.begin());
  if (!quoted && is_reckoned(text.substr(length))) return {};
  return text.substr(0, length);
}

// What stands between a name and its value in a list of options: "=", "': ", or a blank behind "--name"; nothing behind
// "--name" that has no value. Nullopt: the name is none of an option.
std::optional<std::size_t> separator(std::string_view behind, bool dashed, bool quoted) {
  if (quoted) {
    if (behind.size() < 3 || !is_quote(behind[0]) || behind[1] != ':') return {};
    return behind[2] == ' ' ? 3 : 2;
  }
  if (dashed && (behind.empty() || behind.starts_with(" -"))) return 0;
  if (behind.size() < 2) return {};
  if (behind[0] == '=' && behind[1] != '=') return 1;
  if (dashed && behind[0] == ' ') return behind.find_first_not_of(' ');
  return {};
}

// Options wherever they stand in the message.
bool visit_list(std::string_view message, const OptionVisitor& visit) {
  bool found = false;
  for (std::size_t at = 0; at < message.size();) {
    if (!is_letter(message[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < message.size() && is_in_option(message[end])) ++end;
    const bool dashed = at >= 2 && message[at - 1] == '-' && message[at - 2] == '-';
    const bool quoted = at >= 1 && is_quote(message[at - 1]);
    const std::string_view behind = message.substr(end);
    if (const auto between = separator(behind, dashed, quoted); between && *between <= behind.size()) {
      const std::string_view value = *between == 0 ? std::string_view() : value_at(behind.substr(*between));
      found |= visit(message.substr(at, end - at), value);
    }
    at = end;
  }
  return found;
}

// The message behind a logger's header, up to its "INFO": a format whose own lines have no header does not take it off.
std::string_view behind_level(std::string_view message) {
  constexpr std::string_view kLevel = "INFO";
  constexpr std::size_t kFar = 60;  // a stamp, and the logger's name
  const std::size_t at = message.substr(0, kFar).find(kLevel);
  return at == message.npos ? message : message.substr(at + kLevel.size());
}

// An option that is all of the message: "Batch size (per GPU): 64", "model ........ resnet18".
bool visit_alone(std::string_view message, const OptionVisitor& visit) {
  message = behind_level(message);
  while (!message.empty() && !is_letter(message.front())) message.remove_prefix(1);
  std::size_t end = 0;
  while (end < message.size() && (is_in_option(message[end]) || message[end] == ' ')) ++end;
  std::string_view name = message.substr(0, end), rest = message.substr(end);
  if (const std::size_t dots = name.find(".."); dots != name.npos) {
    rest = message.substr(std::min(message.find_first_not_of('.', dots), message.size()));
    name = name.substr(0, dots);
  } else {
    if (rest.starts_with('(')) rest.remove_prefix(std::min(rest.find(')'), rest.size() - 1) + 1);
    if (!rest.empty() && is_quote(rest.front())) rest.remove_prefix(1);
    rest = trim(rest, kBlanksWithin);
    if (rest.empty() || kSeparators.find(rest.front()) == kSeparators.npos) return false;
    rest.remove_prefix(1);
  }
  const std::string_view value = trim(rest, kAroundValue);
  const bool one_word = value.size() <= kLongestValue && value.find(' ') == value.npos;
  return one_word && !value.empty() && visit(trim(name, kBlanksWithin), value);
}

}  // namespace

bool visit_options(std::string_view message, const OptionVisitor& visit) {
  return visit_list(message, visit) || visit_alone(message, visit);
}

bool names_other_phase(std::string_view name) {
  const std::string plain = lower_case(name.substr(0, kLongestName));
  for (std::string_view rest = plain; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("_.- "), rest.size());
    if (is_one_of(kOtherPhases, rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string plain_option_name(std::string_view written) {
  std::string name = lower_case(written.substr(0, kLongestName));
  for (char& c : name)
    if (c == '-' || c == ' ') c = '_';
  std::size_t part = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && name[i] != '.') continue;
    if (i < name.size() && is_one_of(kOtherPhases, std::string_view(name).substr(part, i - part))) return {};
    if (i < name.size()) part = i + 1;
  }
  return name.substr(part);
}

}  // namespace etad
