#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "parsers/base/hash.h"
#include "parsers/rules/format.h"
#include "parsers/rules/recogniser.h"
#include "parsers/rules/rule_check.h"

namespace etad {

tl::expected<FormatSet, std::vector<Error>> FormatSet::make(
    std::vector<std::shared_ptr<const Format>> formats, Samples samples) {
  std::vector<Error> errors;
  FormatSet set;
  for (auto& format : formats) {
    const auto siblings = format->siblings();
    set.formats_.push_back(std::move(format));
    set.formats_.insert(set.formats_.end(), siblings.begin(), siblings.end());
  }
  set.recogniser_ = std::make_shared<const Recogniser>(set.formats_);
  if (samples == Samples::to_check) check_recognition(set, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  for (const auto& format : set.formats_) format->release();
  return set;
}

std::shared_ptr<const Format> FormatSet::find(std::string_view name) const {
  const auto at =
      std::find_if(formats_.begin(), formats_.end(), [&](const auto& f) { return f->name() == name; });
  return at == formats_.end() ? nullptr : *at;
}

std::vector<std::shared_ptr<const Format>> FormatSet::shown_by(std::string_view line, ShapeMemory* shapes,
                                                               bool generic,
                                                               std::string_view passed_over_by) const {
  std::vector<std::shared_ptr<const Format>> claims;
  if (!recogniser_) return claims;
  for (const std::uint16_t id : recogniser_->formats_of(line, shapes, generic))
    claims.push_back(formats_[id]);
  if (claims.size() < 2) return claims;
  const auto yields = [&](const auto& f) { return f->is_generic() || f->name() == passed_over_by; };
  const bool all_yield = std::all_of(claims.begin(), claims.end(), yields);
  if (!all_yield) std::erase_if(claims, [](const auto& f) { return f->is_generic(); });
  std::vector<std::shared_ptr<const Format>> shown;
  for (const auto& f : claims)
    if (std::none_of(claims.begin(), claims.end(), [&](const auto& g) { return g->over(f->name()); }))
      shown.push_back(f);
  return shown;
}

std::shared_ptr<const Format> FormatSet::recognise(std::string_view line) const {
  const auto shown = shown_by(line);
  return shown.size() == 1 ? shown.front() : nullptr;
}

std::vector<std::string> FormatSet::beside() const {
  std::set<std::string> names;
  for (const auto& format : formats_)
    if (!format->beside().empty()) names.insert(format->beside());
  return {names.begin(), names.end()};
}

std::string FormatSet::fingerprint() const {
  std::uint64_t hash = fnv1a({});
  for (const auto& format : formats_)
    hash = fnv1a(std::to_string(format->fingerprint()), fnv1a(format->name() + ":", hash));
  return std::to_string(hash);
}

}  // namespace etad
