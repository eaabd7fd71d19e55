#include "daemon/follow/journal.h"

#include <algorithm>
#include <span>
#include <system_error>

#include "parsers/lines/line_block.h"

namespace etad::follow {
namespace {

constexpr std::string_view kPrefix = "journal:";

}  // namespace

bool is_journal(std::string_view path) {
  return path.starts_with(kPrefix);
}

std::vector<std::string> journal_matches(std::string_view path) {
  std::vector<std::string> out;
  path.remove_prefix(std::min(path.size(), kPrefix.size()));
  while (!path.empty()) {
    const std::size_t comma = std::min(path.find(','), path.size());
    const std::string match(path.substr(0, comma));
    path.remove_prefix(std::min(comma + 1, path.size()));
    if (match.empty()) continue;
    out.push_back(match.find('=') == std::string::npos ? "_SYSTEMD_UNIT=" + match : match);
  }
  return out;
}

bool JournalStream::look(const Options& options, std::size_t& budget, std::vector<Batch>& out) {
  Batch batch;
  batch.stream = id_;
  batch.tag = tag_;
  batch.path = path_;
  const auto done = read(options, budget, batch);
  const std::string error =
      done ? std::string() : "waiting: " + std::generic_category().message(done.error());
  if (!done) reader_.reset();
  batch.error_changed = error != error_;
  batch.error = error_ = error;
  if (batch.lines.empty() && !batch.error_changed) return false;
  position_.path = path_;
  position_.identity = "journal";
  batch.state = error.empty() ? State::following : State::waiting;
  batch.after = position_;
  batch.caught_up = caught_up_;
  out.push_back(std::move(batch));
  return done && !caught_up_;
}

OsResult<void> JournalStream::read(const Options& options, std::size_t& budget, Batch& batch) {
  if (!reader_) {
    auto opened = open_(journal_matches(path_));
    if (!opened) return tl::unexpected(opened.error());
    if (const auto sought = (*opened)->seek(position_.marker); !sought) return sought;
    reader_ = std::move(*opened);
  }
  std::size_t bytes = 0;
  std::int64_t entries = 0;
  while (bytes < std::min(budget, options.batch_bytes)) {
    const auto entry = reader_->next();
    if (!entry && entries == 0) return tl::unexpected(entry.error());
    caught_up_ = !entry || !*entry;
    if (caught_up_) break;  // an error comes again when there is nothing else to tell
    bytes += (*entry)->message.size() + 1;
    ++entries;
    batch.modified = (*entry)->at;
    take(**entry, options.line_limit, batch);
  }
  budget -= std::min(budget, bytes);
  if (entries == 0) return {};
  const auto cursor = reader_->cursor();
  if (!cursor) {
    batch.lines.clear();  // read again: without a cursor they would be counted twice, as would what they lost
    batch.truncated_lines = batch.skipped_bytes = 0;
    return tl::unexpected(cursor.error());
  }
  position_.marker = *cursor;
  position_.offset += entries;
  return {};
}

// An entry's message may have several lines; all of them have its time.
void JournalStream::take(const JournalEntry& entry, std::size_t line_limit, Batch& batch) {
  std::string& text = batch.joined.emplace_back(entry.message);
  text += '\n';
  const std::size_t before = batch.lines.size();
  take_lines({text, {}, true, true}, line_limit, batch);
  for (Line& line : std::span(batch.lines).subspan(before))
    if (!line.time) line.time = entry.at;
  batch.truncated_lines += entry.cut ? 1 : 0;
}

void JournalStream::rewind() {
  position_ = committed_;
  reader_.reset();
  error_.clear();
}

Status JournalStream::status() const {
  Status out;
  out.stream = id_;
  out.tag = tag_;
  out.path = path_;
  out.state = error_.empty() ? State::following : State::waiting;
  out.text = error_.empty() ? "following" : error_;
  out.offset = out.size = position_.offset;
  out.caught_up = caught_up_;
  out.open = reader_ != nullptr;
  return out;
}

}  // namespace etad::follow
