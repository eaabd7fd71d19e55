// `dcgmi dmon`: entities with values in columns under a header of DCGM's short names.
#include <algorithm>

#include "parsers/trace_reader.h"
#include "parsers/trace_text.h"

namespace etad {
namespace {

using trace_text::split_words;

// "# Entity  SMACT  POWER", "#Entity   GPUTL": the names behind it.
bool header_words(std::string_view line, std::vector<std::string_view>& words) {
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

  TraceLine read(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                 Records& out) override {
    if (trace_text::trim(line).empty()) return TraceLine::structure;
    if (header_words(line, words_)) {
      take_header(line, out);
      return TraceLine::structure;
    }
    split_words(line, kMostColumns + 2, words_);
    if (words_.empty()) return TraceLine::other;  // nothing but commas
    if (words_.front() == "ID" || words_.front() == "Id" || words_.front().starts_with('#'))
      return TraceLine::structure;
    const auto label = entity(words_.front());
    if (!label) {
      const bool other_entity = words_.size() > 1 && trace_text::number(words_[1]);
      return other_entity ? TraceLine::ignored : TraceLine::other;
    }
    if (words_.size() < 2 || !trace_text::number(words_[1])) return TraceLine::other;
    if (words_.size() != columns_.size() + 2) {
      sink_.reject("a line of " + std::to_string(words_.size() - 2) + " values under " +
                       std::to_string(columns_.size()) + " names",
                   out);
      return TraceLine::samples;
    }
    TraceLabels labels;
    labels[*label] = words_[1];
    if (!sink_.begin({}, labels, arrival, time, out)) return TraceLine::samples;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].role == ColumnRole::value) sink_.add(columns_[i], words_[i + 2], out);
    }
    return TraceLine::samples;
  }

 private:
  void take_header(std::string_view line, Records& out) {
    drop_header();
    columns_.clear();
    if (!keep_header(line, out)) return;
    for (const std::string_view word : words_) columns_.push_back(column_named(ColumnNames::dcgm, word));
    settle_columns(columns_);
  }

  std::vector<TraceColumn> columns_;
  std::vector<std::string_view> words_;
};

}  // namespace

std::unique_ptr<TraceReader> make_dcgmi_reader(const TraceOptions& options) {
  return std::make_unique<DcgmiReader>(options);
}

bool is_dcgmi_header(std::string_view line) {
  std::vector<std::string_view> words;
  return header_words(line, words) && std::any_of(words.begin(), words.end(), [](std::string_view word) {
           return column_named(ColumnNames::dcgm, word).role == ColumnRole::value;
         });
}

}  // namespace etad
