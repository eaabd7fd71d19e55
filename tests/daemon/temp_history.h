// A history in a folder of its own that goes with the test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "daemon/rules.h"
#include "daemon/shared_writer.h"
#include "storage/history.h"
#include "tests/daemon/faulty_writer.h"
#include "tests/places.h"

namespace etad {

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline const std::shared_ptr<const FormatSet>& shipped_formats() {
  static const auto loaded = load_rules({ETAD_RULES}).value();
  return loaded;
}

// An instant after the example logs were written; the clock of these tests.
inline const Instant kToday =
    Instant(std::chrono::sys_days(std::chrono::year(2026) / 11 / 22).time_since_epoch());

class TempHistory : public testing::Test {
 protected:
  TempHistory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "etad-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    writer_ = std::make_unique<SharedWriter>(Writer::open(path()).value());
    reader_ = ModelReader::open(path()).value();
  }
  ~TempHistory() override {
    reader_.reset();
    writer_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string path() const { return (folder_ / "history.db").string(); }
  std::vector<RunRow> runs() { return reader_->runs({}).value(); }

  std::filesystem::path folder_;
  // From now on the history is written by one that fails when it is told to.
  FaultyWriter* write_by_faulty_writer() {
    writer_.reset();
    auto faulty = std::make_unique<FaultyWriter>(Writer::open(path()).value());
    FaultyWriter* const history = faulty.get();
    writer_ = std::make_unique<SharedWriter>(std::move(faulty));
    return history;
  }

  std::unique_ptr<SharedWriter> writer_;
  std::unique_ptr<ModelReader> reader_;
};

}  // namespace etad
