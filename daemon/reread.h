// Reads a followed file again from its beginning, with the rules of now, beside its being followed: into a
// source that nobody sees until it takes the place of the old one, in one transaction, with labels and track
// record handed over. A kill in between leaves all as it was.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/follow/filesystem.h"
#include "daemon/ingest_thread.h"
#include "daemon/shared_writer.h"

namespace etad {

class Reread {
 public:
  // `setup`: what the source is followed by. An error: it can't be read again, and why.
  static Result<std::unique_ptr<Reread>> of(std::int64_t source_id, const IngestSetup& setup,
                                            SharedWriter& writer);
  ~Reread();  // without having replaced the source: what was read is dropped

  // Reads to the end of the file as it is now; once more to take what has come since. `stop` ends it early,
  // with an error.
  Result<void> read(const std::atomic<bool>& stop);
  // While nobody follows the source: what was read takes its place.
  Result<void> replace();

 private:
  Reread(SourceRow old, SharedWriter& writer) : old_(std::move(old)), writer_(writer) {}
  bool lies_there(const SourceRow& read) const;
  Result<void> check_imports(Writer& history, const SourceRow& fresh) const;
  Result<void> check_others(Writer& history, const SourceRow& fresh) const;

  SourceRow old_;
  SharedWriter& writer_;
  std::unique_ptr<follow::FileSystem> files_;
  std::unique_ptr<follow::Follower> follower_;
  std::unique_ptr<Ingest> ingest_;
};

// Whether a source can be read again at all: its file must still hold what came of it.
Result<SourceRow> rereadable_source(Writer& history, std::int64_t source_id);

// After an upgrade: sources of which a run is going on, and whose parser's state an older version wrote in a form
// that this one does not know, are read again from their beginning. While nobody follows them. What comes back
// are those for which it can't be done, and why: their running runs end where they are.
std::vector<Error> reread_outdated(const IngestSetup& setup, SharedWriter& writer,
                                   const std::atomic<bool>& stop);

}  // namespace etad
