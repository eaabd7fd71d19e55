#include <systemd/sd-journal.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "daemon/follow/journal.h"

namespace etad::follow {
namespace {

constexpr std::size_t kLongestField = 1024 * 1024;  // what is behind it is not even decompressed

class SystemdJournal final : public JournalReader {
 public:
  explicit SystemdJournal(sd_journal* journal) : journal_(journal) {}
  ~SystemdJournal() override { sd_journal_close(journal_); }
  SystemdJournal(const SystemdJournal&) = delete;
  SystemdJournal& operator=(const SystemdJournal&) = delete;

  OsResult<void> match(const std::string& field) {
    const int done = sd_journal_add_match(journal_, field.data(), field.size());
    if (done < 0) return tl::unexpected(-done);
    return {};
  }

  OsResult<void> seek(const std::string& cursor) override {
    if (cursor.empty()) return check(sd_journal_seek_head(journal_));
    if (const auto done = check(sd_journal_seek_cursor(journal_, cursor.c_str())); !done) return done;
    // Where the entry itself has been rotated out of the journal, the next one stands in its place, unread.
    const int moved = sd_journal_next(journal_);
    if (moved < 0) return tl::unexpected(-moved);
    if (moved > 0 && sd_journal_test_cursor(journal_, cursor.c_str()) == 0) unread_ = true;
    return {};
  }

  OsResult<std::optional<JournalEntry>> next() override {
    const void* data = nullptr;
    std::size_t size = 0;
    for (;;) {
      if (!std::exchange(unread_, false)) {
        int moved = sd_journal_next(journal_);
        if (moved == 0 && sd_journal_wait(journal_, 0) > 0) moved = sd_journal_next(journal_);  // new files
        if (moved < 0) return tl::unexpected(-moved);
        if (moved == 0) return std::optional<JournalEntry>();
      }
      std::uint64_t microseconds = 0;
      if (sd_journal_get_realtime_usec(journal_, &microseconds) < 0) continue;   // a damaged entry
      if (sd_journal_get_data(journal_, "MESSAGE", &data, &size) < 0) continue;  // one without a message
      std::string_view message(static_cast<const char*>(data), size);
      message.remove_prefix(std::min(message.size(), std::string_view("MESSAGE=").size()));
      const Instant at(std::chrono::microseconds(static_cast<std::int64_t>(microseconds)));
      return std::optional(JournalEntry{message, at, size >= kLongestField});
    }
  }

  OsResult<std::string> cursor() override {
    char* text = nullptr;
    if (const int done = sd_journal_get_cursor(journal_, &text); done < 0) return tl::unexpected(-done);
    std::string out(text);
    std::free(text);
    return out;
  }

 private:
  static OsResult<void> check(int result) {
    if (result < 0) return tl::unexpected(-result);
    return {};
  }

  sd_journal* journal_;
  bool unread_ = false;  // the entry we stand at has not been given out
};

}  // namespace

OsResult<std::unique_ptr<JournalReader>> open_journal(const std::vector<std::string>& matches) {
  sd_journal* journal = nullptr;
  if (const int done = sd_journal_open(&journal, SD_JOURNAL_LOCAL_ONLY); done < 0)
    return tl::unexpected(-done);
  auto out = std::make_unique<SystemdJournal>(journal);
  sd_journal_set_data_threshold(journal, kLongestField);
  for (const std::string& field : matches)
    if (const auto done = out->match(field); !done) return tl::unexpected(done.error());
  return out;
}

}  // namespace etad::follow
