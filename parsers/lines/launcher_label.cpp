#include "parsers/lines/launcher_label.h"

#include <algorithm>
#include <array>

#include "parsers/base/hash.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::size_t kLongest = 96;
constexpr int kMostLabels = 3;

// Every line's first word is looked at.
constexpr auto kNames = [] {
  std::array<bool, 256> names{};
  for (unsigned c = 0; c < names.size(); ++c)
    names[c] =
        is_digit(static_cast<char>(c)) || is_letter(static_cast<char>(c)) || c == '-' || c == '_' || c == '.';
  return names;
}();

bool is_name(char c) {
  return kNames[static_cast<unsigned char>(c)];
}

std::size_t blanks_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] == ' ') ++end;
  return end - at;
}

struct Label {
  std::string_view who;
  std::size_t length = 0;
  bool certain = true;
};

// "[rank0]:", "[default0]:", "[1,0]<stdout>:" (and what SageMaker adds in the brackets), "[pod/a/b] ", and Open MPI
// 5's "[prterun-host-71@1,0]<stdout>: ". A role of torchrun's that somebody named ("[trainer0]:") may be a program's
// own words as well.
std::optional<Label> bracketed(std::string_view line) {
  const std::size_t close = line.substr(0, kLongest).find(']');
  if (close == std::string_view::npos || close < 2) return {};
  const std::string_view inside = line.substr(1, close - 1);
  const std::string_view rest = line.substr(close + 1);
  const std::size_t word = letters_at(inside, 0);
  if (word > 0 && word < inside.size() && word + digits_at(inside, word) == inside.size()) {
    if (!rest.starts_with(':')) return {};
    const std::string_view role = inside.substr(0, word);
    return Label{inside, close + 2 + blanks_at(rest, 1), role == "rank" || role == "default"};
  }
  if (inside.starts_with("pod/") && rest.starts_with(' ')) return Label{inside, close + 2};
  const bool has_job = inside.find('@') != std::string_view::npos;
  if (!has_job && !is_digit(inside.front())) return {};
  for (const std::string_view stream : {std::string_view("<stdout>:"), std::string_view("<stderr>:")}) {
    if (!rest.starts_with(stream)) continue;
    const std::size_t blank = has_job && rest.substr(stream.size()).starts_with(' ') ? 1 : 0;
    return Label{inside, close + 1 + stream.size() + blank};
  }
  return {};
}

// "(pid=71) ", "(Worker(3) pid=71, ip=10.0.0.2) ".
std::optional<Label> of_ray(std::string_view line) {
  const std::string_view head = line.substr(0, kLongest);
  const std::size_t pid = head.find("pid=");
  if (pid == std::string_view::npos || pid < 1 || (head[pid - 1] != '(' && head[pid - 1] != ' ')) return {};
  const std::size_t close = head.find(')', pid);
  const std::size_t digits = digits_at(head, pid + 4);
  if (close == std::string_view::npos || digits == 0) return {};
  const std::string_view behind = head.substr(pid + 4 + digits, close - pid - 4 - digits);
  if (!behind.empty() && !behind.starts_with(", ip=")) return {};
  return Label{head.substr(pid, close - pid), close + 1 + (blanks_at(line, close + 1) > 0 ? 1U : 0U)};
}

// "trainer-1  | ", "node-3: ", "10.0.0.2: ", "localhost: ", "12: ", and a container's own name, "trainer  | ".
std::optional<Label> named(std::string_view line) {
  std::size_t end = 0;
  const std::size_t most = std::min(line.size(), kLongest);
  while (end < most && is_name(line[end])) ++end;
  if (end == 0 || end == most || (line[end] != ':' && line[end] != ' ')) return {};
  const std::string_view who = line.substr(0, end);
  const bool numbered = is_digit(who.back());
  if ((numbered || who == "localhost") && line.substr(end).starts_with(": "))
    return Label{who, end + 2, false};
  const std::size_t bar = end + blanks_at(line, end);
  if (bar == end || !line.substr(bar).starts_with("| ")) return {};
  const std::size_t number = who.find_last_not_of("0123456789");
  const bool replica = numbered && number != std::string_view::npos && number > 0 &&
                       (who[number] == '-' || who[number] == '_');
  // Such a name is padded by one blank at least.
  if (!replica && (bar < end + 2 || is_digit(who.front()))) return {};
  return Label{who, bar + 2, replica};
}

// Nearly no line has one, and most show so by what stands behind their first word.
bool may_have_label(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end && is_name(*at)) ++at;
  if (at == end) return false;
  if (at == line.data()) return *at == ' ' || *at == '[' || *at == '(';
  while (at != end && *at == ' ') ++at;
  return at != end && (*at == ':' || *at == '|');
}

std::optional<Label> label(std::string_view line) {
  const std::size_t blanks = blanks_at(line, 0);
  if (blanks == line.size()) return {};
  // Only srun pads what it writes.
  if (blanks > 0) {
    const std::size_t digits = digits_at(line, blanks);
    if (digits == 0 || !line.substr(blanks + digits).starts_with(": ")) return {};
    return Label{line.substr(blanks, digits), blanks + digits + 2, false};
  }
  if (line.front() == '[') return bracketed(line);
  if (line.front() == '(') return of_ray(line);
  return named(line);
}

std::uint64_t speaker(std::uint64_t hash) {
  return (hash & 0x7fffffffffffffffU) | 1U;
}

[[gnu::noinline]] std::optional<LauncherLabel> labels(std::string_view line) {
  auto found = label(line);
  if (!found) return {};
  LauncherLabel out;
  out.certain = found->certain;
  std::uint64_t hash = fnv1a({});
  // Behind a label that is certain a number and a colon are the program's.
  for (int i = 0; i < kMostLabels && found && (i == 0 || !out.certain || found->certain); ++i) {
    hash = fnv1a(found->who, hash);
    out.length += found->length;
    line.remove_prefix(found->length);
    found = label(line);
  }
  out.speaker = speaker(hash);
  return out;
}

}  // namespace

std::optional<LauncherLabel> launcher_label(std::string_view line) {
  return may_have_label(line) ? labels(line) : std::nullopt;
}

std::uint64_t speaker_of(std::string_view who) {
  return speaker(fnv1a(who));
}

}  // namespace etad
