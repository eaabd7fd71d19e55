// The rows of a history that a training writes as CSV, each as a line that names its values: under the header
// "Epoch,Train Loss,Time (s)" the row "3,0.5,62.5" becomes "epoch=3, train_loss=0.5, time_s=62.5", which rules read
// like any other line, whatever order the columns have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace etad {

class NamedRows {
 public:
  // Takes a line for the header; cells are apart by commas, semicolons or tabs. One of more than 16 KiB or 512 names
  // is none.
  void take_header(std::string_view line);

  // Whether a line may be a header: its first cell is a name.
  static bool may_be_header(std::string_view line);

  // What a row says, good until the next call; empty where there is no header yet, or the row has not as many cells.
  std::string_view line_of(std::string_view row);

  const std::string& header() const { return header_; }  // as it was taken; empty: none yet

 private:
  std::string header_;
  char delimiter_ = ',';
  std::vector<std::string> names_;
  std::vector<std::string_view> cells_;
  std::string line_;
};

}  // namespace etad
