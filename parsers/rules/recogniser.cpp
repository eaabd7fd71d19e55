#include "parsers/rules/recogniser.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "parsers/base/event.h"
#include "parsers/lines/launcher_label.h"
#include "parsers/lines/outer_stamp.h"
#include "parsers/rules/digits_alike.h"
#include "parsers/rules/format.h"
#include "parsers/rules/line_fields.h"
#include "parsers/rules/shape_memory.h"

namespace etad {
namespace {

re2::RE2::Options set_options() {
  re2::RE2::Options o(re2::RE2::Latin1);
  o.set_log_errors(false);
  o.set_max_mem(16 << 20);
  return o;
}

void sort_once(std::vector<std::uint16_t>& formats) {
  std::sort(formats.begin(), formats.end());
  formats.erase(std::unique(formats.begin(), formats.end()), formats.end());
}

}  // namespace

PatternSet::PatternSet(Pattern::Anchor anchor)
    : set_(set_options(),
           anchor == Pattern::Anchor::beginning ? re2::RE2::ANCHOR_START : re2::RE2::UNANCHORED) {}

void PatternSet::add(const Pattern& pattern, std::uint16_t format) {
  set_.Add({pattern.text().data(), pattern.text().size()}, nullptr);
  patterns_.push_back(pattern);
  formats_.push_back(format);
}

void PatternSet::compile() {
  compiled_ = !patterns_.empty() && set_.Compile();
  for (const Pattern& pattern : patterns_) pattern.release();
}

std::vector<std::uint16_t> PatternSet::match(std::string_view text) const {
  std::vector<std::uint16_t> out;
  if (compiled_) {
    std::vector<int> hits;
    re2::RE2::Set::ErrorInfo error{};
    const bool any = set_.Match({text.data(), text.size()}, &hits, &error);
    if (any || error.kind == re2::RE2::Set::kNoError) {
      for (const int i : hits) out.push_back(formats_[static_cast<std::size_t>(i)]);
      sort_once(out);
      return out;
    }
  }
  for (std::size_t i = 0; i < patterns_.size(); ++i)
    if (patterns_[i].matches(text)) out.push_back(formats_[i]);
  sort_once(out);
  return out;
}

Recogniser::Recogniser(const std::vector<std::shared_ptr<const Format>>& formats)
    : formats_(formats), lists_{ShapeMemory::new_list(), ShapeMemory::new_list()} {
  std::map<std::vector<std::string>, std::uint16_t> kinds;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const auto id = static_cast<std::uint16_t>(i);
    for (const Pattern& p : formats[i]->recognise_patterns()) {
      recognise_.add(p, id);
      if (!treats_digits_alike(p.text()))
        recognise_.add(with_any_digits(p, Pattern::Anchor::anywhere), with_other_digits());
    }
    if (formats[i]->has_signs_in_fields()) by_fields_.push_back(id);
    std::vector<std::string> strips;
    for (const Pattern& p : formats[i]->strip_patterns()) {
      strip_.add(p, id);
      strips.push_back(p.text());
    }
    for (const Pattern& p : formats[i]->strip_with_any_digits()) strip_.add(p, with_other_digits());
    const auto kind = kinds.try_emplace(std::move(strips), static_cast<std::uint16_t>(kinds.size())).first;
    strip_kinds_.push_back(kind->second);
  }
  recognise_.compile();
  strip_.compile();
}

bool Recogniser::is_generic(std::uint16_t id) const {
  return id != with_other_digits() && formats_[id]->is_generic();
}

std::vector<std::uint16_t> Recogniser::formats_of(std::string_view line, ShapeMemory* shapes,
                                                  bool generic) const {
  if (const auto* const known = shapes ? shapes->find(lists_[generic ? 1 : 0], line) : nullptr)
    return {known->formats.begin(), known->formats.begin() + known->format_count};
  Shown shown{recognise_.match(line), {}};
  ask_by_fields(line, line, generic, shown);
  const auto may_be_another = [&](std::uint16_t id) { return id == with_other_digits() || is_generic(id); };
  if (std::all_of(shown.formats.begin(), shown.formats.end(), may_be_another))
    ask_behind_labels(line, generic, shown);
  if (!generic) std::erase_if(shown.formats, [&](std::uint16_t id) { return is_generic(id); });
  if (shapes) remember(shown, *shapes);
  std::erase(shown.formats, with_other_digits());
  return std::move(shown.formats);
}

