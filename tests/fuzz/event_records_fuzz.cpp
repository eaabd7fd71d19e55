// Files of records (TensorBoard's, W&B's): whatever the bytes, no more of them is passed than there are, the lines keep
// to their limit, and what is read in two parts says what it says in one. The input is taken as it is, and as the
// content of records.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "../parsers/wandb_files.h"
#include "parsers/lines/record_file.h"

namespace {

using etad::RecordFile;

void read(RecordFile kind, std::string_view file) {
  constexpr std::size_t kLimit = 200;
  std::vector<std::string> whole, parts;
  const auto all = etad::take_records(kind, {file, 0, file.size(), false}, kLimit, whole);
  if (all.passed > file.size() || all.skipped > all.passed || all.damaged) std::abort();
  if (std::any_of(whole.begin(), whole.end(), [](const auto& line) { return line.size() > kLimit; }))
    std::abort();
  const auto first = etad::take_records(kind, {file.substr(0, file.size() / 2), 0, 0, false}, kLimit, parts);
  if (first.passed > file.size() / 2 || first.skipped > first.passed) std::abort();
  const std::string_view rest = file.substr(first.passed);
  etad::take_records(kind, {rest, static_cast<std::int64_t>(first.passed), rest.size(), false}, kLimit,
                     parts);
  if (whole != parts) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  etad::record_file(input);
  for (const RecordFile kind : {RecordFile::tensorboard, RecordFile::wandb}) read(kind, input);
  read(RecordFile::tensorboard, etad::test::record(input) + etad::test::record(input));
  read(RecordFile::wandb, etad::test::WandbFile().add(input).add(input).content());
  return 0;
}
