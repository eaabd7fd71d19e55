// Datasets: each is what one model is fitted from, with the generation of the history in which it last changed.
#pragma once

#include "storage/rows.h"
#include "storage/sqlite.h"

namespace etad {

class DatasetTable {
 public:
  explicit DatasetTable(sqlite::Connection& connection);

  // At the beginning of each writing transaction: what is touched in it bears the same new generation.
  void begin() { generation_.reset(); }

  std::int64_t id_of(const ModelKey& key);  // makes it where it is new, untouched
  void touch(std::int64_t id);              // its data changed
  // Drops those that have neither runs nor a model, nor say anything that a refit has yet to hear.
  void forget_empty();

 private:
  sqlite::Statement find_, insert_, newest_, touch_, forget_empty_;
  std::optional<std::int64_t> generation_;
};

}  // namespace etad