// Of lines that show many formats nothing is remembered; they are few.
void Recogniser::remember(const Shown& shown, ShapeMemory& shapes) const {
  RememberedShape shape;
  if (!shown.are_all_known || shown.formats.size() > shape.formats.size() ||
      std::binary_search(shown.formats.begin(), shown.formats.end(), with_other_digits()))
    return;
  shape.format_count = static_cast<std::uint8_t>(shown.formats.size());
  std::copy(shown.formats.begin(), shown.formats.end(), shape.formats.begin());
  shape.distinguished = shown.distinguished;
  shapes.remember(shape);
}

// They strip the line themselves, so that each need be asked about it only once, whatever others leave of it.
// Formats of one file take a line apart alike. `rest` is the line's end.
void Recogniser::ask_by_fields(std::string_view line, std::string_view rest, bool generic,
                               Shown& shown) const {
  LineFields fields;
  const Vocabulary* read_by = nullptr;
  for (const std::uint16_t id : by_fields_) {
    if (!generic && is_generic(id)) continue;
    const Format& format = *formats_[id];
    if (&format.words() != read_by) {
      const std::string_view message = format.stripped(rest);
      fields.read(message, *(read_by = &format.words()));
      shown.are_all_known = shown.are_all_known && fields.distinguished() &&
                            shown.distinguished.note(line.size() - message.size(), *fields.distinguished());
      if (format.may_strip_others_otherwise(rest)) shown.formats.push_back(with_other_digits());
    }
    if (format.recognises_by_fields(fields)) shown.formats.push_back(id);
  }
  if (!by_fields_.empty()) sort_once(shown.formats);
}

void Recogniser::ask_behind_labels(std::string_view line, bool generic, Shown& shown) const {
  const auto label = launcher_label(line);
  ask_behind(line, label ? label->length : 0, generic, shown);
  const auto stamp = outer_stamp(line);
  if (!stamp) return;
  generic = generic && stamp->names_origin;  // they know all forms of stamps as headers
  ask_behind(line, stamp->length, generic, shown);
  if (const auto inner = launcher_label(line.substr(stamp->length)))
    ask_behind(line, stamp->length + inner->length, generic, shown);
}

// Without its first `length` bytes, and what each format strips off the rest.
void Recogniser::ask_behind(std::string_view line, std::size_t length, bool generic, Shown& shown) const {
  const std::string_view rest = line.substr(length);
  // What is left is the same for most formats, and is asked about once.
  std::vector<std::pair<std::size_t, std::vector<std::uint16_t>>> asked;
  const auto ask = [&](std::string_view message) -> const std::vector<std::uint16_t>& {
    const auto known = std::find_if(asked.begin(), asked.end(),
                                    [&](const auto& known_of) { return known_of.first == message.size(); });
    return known != asked.end() ? known->second
                                : asked.emplace_back(message.size(), recognise_.match(message)).second;
  };
  // Many formats strip alike: what one of them leaves, the next of its kind leaves as well.
  std::vector<std::pair<std::uint16_t, std::string_view>> left;
  const auto stripped = [&](std::uint16_t id) {
    const auto known =
        std::find_if(left.begin(), left.end(), [&](const auto& by) { return by.first == strip_kinds_[id]; });
    return known != left.end() ? known->second
                               : left.emplace_back(strip_kinds_[id], formats_[id]->stripped(rest)).second;
  };
  const auto strippers = strip_.match(rest);
  if (length > 0) {
    for (const std::uint16_t id : ask(rest))
      if (generic || !is_generic(id)) shown.formats.push_back(id);
    ask_by_fields(line, rest, generic, shown);
  }
  for (const std::uint16_t id : strippers) {
    if (id == with_other_digits()) {
      shown.formats.push_back(id);
      continue;
    }
    if (!generic && is_generic(id)) continue;
    if (formats_[id]->may_strip_others_otherwise(rest)) shown.formats.push_back(with_other_digits());
    const std::string_view message = stripped(id);
    if (message.size() == line.size()) continue;
    const auto& claims = ask(message);
    for (const std::uint16_t claim : {id, with_other_digits()})
      if (std::binary_search(claims.begin(), claims.end(), claim)) shown.formats.push_back(claim);
  }
  sort_once(shown.formats);
}

}  // namespace etad
