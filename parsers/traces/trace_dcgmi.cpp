// `dcgmi dmon`: entities with values in columns under a header of DCGM's short names.
#include <algorithm>

#include "parsers/base/cells.h"
#include "parsers/base/number.h"
#include "parsers/traces/trace_reader.h"

namespace etad {
namespace {

// "# Entity  SMACT  POWER", "#Entity   GPUTL": the names behind it.
bool dcgmi_header(std::string_view line, std::vector<std::string_view>& words) {
  if (line.empty() || line.front() != '#') return false;
  split_words(line.substr(1), kMostColumns + 1, words);
  if (words.size() < 2 || words.size() > kMostColumns || words.front() != "Entity") return false;
  words.erase(words.begin());
  return true;
}

// "GPU 0", "GPU-I 3": which device, and how many words that took. Other entities (links, switches, CPUs,
// instances of instances) have nothing that we keep.
std::optional<TraceLabel> entity(std::string_view kind) {
  if (kind == "GPU") return TraceLabel::gpu;
  if (kind == "GPU-I" || kind == "GPU_I" || kind == "GPU-GI") return TraceLabel::mig;
  return std::nullopt;
}

class DcgmiReader final : public HeadedReader {
 public:
  using HeadedReader::HeadedReader;

 private:
  TraceLine read_line(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                      Records& out) override {
    if (dcgmi_header(line, cells_)) {
      take_header(line, out);
      return TraceLine::structure;
    }
    split_words(line, kMostColumns + 2, cells_);
    if (cells_.empty()) return TraceLine::other;  // nothing but commas
    if (cells_.front() == "ID" || cells_.front() == "Id" || cells_.front().starts_with('#'))
      return TraceLine::structure;
    const auto label = entity(cells_.front());
    if (!label) {
      const bool other_entity = cells_.size() > 1 && parse_number<double>(cells_[1]);
      return other_entity ? TraceLine::ignored : TraceLine::other;
    }
    if (cells_.size() < 2 || !parse_number<double>(cells_[1])) return TraceLine::other;
    if (cells_.size() != columns_.size() + 2) return reject_width(cells_.size() - 2, "values", "names", out);
    TraceLabels labels;
    labels[*label] = cells_[1];
    if (sink_.begin({}, labels, arrival, time, out)) add_values(out, 2);
    return TraceLine::samples;
  }

  void take_header(std::string_view line, Records& out) {
    if (!begin_header(line, out)) return;
    add_columns(ColumnNames::dcgm);
    settle_columns(columns_);
  }
};

}  // namespace

std::unique_ptr<TraceReader> make_dcgmi_reader(const TraceOptions& options) {
  return std::make_unique<DcgmiReader>(options);
}

bool is_dcgmi_header(std::string_view line) {
  std::vector<std::string_view> words;
  return dcgmi_header(line, words) && std::any_of(words.begin(), words.end(), [](std::string_view word) {
           return column_named(ColumnNames::dcgm, word).role == ColumnRole::value;
         });
}

}  // namespace etad
