#include "parsers/rules/vocabulary.h"

#include <algorithm>
#include <utility>

#include "parsers/base/suggest.h"
#include "parsers/base/text.h"
#include "parsers/rules/rule_file.h"

namespace etad {
namespace {

constexpr std::string_view kBuiltIn[] = {"unnamed", "unknown", "time", "validation", "bar"};
constexpr std::size_t kMostDepth = 4;  // of lists that name each other

// A phrase as it is written: "* <step> time", "step#".
struct WrittenPhrase {
  std::string text;
  bool after_others = false, before_others = false, counts = false;
};

WrittenPhrase read_phrase(std::string_view text) {
  WrittenPhrase out;
  if (text.starts_with("* ")) {
    out.after_others = true;
    text.remove_prefix(2);
  }
  if (text.ends_with(" *")) {
    out.before_others = true;
    text.remove_suffix(2);
  }
  if (text.ends_with('#')) {
    out.counts = true;
    text.remove_suffix(1);
  }
  out.text = lower_case(text);
  return out;
}

std::string with_zeros(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), is_digit, '0');
  return out;
}

// Whether other lists are written with it: such a list is no role of its own.
bool is_part(const std::string& name, const std::vector<WordList>& lists) {
  const std::string mark = "<" + name + ">";
  return std::any_of(lists.begin(), lists.end(), [&](const WordList& list) {
    return std::any_of(list.phrases.begin(), list.phrases.end(), [&](const PatternSpec& phrase) {
      return phrase.text.find(mark) != std::string::npos;
    });
  });
}

class PhraseWriter {
 public:
  PhraseWriter(const std::vector<WordList>& lists, const std::string& where, std::vector<Error>& errors)
      : lists_(lists), where_(where), errors_(errors) {}

  // The phrase with each word of a list that it names in angle brackets.
  std::vector<std::string> written_out(const std::string& text, std::size_t line, std::size_t depth = 0) {
    const std::size_t open = text.find('<'), close = text.find('>', open);
    if (open == std::string::npos || close == std::string::npos) return {text};
    const std::string name = text.substr(open + 1, close - open - 1);
    const auto list =
        std::find_if(lists_.begin(), lists_.end(), [&](const WordList& l) { return l.name == name; });
    if (list == lists_.end() || depth == kMostDepth) {
      std::vector<std::string_view> known;
      for (const WordList& l : lists_) known.push_back(l.name);
      const auto near = nearest_name(name, known);
      errors_.push_back(
          {where_ + ":" + std::to_string(line),
           depth == kMostDepth ? "words: the list '" + name + "' names itself"
                               : "words: there is no list '" + name + "'",
           near.empty() || depth == kMostDepth ? "" : "did you mean '" + std::string(near) + "'?"});
      return {};
    }
    std::vector<std::string> out;
    for (const PatternSpec& phrase : list->phrases) {
      const std::string with = text.substr(0, open) + read_phrase(phrase.text).text + text.substr(close + 1);
      for (std::string& each : written_out(with, line, depth + 1)) out.push_back(std::move(each));
      if (out.size() > Vocabulary::kMostPhrases) break;
    }
    return out;
  }

 private:
  const std::vector<WordList>& lists_;
  const std::string& where_;
  std::vector<Error>& errors_;
};

}  // namespace

