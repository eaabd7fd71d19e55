#include "parsers/training/segment_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "parsers/base/cells.h"
#include "parsers/base/text.h"

namespace etad {

namespace {

constexpr std::size_t kMaxColumns = 64;
constexpr std::size_t kMaxHeader = 4096;
constexpr std::size_t kShown = 40;  // of a cell, in a complaint

// What a row may say, all of it at once.
constexpr std::array kFields = {
    Field::network,   Field::framework, Field::device,        Field::devices,
    Field::host,      Field::phase,     Field::batch_size,    Field::global_batch_size,
    Field::iter_size, Field::iteration, Field::iterations,    Field::seconds,
    Field::precision, Field::run,       Field::energy_joules, Field::peak_memory_bytes};
constexpr std::size_t kMaxSettings = 6;  // of a row: each is two values, its name and what it is set to
static_assert(kFields.size() + 2 * kMaxSettings <= Event::kMaxValues);
constexpr std::string_view kSetting = "setting.";

bool is_count(Field f) {
  return f == Field::devices || f == Field::batch_size || f == Field::global_batch_size ||
         f == Field::iter_size;
}

// A column's field, where rows may say it.
std::optional<Field> field_of(std::string_view column) {
  const auto f = field(lower_case(column));
  return f && std::find(kFields.begin(), kFields.end(), *f) != kFields.end() ? f : std::nullopt;
}

}  // namespace

bool SegmentTable::take_header(std::string_view line) {
  if (line.size() > kMaxHeader) return false;
  const char delimiter = line.find(',') == std::string_view::npos ? ';' : ',';
  split_cells(line, delimiter, kMaxColumns, cells_);
  const auto is_named = [&](Field f) {
    return std::any_of(cells_.begin(), cells_.end(), [&](std::string_view cell) {
      return cell.size() == name_of(f).size() && field_of(cell) == f;
    });
  };
  for (const Field needed : {Field::iterations, Field::seconds})
    if (!is_named(needed)) return false;  // as nearly all lines: they are rows
  std::vector<Column> columns;
  std::size_t settings = 0;
  const auto has = [&](Field f) {
    return std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.field == f; });
  };
  for (const std::string_view name : cells_) {
    Column column;
    column.field = field_of(name).value_or(Field::count_);
    if (column.field != Field::count_ && has(column.field)) return false;
    if (name.starts_with(kSetting) && name.size() > kSetting.size() &&
        name.find(' ') == std::string_view::npos && settings++ < kMaxSettings)
      column.setting = name.substr(kSetting.size());
    columns.push_back(std::move(column));
  }
  header_ = line;
  delimiter_ = delimiter;
  columns_ = std::move(columns);
  return true;
}

Event SegmentTable::read(std::string_view line) {
  ++lines_;
  const bool blank = line.find_first_not_of(" \t,;\r") == std::string_view::npos;
  if (blank || line.front() == '#' || take_header(line)) return {};
  split_cells(line, delimiter_, kMaxColumns, cells_);
  Event event;
  for (std::size_t i = 0; i < std::min(cells_.size(), columns_.size()); ++i) {
    const Column& column = columns_[i];
    if (cells_[i].empty()) continue;
    if (column.field != Field::count_) event.add(column.field, 1, cells_[i]);
    if (column.setting.empty()) continue;
    event.add(Field::key, 1, column.setting);
    event.add(Field::value, 1, cells_[i]);
  }
  if (cells_.size() != columns_.size()) {
    bad("the row", std::to_string(cells_.size()) + " cells",
        std::to_string(columns_.size()) + ", as the header");
    return {};
  }
  if (!is_good(event)) return {};
  event.kind = EventKind::segment;
  return event;
}

bool SegmentTable::is_good(const Event& event) {
  const auto n = event.integer(Field::iterations);
  if (!n || *n <= 0) return bad("iterations", event.text(Field::iterations), "a whole number above 0");
  const auto seconds = event.number(Field::seconds);
  if (!seconds || !std::isfinite(*seconds) || *seconds <= 0)
    return bad("seconds", event.text(Field::seconds), "a number above 0");
  const std::string_view phase = event.text(Field::phase);
  if (!phase.empty() && phase != "train" && phase != "test") return bad("phase", phase, "train or test");
  for (const Field f : {Field::energy_joules, Field::peak_memory_bytes}) {
    if (!event.has(f)) continue;
    const auto number = event.number(f);
    if (!number || !std::isfinite(*number) || *number <= 0)
      return bad(name_of(f), event.text(f), "a number above 0");
  }
  for (const Column& column : columns_) {
    const Field f = column.field;
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
