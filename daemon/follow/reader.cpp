#include "daemon/follow/reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "parsers/lines/line_block.h"

namespace etad::follow {
namespace {

// A file that grows while we look at it should not cost a second read; much more would use up what a turn may read.
constexpr std::size_t kSlack = 256;

std::string_view view(std::span<const char> bytes) {
  return {bytes.data(), bytes.size()};
}

bool all_nul(std::span<const char> bytes) {
  return !bytes.empty() && bytes[0] == '\0' &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

std::size_t leading_nuls(std::span<const char> bytes) {
  const auto first = std::find_if(bytes.begin(), bytes.end(), [](char c) { return c != '\0'; });
  return static_cast<std::size_t>(first - bytes.begin());
}

// How many of these bytes come before the line that holds the first hole at or behind `settled`.
std::size_t until_hole(std::span<const char> data, std::int64_t settled) {
  const auto length = static_cast<std::int64_t>(data.size());
  const auto from = static_cast<std::size_t>(std::clamp<std::int64_t>(settled, 0, length));
  const std::size_t nul = first_hole(view(data), from);
  return nul == std::string_view::npos ? data.size() : view(data).substr(0, nul).rfind('\n') + 1;
}

// How many bytes to ask for: what the file has, and never more than a batch.
OsResult<std::size_t> wanted(Content& content, std::int64_t offset, std::size_t batch_bytes) {
  if (content.compressed()) return batch_bytes;
  const auto status = content.status();
  if (!status) return tl::unexpected(status.error());
  const std::int64_t left = std::max<std::int64_t>(status->size - offset, 0);
  return std::min<std::size_t>(batch_bytes, static_cast<std::size_t>(left) + kSlack);
}

}  // namespace

FileReader::LongLine::LongLine(std::size_t limit, std::int64_t scanned_to)
    : text(limit, '\0'), cleaner(text.data(), limit), scanned(scanned_to) {}

OsResult<FileReader::Outcome> FileReader::read(Content& content, const Options& options, const How& how,
                                               std::string& carried, Batch& batch, std::size_t& bytes_read) {
  if (long_) return read_long(content, options, how.take_rest, batch, bytes_read);
  const auto kind = records_of(content);
  if (!kind) return tl::unexpected(kind.error());
  return *kind == RecordFile::none ? read_block(content, options, how, carried, batch, bytes_read)
                                   : read_records(*kind, content, options, how, batch, bytes_read);
}

Errno FileReader::error_behind(Content& content) const {
  char byte = 0;
  const auto got = content.read(part_.offset + unterminated_, {&byte, 1});
  return got ? 0 : got.error();
}

// Nobody compresses files of records, and of what is inflated the front is dear to look at again.
OsResult<RecordFile> FileReader::records_of(Content& content) {
  if (records_ || content.compressed()) return records_.value_or(RecordFile::none);
  std::array<char, kRecordHead> head{};
  const auto got = content.read(0, head);
  if (!got) return tl::unexpected(got.error());
  const RecordFile kind = record_file(view(head).substr(0, *got));
  if (kind != RecordFile::none || *got == head.size()) records_ = kind;
  return kind;
}

// A record that is longer than a batch is a picture or a graph: it is passed over as soon as it is all there.
OsResult<FileReader::Outcome> FileReader::read_records(RecordFile kind, Content& content,
                                                       const Options& options, const How& how, Batch& batch,
                                                       std::size_t& bytes_read) {
  const auto same = matches(content, part_);
  if (!same) return tl::unexpected(same.error());
  if (!*same) return Outcome::changed;
  const auto want = wanted(content, part_.offset, options.batch_bytes);
  if (!want) return tl::unexpected(want.error());
  auto buffer = std::make_unique_for_overwrite<char[]>(*want);
  const auto got = content.read(part_.offset, {buffer.get(), *want});
  if (!got) return tl::unexpected(got.error());
  bytes_read += *want;
  const bool full = *got == *want;
  const auto length = static_cast<std::int64_t>(*got);
  const std::int64_t settled =
      how.take_rest && !full ? length : std::clamp<std::int64_t>(how.settled - part_.offset, 0, length);
  std::vector<std::string> lines;
  const RecordPiece piece{
      {buffer.get(), *got}, part_.offset, static_cast<std::size_t>(settled), *got >= options.batch_bytes};
  const TakenRecords records = take_records(kind, piece, options.line_limit, lines);
  for (std::string& line : lines) batch.lines.emplace_back(batch.joined.emplace_back(std::move(line)));
  batch.skipped_bytes += static_cast<std::int64_t>(records.skipped);
  batch.truncated_lines += static_cast<std::int64_t>(records.truncated);
  std::int64_t reached = part_.offset + static_cast<std::int64_t>(records.passed);
  unterminated_ = how.take_rest ? 0 : length - static_cast<std::int64_t>(records.passed);
  bool more = full && records.passed > 0;
  if (records.passed == 0 && *got >= options.batch_bytes && records.next > *got) {
    char last = 0;
    const std::int64_t end = part_.offset + static_cast<std::int64_t>(records.next);
    const auto there = content.read(end - 1, {&last, 1});
    if (!there) return tl::unexpected(there.error());
    more = *there == 1;
    if (more) {
      reached = end;
      ++batch.truncated_lines;
    }
  }
  const auto done = advance(content, reached);
  if (!done) return tl::unexpected(done.error());
  if (!*done) return Outcome::changed;
  return records.damaged ? Outcome::hole : more ? Outcome::more : Outcome::end;
}

OsResult<FileReader::Outcome> FileReader::read_block(Content& content, const Options& options, const How& how,
                                                     std::string& carried, Batch& batch,
                                                     std::size_t& bytes_read) {
  const std::size_t behind = part_.marker.length;
  const auto want = wanted(content, part_.offset, options.batch_bytes);
  if (!want) return tl::unexpected(want.error());
  auto buffer = std::make_unique_for_overwrite<char[]>(behind + *want);
  std::int64_t begin = part_.offset - static_cast<std::int64_t>(behind);
  const auto got = content.read(begin, {buffer.get(), behind + *want});
  if (!got) return tl::unexpected(got.error());
  if (*got < behind || (behind > 0 && Fingerprint::of({buffer.get(), behind}) != part_.marker))
    return Outcome::changed;
  bytes_read += behind + *want;  // what it costs in memory, which for a small file is more than it has
  const std::size_t length = *got - behind;
  const bool full = *got == behind + *want;

  std::span<char> data(buffer.get() + behind, length);
  const std::size_t before_hole = until_hole(data, how.settled - part_.offset);
  const bool hole = before_hole < length;
  data = data.first(before_hole);
  if (!data.empty() && data[0] == '\0') {
    const std::size_t nuls = leading_nuls(data);
    if (nuls == data.size() && hole) return Outcome::hole;
    if (nuls == data.size() && !content.compressed())
      return pass_hole(content, options, how, nuls, batch, bytes_read);
    batch.skipped_bytes += static_cast<std::int64_t>(nuls);
    data = data.subspan(nuls);
  } else if (behind > 0 && buffer[behind - 1] == '\r') {
    // What stood before us was a state of a bar, or a line's end.
    if (!data.empty() && data[0] == '\n') data = data.subspan(1);
  } else if (behind > 0 && buffer[behind - 1] != '\n') {  // we stand within a line that was taken as it was
    const std::size_t newline = view(data).find('\n');
    if (newline == 0 || (newline == 1 && data[0] == '\r')) {
      data = data.subspan(newline + 1);
    } else if (data.size() > 1 && data[0] == '\r') {  // and is drawn over
      data = data.subspan(1);
    } else if (newline != std::string_view::npos || (how.take_rest && !data.empty())) {
      const auto first = line_begin(content, options.line_limit);
      if (!first) return tl::unexpected(first.error());
      const auto torn = static_cast<std::size_t>(part_.offset - *first);
      auto whole = std::make_unique_for_overwrite<char[]>(torn + data.size());
      const auto again = content.read(*first, {whole.get(), torn});
      if (!again) return tl::unexpected(again.error());
      if (*again < torn) return Outcome::changed;
      std::copy(data.begin(), data.end(), whole.get() + torn);
      data = {whole.get(), torn + data.size()};
      batch.torn.assign(whole.get(), torn);
      LineLosses known;
      batch.torn.resize(clean_line(batch.torn, options.line_limit, known).size());
      buffer = std::move(whole);
      begin = *first;
    }
  }
  // What the file before ended with comes before this one's bytes.
  const bool joins = !carried.empty() && (!data.empty() || (how.take_rest && !how.carry));
  const std::size_t prefix = joins ? carried.size() : 0;
  if (joins) {
    begin += data.data() - buffer.get() - static_cast<std::ptrdiff_t>(prefix);
    auto whole = std::make_unique_for_overwrite<char[]>(prefix + data.size());
    std::copy(carried.begin(), carried.end(), whole.get());
    std::copy(data.begin(), data.end(), whole.get() + prefix);
    data = {whole.get(), prefix + data.size()};
    buffer = std::move(whole);
  }
  std::size_t complete = view(data).rfind('\n') + 1;  // npos + 1 is 0
  complete += overdrawn_states(view(data).substr(complete));
  unterminated_ = static_cast<std::int64_t>(data.size() - complete);
  draws_bar_ = shows_pace(view(data).substr(complete));

  if (complete == 0 && data.size() >= options.batch_bytes) {
    const std::int64_t at = begin + (data.data() + data.size() - buffer.get());
    long_ = std::make_unique<LongLine>(options.line_limit, at);
    long_->cleaner.feed(view(data));
    return Outcome::more;
  }

  // Cleaning writes over the bytes, so where we are going to stand is fingerprinted first.
  const auto stand = [&](std::size_t in_data) {
    return begin + (data.data() - buffer.get()) + static_cast<std::int64_t>(in_data);
  };
  const auto marker_at = [&](std::int64_t offset) {
    return marker_fingerprint({buffer.get(), static_cast<std::size_t>(offset - begin)});
  };
  const bool rest = how.take_rest && !full && !hole;
  const std::int64_t expected = stand(rest ? data.size() : complete);
  const auto grown = grow_head(content, expected);
  if (!grown) return tl::unexpected(grown.error());
  if (!*grown) return Outcome::changed;
  const Fingerprint marker = marker_at(expected);

  const LineBlock block{data.first(complete), data.subspan(complete), rest, length >= options.batch_bytes,
                        how.carry};
  const std::size_t settled = take_lines(block, options.line_limit, batch);
  std::int64_t reached = stand(std::max(settled, prefix));
  const std::int64_t end = stand(data.size());
  batch.bytes = std::move(buffer);
  std::string parts = settled >= prefix && joins ? std::string() : carried;
  if (rest && reached < expected) {  // a line's parts, as they were before they were cleaned
    const std::size_t before = parts.size();
    parts.resize(before + static_cast<std::size_t>(expected - reached));
    const auto again = content.read(reached, std::span(parts).subspan(before));
    if (!again) return tl::unexpected(again.error());
    if (*again < parts.size() - before) return Outcome::changed;
    if (parts.back() != '\n') parts += '\n';
    reached = expected;
  }
  // Of a line that went on after it was taken, only the line was read again.
  const bool holds_marker = expected - begin >= std::min(expected, std::int64_t{kMarkerBytes});
  if (reached == expected && !joins && holds_marker) {
    part_.offset = expected;
    part_.marker = marker;
  } else if (const auto done = advance(content, reached); !done) {
    return tl::unexpected(done.error());
  } else if (!*done) {
    return Outcome::changed;
  }
  carried = std::move(parts);
  unterminated_ = rest ? 0 : end - reached;
  return hole ? Outcome::hole : full ? Outcome::more : Outcome::end;
}

// Where the line began that the offset stands in; the offset itself where that is too far back.
OsResult<std::int64_t> FileReader::line_begin(Content& content, std::size_t limit) {
  std::string bytes(
      static_cast<std::size_t>(std::min<std::int64_t>(part_.offset, static_cast<std::int64_t>(limit) + 1)),
      '\0');
  const std::int64_t from = part_.offset - static_cast<std::int64_t>(bytes.size());
  const auto got = content.read(from, bytes);
  if (!got) return tl::unexpected(got.error());
  const std::size_t end_of_last = bytes.find_last_of(std::string_view("\r\n\0", 3));
  if (end_of_last != std::string::npos) return from + static_cast<std::int64_t>(end_of_last) + 1;
  return from == 0 ? 0 : part_.offset;
}

// From the offset on there are `nuls` NUL bytes, and perhaps more. They are passed over as soon as it is
// known what is behind them: a file may have been given its length before its bytes.
OsResult<FileReader::Outcome> FileReader::pass_hole(Content& content, const Options& options, const How& how,
                                                    std::size_t nuls, Batch& batch, std::size_t& bytes_read) {
  unterminated_ = 0;
  const std::int64_t looked = std::max(hole_until_, part_.offset + static_cast<std::int64_t>(nuls));
  const std::int64_t at = content.next_data(looked);
  auto buffer = std::make_unique_for_overwrite<char[]>(options.batch_bytes);
  const auto got = content.read(at, {buffer.get(), options.batch_bytes});
  if (!got) return tl::unexpected(got.error());
  bytes_read += *got + 1;
  const std::size_t more = leading_nuls({buffer.get(), *got});
  hole_until_ = at + static_cast<std::int64_t>(more);
  const bool at_end = *got == 0;
  if (at_end && !how.take_rest) return Outcome::end;
  if (hole_until_ > how.settled) return Outcome::hole;
  if (!at_end && more == *got) return Outcome::more;
  const std::int64_t from = part_.offset;
  const auto done = advance(content, std::exchange(hole_until_, 0));
  if (!done) return tl::unexpected(done.error());
  batch.skipped_bytes += part_.offset - from;
  return !*done ? Outcome::changed : at_end ? Outcome::end : Outcome::more;
}

OsResult<FileReader::Outcome> FileReader::read_long(Content& content, const Options& options, bool take_rest,
                                                    Batch& batch, std::size_t& bytes_read) {
  // What is inflated goes on where it was, whatever became of the file.
  const auto same = content.compressed() ? OsResult<bool>(true) : matches(content, part_);
  if (!same) return tl::unexpected(same.error());
  if (!*same) return Outcome::changed;
  const auto want = wanted(content, long_->scanned, options.batch_bytes);
  if (!want) return tl::unexpected(want.error());
  auto buffer = std::make_unique_for_overwrite<char[]>(*want);
  const auto got = content.read(long_->scanned, {buffer.get(), *want});
  if (!got) return tl::unexpected(got.error());
  bytes_read += *got;
  const std::string_view data(buffer.get(), *got);
  const bool full = *got == *want;
  const std::size_t newline = data.find('\n');
  const bool ended = newline != std::string_view::npos;
  long_->cleaner.feed(data.substr(0, newline));
  long_->scanned += static_cast<std::int64_t>(ended ? newline + 1 : data.size());
  unterminated_ = long_->scanned - part_.offset;
  if (!ended && full && all_nul(data)) {
    const std::int64_t next = content.next_data(long_->scanned);
    long_->hole_bytes += next - long_->scanned;
    long_->scanned = next;
  }
  if (!ended && !(take_rest && !full)) return full ? Outcome::more : Outcome::end;

  LineLosses losses;
  const std::size_t length = long_->cleaner.finish(losses);
  batch.truncated_lines += losses.truncated_lines;
  batch.skipped_bytes += losses.skipped_bytes + long_->hole_bytes;
  const std::string& text = batch.joined.emplace_back(std::move(long_->text));
  batch.lines.emplace_back(std::string_view(text).substr(0, length));
  const std::int64_t reached = long_->scanned;
  long_.reset();
  unterminated_ = 0;
  const auto done = advance(content, reached);
  if (!done) return tl::unexpected(done.error());
  return !*done ? Outcome::changed : ended || full ? Outcome::more : Outcome::end;
}

// The head grows with what has been read, up to its full length; false: what it covered has changed.
OsResult<bool> FileReader::grow_head(Content& content, std::int64_t offset) {
  if (part_.head.length >= kHeadBytes || offset <= static_cast<std::int64_t>(part_.head.length)) return true;
  std::array<char, kHeadBytes> bytes{};
  const auto length = static_cast<std::size_t>(std::min<std::int64_t>(offset, kHeadBytes));
  const auto got = content.read(0, std::span(bytes).first(length));
  if (!got) return tl::unexpected(got.error());
  if (*got < length) return false;
  if (part_.head.length > 0 && Fingerprint::of({bytes.data(), part_.head.length}) != part_.head) return false;
  part_.head = head_fingerprint({bytes.data(), length});
  return true;
}

// To an offset whose bytes are not at hand any more.
OsResult<bool> FileReader::advance(Content& content, std::int64_t offset) {
  if (offset == part_.offset) return true;
  if (const auto grown = grow_head(content, offset); !grown || !*grown) return grown;
  std::array<char, kMarkerBytes> bytes{};
  const auto length = static_cast<std::size_t>(std::min<std::int64_t>(offset, kMarkerBytes));
  const auto got = content.read(offset - static_cast<std::int64_t>(length), std::span(bytes).first(length));
  if (!got) return tl::unexpected(got.error());
  if (*got < length) return false;
  part_.marker = marker_fingerprint({bytes.data(), length});
  part_.offset = offset;
  return true;
}

}  // namespace etad::follow
