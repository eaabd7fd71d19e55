// The runs as the writer keeps them: their rows, phase sums, labels, and the datasets they belong to.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/dataset_table.h"
#include "storage/labels.h"
#include "storage/rows.h"
#include "storage/sqlite.h"

namespace etad {

class RunTable {
 public:
  RunTable(sqlite::Connection& connection, DatasetTable& datasets);

  std::optional<std::int64_t> find(std::int64_t source_id, std::int64_t ordinal);
  std::optional<RunRow> read(std::int64_t run_id);  // of no pending source

  // Writes the run's latest state, its labels applied, and gives its id. Runs of a pending source join no dataset. A new
  // run gets `source`'s owner, and keeps it.
  std::int64_t put(std::int64_t source_id, const SourceRow& source, const Run& said, Instant now);
  void own(std::int64_t source_id, std::int64_t owner);  // gives its runs without an owner that one

  // Joules and peak bytes of that phase, as far as they are not known (history.h).
  void put_costs(std::int64_t run_id, Phase phase, const std::optional<double>& joules,
                 const std::optional<double>& peak_bytes);
  void measured(std::int64_t run_id,
                Phase phase);  // call it for new segments in that phase: its dataset changes
  // A trace of that time has come: the datasets of runs in it some of whose costs nothing tells are to be measured by it,
  // at most so many, those of the newest runs (-1: all). Of the latest 20,000 runs: more than any model rests on.
  void measure_anew(Instant from, Instant to, std::int64_t most);
  // By its user, or as found at `origin`. False: there is no such run. Where it is about other GPUs by that, their traces
  // are to tell anew what it cost.
  bool label(std::int64_t run_id, const TextMap& added, const std::string& origin = {});
  void adopt(std::int64_t source_id);           // it is pending no longer: its runs join their datasets
  void leave(std::int64_t source_id);           // its runs are about to go: their datasets change
  void remove(std::int64_t source_id);          // its runs, with all that refers to them
  void forget(std::int64_t run_id);             // one of them, for good; its datasets change
  void note_forgotten(std::int64_t source_id);  // all of its runs, which are about to go for good
  void withdraw(std::int64_t run_id);           // the same, but another may take its ordinal
  // The source's from that ordinal on.
  std::vector<std::int64_t> from(std::int64_t source_id, std::int64_t ordinal);
  bool is_forgotten(std::int64_t source_id, std::int64_t ordinal);
  std::vector<std::int64_t> runs_of(std::int64_t source_id);
  std::vector<std::int64_t> running_of_imports();  // of complete ones
  void lose(std::int64_t run_id);                  // one that is running: it is so no longer
  std::int64_t forget_owner(std::int64_t uid);     // all of an owner's, but of pending sources; how many
  // A run that two readings of a log both have: its ids. `before`: none where it was forgotten.
  struct Common {
    std::optional<std::int64_t> before;
    std::int64_t after = 0;
  };
  std::vector<Common> common(std::int64_t old, std::int64_t fresh);
  // Writer::is_beginning.
  bool is_beginning(std::int64_t copy, std::int64_t source);
  void hand_over(std::int64_t before, std::int64_t after);  // what the user said of it
  std::string architecture(std::int64_t run_id);

 private:
  void write_phases(std::int64_t run_id, const Run& run, bool pending, bool changed);
  void write_phase(std::int64_t run_id, const Run& run, Phase phase, bool pending, bool changed);

  sqlite::Connection& connection_;
  DatasetTable& datasets_;
  sqlite::Statement find_, insert_, update_, progress_, read_, of_source_, architecture_;
  sqlite::Statement phase_, put_phase_, put_sums_, forget_costs_, put_costs_, change_, without_costs_;
  sqlite::Statement running_of_imports_, lose_;
  sqlite::Statement labels_, put_labels_, said_;
  sqlite::Statement remove_, forget_, from_, note_forgotten_, note_all_, is_forgotten_, common_,
      is_beginning_;
  sqlite::Statement own_, own_phases_, datasets_of_owner_, note_owners_, forget_owners_;
};

}  // namespace etad
