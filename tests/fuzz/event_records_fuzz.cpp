// Event files: whatever the bytes, no more of them is passed than there are, the lines keep to their limit,
// and what is read in two parts says what it says in one. The input is taken as it is, and as the payload of
// a record.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "../parsers/event_files.h"
#include "parsers/lines/event_records.h"

namespace {

void read(const std::string& file) {
  constexpr std::size_t kLimit = 200;
  std::vector<std::string> whole, parts;
  const auto all = etad::take_event_records(file, file.size(), kLimit, whole);
  if (all.passed > file.size() || all.skipped > all.passed || all.damaged) std::abort();
  if (std::any_of(whole.begin(), whole.end(), [](const auto& line) { return line.size() > kLimit; }))
    std::abort();
  const std::string_view front = std::string_view(file).substr(0, file.size() / 2);
  const auto first = etad::take_event_records(front, 0, kLimit, parts);
  if (first.passed > front.size() || first.skipped > 0) std::abort();
  etad::take_event_records(std::string_view(file).substr(first.passed), file.size() - first.passed, kLimit,
                           parts);
  if (whole != parts) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  etad::begins_event_file(input);
  read(input);
  read(etad::test::record(input) + etad::test::record(input));
  return 0;
}