Vocabulary Vocabulary::make(const std::vector<WordList>& lists, const std::string& where,
                            std::vector<Error>& errors) {
  Vocabulary out;
  for (const std::string_view name : kBuiltIn) out.names_.emplace_back(name);
  const auto add = [&](std::size_t line, std::string message, std::string hint) {
    errors.push_back({where + ":" + std::to_string(line), "words: " + std::move(message), std::move(hint)});
  };
  PhraseWriter writer(lists, where, errors);
  for (const WordList& list : lists) {
    if (is_part(list.name, lists)) continue;
    auto role = out.role(list.name);
    if (!role) {
      if (out.names_.size() == kMostRoles) {
        add(list.line, "more than " + std::to_string(kMostRoles) + " lists", {});
        return out;
      }
      role = static_cast<Role>(out.names_.size());
      out.names_.push_back(list.name);
    }
    for (const PatternSpec& phrase : list.phrases) {
      const WrittenPhrase written = read_phrase(phrase.text);
      for (const std::string& text : writer.written_out(written.text, phrase.line)) {
        const auto words = 1 + std::count(text.begin(), text.end(), ' ');
        if (text.empty() || text.size() > kLongest || words > static_cast<std::ptrdiff_t>(kMostWords)) {
          add(phrase.line, "'" + text + "' is empty or too long",
              "at most " + std::to_string(kMostWords) + " words and " + std::to_string(kLongest) + " bytes");
          continue;
        }
        out.note_digits(text);
        Phrases& phrases = written.counts ? out.counted_ : out.measured_;
        Phrase& kept = phrases.try_emplace(text, Phrase{*role, written.after_others, written.before_others})
                           .first->second;
        if (kept.role == *role) {
          kept.after_others = kept.after_others || written.after_others;
          kept.before_others = kept.before_others || written.before_others;
        } else if (text == written.text) {
          add(phrase.line, "'" + text + "' is in the list '" + out.names_[kept.role] + "' as well",
              "the first list that has it counts");
        }
        out.any_before_others_ = out.any_before_others_ || written.before_others;
        // "epochs=40" numbers none, and "epochs 3/40" does.
        if (written.counts && text.back() != 's')
          out.counted_.try_emplace(text + "s of", Phrase{*role, written.after_others, written.before_others});
      }
      if (out.measured_.size() + out.counted_.size() > kMostPhrases) {
        add(phrase.line, "more than " + std::to_string(kMostPhrases) + " phrases, written out", {});
        return out;
      }
    }
  }
  return out;
}

std::optional<Vocabulary::Role> Vocabulary::role(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) return {};
  return static_cast<Role>(at - names_.begin());
}

std::vector<std::string_view> Vocabulary::role_names() const {
  return {names_.begin(), names_.end()};
}

// A plural is its singular, where no list says otherwise: but "epochs=40" numbers no epoch.
const Vocabulary::Phrase* Vocabulary::measured(std::string_view text) const {
  auto at = measured_.find(text);
  constexpr std::size_t kShortestPlural = 3;
  if (at == measured_.end() && text.size() >= kShortestPlural && text.back() == 's')
    at = measured_.find(text.substr(0, text.size() - 1));
  return at == measured_.end() ? nullptr : &at->second;
}

const Vocabulary::Phrase* Vocabulary::counted(std::string_view text) const {
  const auto at = counted_.find(text);
  return at == counted_.end() ? nullptr : &at->second;
}

Vocabulary::Found Vocabulary::find(const Words& name, std::size_t clause, bool is_whole) const {
  const std::size_t most_behind = any_before_others_ ? 3 : 0;  // other words behind a phrase
  for (std::size_t behind = 0; behind <= most_behind && behind < name.count(); ++behind) {
    const std::size_t end = name.count() - behind;
    for (std::size_t begin = end - std::min(end, kMostWords); begin < end; ++begin) {
      const std::string_view text = name.text(begin, end);
      const auto is_it = [&](const Phrase* phrase) {
        return phrase && (behind == 0 || phrase->before_others) &&
               (begin == 0 || begin == clause || phrase->after_others);
      };
      if (const Phrase* const found = is_whole ? counted(text) : nullptr; is_it(found))
        return {found->role, true, begin, end};
      if (const Phrase* const found = measured(text); is_it(found)) return {found->role, false, begin, end};
    }
  }
  return {};
}

void Vocabulary::note_digits(std::string_view phrase) {
  const std::string zeros = with_zeros(phrase);
  for (std::size_t begin = 0; begin < zeros.size();) {
    const std::size_t end = std::min(zeros.find(' ', begin), zeros.size());
    if (zeros.find('0', begin) < end) with_digits_.insert(zeros.substr(begin, end - begin));
    begin = end + 1;
  }
}

bool Vocabulary::may_tell_digits(std::string_view word) const {
  if (with_digits_.empty() || std::none_of(word.begin(), word.end(), is_digit)) return false;
  const std::string zeros = with_zeros(lower_case(word));
  return with_digits_.contains(zeros) ||
         (zeros.ends_with('s') && with_digits_.contains(std::string_view(zeros).substr(0, zeros.size() - 1)));
}

std::uint64_t Vocabulary::mentions(std::string_view word) const {
  std::uint64_t out = 0;
  for (const Phrase* const found : {measured(word), counted(word)})
    if (found) out |= bit(found->role);
  return out;
}

}  // namespace etad
