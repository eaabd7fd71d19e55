#include "parsers/rules/line_templates.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::size_t kMostTemplates = 20'000;
constexpr char kNumber = '\x01', kDigits = '\x02';  // stand for each number, and for digits within a word
constexpr std::size_t kLongest = 400;               // of a line: what is behind tells no two templates apart

bool is_in_name(char c) {
  return is_letter(c) || c == '_';
}

// The number that begins with the text's first digits: "12", "0.5", "1.5e-05".
std::size_t number_length(std::string_view text) {
  std::size_t end = digits_at(text, 0);
  if (end < text.size() && text[end] == '.')
    if (const std::size_t decimals = digits_at(text, end + 1); decimals > 0) end += 1 + decimals;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t at = end + 1;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (const std::size_t digits = digits_at(text, at); digits > 0) end = at + digits;
  }
  return end;
}

// Calls text(part), number(part) and digits(part) for the line's parts in turn; the last of them for digits within a
// word.
template <class Text, class Number, class Digits>
void take_apart(std::string_view line, Text&& text, Number&& number, Digits&& digits) {
  std::size_t from = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (!is_digit(line[at])) {
      ++at;
      continue;
    }
    if (at > from) text(line.substr(from, at - from));
    const bool in_word = at > 0 && is_in_name(line[at - 1]);
    const std::size_t length = in_word ? digits_at(line, at) : number_length(line.substr(at));
    if (in_word) {
      digits(line.substr(at, length));
    } else {
      number(line.substr(at, length));
    }
    from = at += length;
  }
  if (line.size() > from) text(line.substr(from));
}

// The same of a template's example, whose words hold a number where lines differ; what lies between two numbers is one
// text.
template <class Text, class Number>
void take_apart(const LineTemplates::Template& found, Text&& text, Number&& number) {
  std::string_view between;
  std::size_t group = 0;
  const auto add = [&](std::string_view part) {
    between = between.empty() ? part : std::string_view(between.data(), between.size() + part.size());
  };
  const auto end = [&](std::string_view part) {
    if (!between.empty()) text(std::exchange(between, {}));
    number(part);
  };
  take_apart(found.example, add, end, [&](std::string_view digits) {
    const std::size_t i = group++;
    if (i < found.differ.size() && found.differ[i]) {
      end(digits);
    } else {
      add(digits);
    }
  });
  if (!between.empty()) text(between);
}

// The word before a number: "epoch" of "[INFO] Epoch: ".
std::string last_word(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && !is_in_name(text[end - 1])) --end;
  std::size_t from = end;
  while (from > 0 && is_in_name(text[from - 1])) --from;
  return lower_case(text.substr(from, end - from));
}

std::optional<std::string_view> field_behind(std::string_view word) {
  using Name = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Name, 9> kNames{{{"epoch", "epoch"},
                                               {"step", "iteration"},
                                               {"iter", "iteration"},
                                               {"iteration", "iteration"},
                                               {"global_step", "iteration"},
                                               {"batch", "batch"},
                                               {"loss", "loss"},
                                               {"eta", "eta"},
                                               {"elapsed", "elapsed"}}};
  const auto at = std::find_if(kNames.begin(), kNames.end(), [&](const Name& n) { return n.first == word; });
  return at == kNames.end() ? std::nullopt : std::optional(at->second);
}

std::string_view total_of(std::string_view field) {
  if (field == "epoch") return "epochs";
  if (field == "batch") return "batches";
  return field == "iteration" ? "max_iter" : std::string_view();
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) out += '\\';
    if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void LineTemplates::add(std::string_view line) {
  ++lines_;
  line = line.substr(0, kLongest);
  std::string key;
  std::vector<std::string_view> in_words;
  take_apart(
      line,
      [&](std::string_view text) {
        for (const char c : text) key += c == kNumber || c == kDigits ? ' ' : c;
      },
      [&](std::string_view) { key += kNumber; },
      [&](std::string_view digits) {
        key += kDigits;
        in_words.push_back(digits);
      });
  const auto at = templates_.find(key);
  if (at != templates_.end()) {
    note(at->second, in_words);
  } else if (templates_.size() < kMostTemplates) {
    const bool numbers = key.find(kNumber) != std::string::npos;
    templates_.emplace(std::move(key),
                       Template{1, numbers, std::string(line), std::vector<bool>(in_words.size())});
  } else {
    ++uncounted_;
  }
}

// One line more of a template, with these digits within its words.
void LineTemplates::note(Template& found, const std::vector<std::string_view>& in_words) {
  ++found.lines;
  std::size_t group = 0;
  const auto skip = [](std::string_view) {};
  take_apart(found.example, skip, skip, [&](std::string_view digits) {
    const std::size_t i = group++;
    if (digits == in_words[i]) return;
    found.differ[i] = found.numbers = true;
  });
}

std::vector<LineTemplates::Template> LineTemplates::most_frequent(std::size_t count) const {
  std::vector<Template> out;
  for (const auto& [key, found] : templates_) out.push_back(found);
  const auto order = [](const Template& each) {
    return std::tuple(!each.numbers, -each.lines, std::string_view(each.example));
  };
  std::sort(out.begin(), out.end(),
            [&](const Template& a, const Template& b) { return order(a) < order(b); });
  if (out.size() > count) out.resize(count);
  return out;
}

std::string with_numbers_marked(const LineTemplates::Template& found) {
  std::string out;
  take_apart(
      found, [&](std::string_view text) { out += text; },
      [&](std::string_view number) { out.append("<").append(number).append(">"); });
  return out;
}

std::string pattern_for(const LineTemplates::Template& found) {
  std::string out, word;
  std::string_view before_slash;
  bool total = false;
  std::set<std::string_view> named;
  take_apart(
      found,
      [&](std::string_view text) {
        total = text == "/" || text == " / " || text == " of ";
        word = last_word(text);
        out += escaped(text);
      },
      [&](std::string_view) {
        const auto field = total ? std::optional(total_of(before_slash)) : field_behind(word);
        const std::string_view name = field.value_or(std::string_view());
        before_slash = name;
        if (!name.empty() && named.insert(name).second) {
          out.append("(?P<").append(name).append(name == "loss" ? ">[\\d.e+-]+)" : ">\\d+)");
        } else {
          out += "[\\d.e+-]+";
        }
      });
  return out;
}

}  // namespace etad
