// The logs of the history that an import may be once more: as they were when it began, and by its end, when another
// import or a follower may have been quicker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/content_identity.h"
#include "daemon/content_places.h"
#include "daemon/service/backend.h"
#include "daemon/shared_writer.h"
#include "storage/history.h"

namespace etad {

class ImportTwins {
 public:
  // `files`: where followed logs lie; none: the machine's own.
  static Result<ImportTwins> of_now(const service::ImportRequest& request, follow::FileSystem* files,
                                    SharedWriter& writer);

  // What is to be compared with the import as it comes.
  std::vector<KnownContent> contents() const;
  // The log that has just been met, by its index in `contents`; none where that is not held against the import, or where
  // it depends on what is behind.
  const SourceRow* meet(std::size_t content);

  // The import, as far as it has come.
  struct SoFar {
    const ContentIdentity& content;
    std::size_t unread;    // bytes of it, at its end, that its source has not read
    const SourceRow& row;  // its own
  };
  // It is all there: an error where what it is to replace is no beginning of it.
  Result<void> check_replaced() const;
  // Whether a file of just this was read to its end before the import began.
  Result<bool> was_finished(Writer& history, const SoFar& import) const;
  // It is all there: if it was imported before in vain, it takes that one's place.
  void note_end(const SoFar& import);
  std::int64_t replaces() const { return replaces_; }  // the import whose place this one takes; 0: none

  // Whether the history has this log by now. Asked under the lock under which the import becomes visible, so that of
  // several the first one stays.
  Result<bool> came_in_meanwhile(Writer& history, const SoFar& import) const;
  // An error where it is followed, and nobody knows yet what it is.
  Result<void> check_undecided(Writer& history, const ContentIdentity& content) const;
  // An error where its beginning was read of a followed file, and nobody reads the rest.
  Result<void> check_rest(Writer& history, const SoFar& import) const;

  static tl::unexpected<Error> another_was_first();
  static tl::unexpected<Error> was_forgotten();

 private:
  // Of a source's files that were read to their end and begin as the import.
  struct Ended {
    bool with_this = false;    // one held just this
    bool since_begun = false;  // one came to its end while the import ran
  };

  ImportTwins(const service::ImportRequest& request, follow::FileSystem* files);
  Result<void> find_replaced();
  Result<std::map<std::int64_t, Ended>> ended(Writer& history, const SoFar& import) const;
  bool is_anothers(const SourceRow& twin) const;
  bool is_fruitless(const SourceRow& row) const;
  Result<bool> has_lost_its_runs(Writer& history, std::int64_t source) const;

  ContentPlaces places_;
  std::string name_;                         // the import's
  std::optional<std::int64_t> owner_;        // who imports
  std::optional<std::int64_t> named_owner_;  // of the file of that name
  std::int64_t replaces_;
  std::optional<KnownContent> replaced_;  // what was read of the one that was asked to be replaced
  std::vector<SourceRow> sources_;
  std::vector<SourceRow> fruitless_;        // that nothing was made of
  std::vector<std::int64_t> without_runs_;  // sources, ascending
  std::set<std::string> finished_;
  std::vector<KnownContent> parts_;  // those of these that tell a log, and were followed
  std::set<std::int64_t> met_;  // begun logs with which this one begins, of fruitless_, and the replaced one
  std::optional<KnownContent> begun_;  // the longest beginning of this one that was read of a followed file
};

}  // namespace etad
