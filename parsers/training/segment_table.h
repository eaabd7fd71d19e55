// A table of measured segments as CSV: a header that names the columns by fields, in any order, and rows of
// as many cells. Cells may stand in quotes; a column `setting.NAME` is that setting of the run, and other
// columns that are no field are passed over. A row that can't be true is counted and said, and the next one
// is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/event.h"

namespace etad {

class SegmentTable {
 public:
  // Takes a line for the header: it names `iterations` and `seconds`, and no field twice. False: it is none.
  bool take_header(std::string_view line);

  // What a row says: a `segment`, whose values are views into the line, or nothing (an empty line, a comment, the
  // header once more, a row that can't be true).
  Event read(std::string_view line);

  std::int64_t bad_rows() const { return bad_rows_; }          // since construction or restore
  const std::string& complaint() const { return complaint_; }  // of the first of them; empty: none

  // What a saved state needs: the header as it was read, and how many lines have gone since the table began.
  const std::string& header() const { return header_; }
  std::int64_t lines() const { return lines_; }
  void restore(std::string_view header, std::int64_t lines);

 private:
  bool is_good(const Event& event);
  bool bad(std::string_view column, std::string_view text, std::string_view should_be);

  std::string header_;
  char delimiter_ = ',';
  struct Column {
    Field field = Field::count_;  // Field::count_: none, or a setting's
    std::string setting;          // NAME of "setting.NAME"
  };
  std::vector<Column> columns_;
  std::vector<std::string_view> cells_;
  std::int64_t lines_ = 0;
  std::int64_t bad_rows_ = 0;
  std::string complaint_;
};

}  // namespace etad
