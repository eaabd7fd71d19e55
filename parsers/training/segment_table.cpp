#include "parsers/training/segment_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "parsers/base/cells.h"
#include "parsers/base/text.h"

namespace etad {

namespace {

constexpr std::size_t kMaxColumns = 64;
constexpr std::size_t kMaxHeader = 4096;
constexpr std::size_t kShown = 40;  // of a cell, in a complaint

// What a row may say, all of it at once.
constexpr std::array kFields = {
    Field::network,   Field::framework, Field::device,     Field::devices,
    Field::host,      Field::phase,     Field::batch_size, Field::global_batch_size,
    Field::iter_size, Field::iteration, Field::iterations, Field::seconds,
    Field::precision, Field::run};
static_assert(kFields.size() <= Event::kMaxValues);

bool is_count(Field f) {
  return f == Field::devices || f == Field::batch_size || f == Field::global_batch_size ||
         f == Field::iter_size;
}

std::string_view without_mark(std::string_view line) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  return line.starts_with(kUtf8Mark) ? line.substr(kUtf8Mark.size()) : line;
}

}  // namespace

bool SegmentTable::take_header(std::string_view line) {
  line = without_mark(line);
  if (line.size() > kMaxHeader) return false;
  const char delimiter = line.find(',') == std::string_view::npos ? ';' : ',';
  split_cells(line, delimiter, kMaxColumns, cells_);
  std::vector<Field> columns;
  for (const std::string_view name : cells_) {
    const auto f = field(lower_case(name));
    const bool known = f && std::find(kFields.begin(), kFields.end(), *f) != kFields.end();
    if (known && std::find(columns.begin(), columns.end(), *f) != columns.end()) return false;
    columns.push_back(known ? *f : Field::count_);
  }
  for (const Field needed : {Field::iterations, Field::seconds})
    if (std::find(columns.begin(), columns.end(), needed) == columns.end()) return false;
  header_ = line;
  delimiter_ = delimiter;
  columns_ = std::move(columns);
  return true;
}

Event SegmentTable::read(std::string_view line) {
  ++lines_;
  line = without_mark(line);
  const bool blank = line.find_first_not_of(" \t,;\r") == std::string_view::npos;
  if (blank || line.front() == '#' || take_header(line)) return {};
  split_cells(line, delimiter_, kMaxColumns, cells_);
  Event event;
  for (std::size_t i = 0; i < std::min(cells_.size(), columns_.size()); ++i)
    if (columns_[i] != Field::count_ && !cells_[i].empty()) event.add({columns_[i], 1, cells_[i]});
  if (!is_good(event, cells_.size())) return {};
  event.kind = EventKind::segment;
  return event;
}

bool SegmentTable::is_good(const Event& event, std::size_t cells) {
  if (cells != columns_.size())
    return bad("the row", std::to_string(cells) + " cells",
               std::to_string(columns_.size()) + ", as the header");
  const auto n = event.integer(Field::iterations);
  if (!n || *n <= 0) return bad("iterations", event.text(Field::iterations), "a whole number above 0");
  const auto seconds = event.number(Field::seconds);
  if (!seconds || !std::isfinite(*seconds) || *seconds <= 0)
    return bad("seconds", event.text(Field::seconds), "a number above 0");
  const std::string_view phase = event.text(Field::phase);
  if (!phase.empty() && phase != "train" && phase != "test") return bad("phase", phase, "train or test");
  for (const Field f : columns_) {
    if (f == Field::count_ || !is_count(f) || !event.has(f)) continue;
    const auto count = event.integer(f);
    if (!count || *count <= 0) return bad(name_of(f), event.text(f), "a whole number above 0");
  }
  return true;
}

bool SegmentTable::bad(std::string_view column, std::string_view text, std::string_view should_be) {
  ++bad_rows_;
  if (complaint_.empty())
    complaint_ = "row " + std::to_string(lines_) + ": " + std::string(column) + ": '" +
                 kept_text(text, kShown) + "' should be " + std::string(should_be);
  return false;
}

void SegmentTable::restore(std::string_view header, std::int64_t lines) {
  take_header(header);
  lines_ = lines;
}

}  // namespace etad
