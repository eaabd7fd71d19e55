// Fitted models: one for each dataset.
#pragma once

#include <string>
#include <vector>

#include "storage/dataset_table.h"
#include "storage/rows.h"
#include "storage/sqlite.h"

namespace etad {

class ModelTable {
 public:
  ModelTable(sqlite::Connection& connection, DatasetTable& datasets);

  std::int64_t put(const ModelRow& model);  // replaces that of the same key and keeps its id
  void remove(const ModelKey& key);
  void put(const RefitProgress& reached);
  void put_records(const std::string& records);  // the estimators'

 private:
  sqlite::Connection& connection_;
  DatasetTable& datasets_;
  sqlite::Statement find_, insert_, update_, remove_, reached_, records_;
};

}  // namespace etad
