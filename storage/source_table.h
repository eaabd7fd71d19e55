// Sources and the files that will not be read again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/rows.h"
#include "storage/sqlite.h"

namespace etad {

class SourceTable {
 public:
  SourceTable(sqlite::Connection& connection, std::int64_t most_finished);

  // Inserts (id 0) or updates; gives the id. Throws where a source of that id is not there (any more).
  std::int64_t put(const SourceRow& source);
  // Before an owner's runs are removed: that owner's imports and sources whose files are gone, but for traces.
  std::vector<std::int64_t> ended_of(std::int64_t uid);
  // After that: those of them that have no runs of somebody else are removed too. The others begin anew from where they
  // stand, but for traces and for those with runs of somebody else, whose ordinals are taken. Gives how many sources the
  // owner had.
  std::int64_t forget_owner(std::int64_t uid, const std::vector<std::int64_t>& ended);
  bool is_nobodys(std::int64_t id);  // it is kept, and no owner is known
  void put(const FinishedFile& file, std::int64_t source_id);

  std::vector<SourceRow> all();                             // without state
  std::vector<SourceRow> imports(const std::string& head);  // that are complete, without state
  std::optional<SourceRow> find(std::int64_t id);           // with state
  // No import. One that is not gone comes first, and of these the newest.
  std::optional<SourceRow> find_followed(const std::string& path);
  std::vector<std::int64_t> with_running_runs();
  std::vector<std::int64_t> without_runs();
  std::vector<FinishedFile> finished();
  std::vector<std::string> finished_of(std::int64_t id);  // the identities of one source's
  // Those of before, and of each owner's followed logs the oldest where they are more than the budget: of each log the
  // last one stays, which says that it was rotated.
  // And rows of files that are gone, without runs: those of before, and likewise an owner's that are too many, if they
  // were last looked at before `gone_before`.
  void forget_finished(Instant before, Instant gone_before);
  std::vector<std::int64_t> pending();
  void clear_pending(std::int64_t id);
  void remove(std::int64_t id);     // with all that refers to it
  void pass_over(std::int64_t id);  // its parser and counts begin anew, its offset stays
  // Writer::look_again: whether these rules were tried already, and what to do if they were not.
  bool has_tried(const std::string& rules_fingerprint);
  std::int64_t look_again(const std::string& rules_fingerprint);

 private:
  void forget_most_finished();

  sqlite::Connection& connection_;
  std::int64_t most_finished_;
  std::int64_t finished_put_ = 0;  // since those too many were last forgotten
  sqlite::Statement insert_, update_, place_, all_, imports_, find_, find_followed_, with_running_runs_,
      put_finished_, finished_, finished_of_, forget_finished_, forget_gone_;
  sqlite::Statement pending_, clear_pending_, remove_;
  sqlite::Statement pass_over_, begin_ordinals_, tried_, put_tried_, look_again_, without_runs_, is_nobodys_;
  sqlite::Statement count_of_owner_, without_runs_of_owner_, ended_of_owner_, remove_ended_,
      forget_most_finished_;
};

// SELECT of a SourceRow, with or without the tracker's state, to be read by read_source().
std::string select_sources(bool with_state);
SourceRow read_source(const sqlite::Rows& row);

}  // namespace etad
