// Any text as a table of measured segments, with restarts in between: what is taken is true, what is not is
// counted and said shortly, and a restored table reads on as one that went on.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "parsers/training/segment_table.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace etad;

bool lies_in(std::string_view text, std::string_view line) {
  return text.data() >= line.data() && text.data() + text.size() <= line.data() + line.size();
}

// A setting is two values: its name, which the header said, and what it is set to. There may be several.
void check(const Event& row, std::string_view line) {
  require(row.kind == EventKind::segment || (row.kind == EventKind::none && row.values().empty()));
  const FieldValue* before = nullptr;
  for (const FieldValue& v : row.values()) {
    const bool of_setting = v.field == Field::key || v.field == Field::value;
    require(!v.text.empty() && (v.field == Field::key || lies_in(v.text, line)));
    require(of_setting || row.find(v.field) == &v);
    require((v.field == Field::value) == (before != nullptr && before->field == Field::key));
    before = &v;
  }
  if (row.kind == EventKind::none) return;
  const auto seconds = row.number(Field::seconds);
  require(row.integer(Field::iterations).value() > 0 && std::isfinite(seconds.value()) && *seconds > 0);
  for (const Field count : {Field::devices, Field::batch_size, Field::global_batch_size, Field::iter_size})
    require(!row.has(count) || row.integer(count).value() > 0);
}

bool same(const Event& a, const Event& b) {
  const auto alike = [](const FieldValue& x, const FieldValue& y) {
    return x.field == y.field && x.text == y.text &&
           (x.field == Field::key || x.text.data() == y.text.data());
  };
  return a.kind == b.kind &&
         std::equal(a.values().begin(), a.values().end(), b.values().begin(), b.values().end(), alike);
}

}  // namespace

// The first byte: after how many lines the daemon restarts; 0: never.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::int64_t restart = data[0] % 8;
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  SegmentTable table, restarted;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::int64_t bad = table.bad_rows(), bad_again = restarted.bad_rows();
    const Event row = table.read(line);
    check(row, line);
    require(same(row, restarted.read(line)));
    const std::int64_t rejected = table.bad_rows() - bad;
    require(rejected == restarted.bad_rows() - bad_again && rejected >= 0 && rejected <= 1);
    require(rejected == 0 || row.kind == EventKind::none);
    require((table.bad_rows() == 0) == table.complaint().empty() && table.complaint().size() <= 256);
    if (restart != 0 && table.lines() % restart == 0) {
      restarted = SegmentTable();
      restarted.restore(table.header(), table.lines());
    }
    require(restarted.header() == table.header() && restarted.lines() == table.lines());
  }
  return 0;
}
