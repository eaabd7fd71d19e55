// The labels of a trace's samples: which device, of which machine. In a sample and in the history they are
// one text, "gpu=0,uuid=GPU-…", which is written and read here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace etad {

inline constexpr std::size_t kLongestLabelValue = 96;  // bytes; longer ones are cut

// In the order of their names, which is that of Sample::labels.
enum class TraceLabel : std::uint8_t { command, cpu, disk, gpu, host, mig, net, pci, uuid, count_ };

std::string_view name_of(TraceLabel label);
std::optional<TraceLabel> trace_label(std::string_view name);

// What such a text says for that name, a view into it; nullopt: it has no such label.
std::optional<std::string_view> label_value(std::string_view labels, std::string_view name);

// Views into the line that is being read; empty where it does not say.
class TraceLabels {
 public:
  std::string_view& operator[](TraceLabel label) { return values_[static_cast<std::size_t>(label)]; }
  std::string_view operator[](TraceLabel label) const { return values_[static_cast<std::size_t>(label)]; }

  // Of all values together.
  std::size_t length() const {
    std::size_t out = 0;
    for (const std::string_view value : values_) out += value.size();
    return out;
  }

  // As one text: what the line says, else what `defaults` say. Values are cut at kLongestLabelValue,
  // commas and equals signs in them become blanks. A device with an index or a UUID has no bus id.
  void write(const std::map<std::string, std::string>& defaults, std::string& out) const;

 private:
  std::array<std::string_view, static_cast<std::size_t>(TraceLabel::count_)> values_;
};

}  // namespace etad
