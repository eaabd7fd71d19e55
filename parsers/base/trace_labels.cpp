#include "parsers/base/trace_labels.h"

#include <algorithm>

#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(TraceLabel::count_)> kNames = {
    "command", "cpu", "disk", "gpu", "host", "mig", "net", "pci", "uuid"};

bool plain(char c) {
  return static_cast<unsigned char>(c) >= ' ' && static_cast<unsigned char>(c) < 0x7F && c != ',' && c != '=';
}

void append_value(std::string_view value, std::string& out) {
  if (value.size() <= kLongestLabelValue && std::all_of(value.begin(), value.end(), plain)) {
    out.append(value);
    return;
  }
  std::string kept = kept_text(value, kLongestLabelValue);
  for (char& c : kept) {
    if (c == ',' || c == '=' || (c >= 0 && c < ' ') || c == 0x7F) c = ' ';
  }
  out += kept;
}

}  // namespace

std::string_view name_of(TraceLabel label) {
  return kNames[static_cast<std::size_t>(label)];
}

std::optional<TraceLabel> trace_label(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<TraceLabel>(found - kNames.begin());
}

std::optional<std::string_view> label_value(std::string_view labels, std::string_view name) {
  for (std::size_t at = 0; at < labels.size();) {
    const std::size_t end = std::min(labels.find(',', at), labels.size());
    const std::string_view label = labels.substr(at, end - at);
    const std::size_t equals = label.find('=');
    if (equals != std::string_view::npos && label.substr(0, equals) == name) return label.substr(equals + 1);
    at = end + 1;
  }
  return std::nullopt;
}

void TraceLabels::write(const std::map<std::string, std::string>& defaults, std::string& out) const {
  out.clear();
  const auto value_of = [&](std::size_t label) -> std::string_view {
    if (!values_[label].empty()) return values_[label];
    if (defaults.empty()) return {};
    const auto it = defaults.find(std::string(kNames[label]));
    return it == defaults.end() ? std::string_view() : std::string_view(it->second);
  };
  const bool named = !value_of(static_cast<std::size_t>(TraceLabel::gpu)).empty() ||
                     !value_of(static_cast<std::size_t>(TraceLabel::uuid)).empty();
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (named && i == static_cast<std::size_t>(TraceLabel::pci)) continue;
    const std::string_view value = value_of(i);
    if (value.empty()) continue;
    if (!out.empty()) out += ',';
    out.append(kNames[i]).append("=");
    append_value(value, out);
  }
}

}  // namespace etad
