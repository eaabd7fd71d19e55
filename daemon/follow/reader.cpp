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

// The most bytes of a file to take at once. A compressed one keeps them, and many may be held open (inflate.cpp).
std::size_t block_bytes(const Content& content, const Options& options) {
  constexpr std::size_t kCompressedBlock = 128 * 1024;
  return content.compressed() ? std::min(options.batch_bytes, kCompressedBlock) : options.batch_bytes;
}

// How many bytes to ask for: what the file has, and never more than that.
OsResult<std::size_t> wanted(Content& content, std::int64_t offset, const Options& options) {
  const std::size_t most = block_bytes(content, options);
  if (content.compressed()) return most;
  const auto status = content.status();
  if (!status) return tl::unexpected(status.error());
  const std::int64_t left = std::max<std::int64_t>(status->size - offset, 0);
  return std::min<std::size_t>(most, static_cast<std::size_t>(left) + kSlack);
}

}  // namespace

// What one read gave: the bytes that the marker covers, and those behind the offset.
struct FileReader::Block {
  std::unique_ptr<char[]> bytes;
  std::int64_t begin = 0;  // where the first of them stands in the file
  std::span<char> data;    // of those behind the offset, what is still to be taken, up to the first hole
  std::size_t length = 0;  // how many were behind the offset
  bool full = false;       // as many as were asked for: there may be more
  bool hole = false;       // among them are NUL bytes that are not settled
  char last_taken = '\n';  // the byte before the offset

  std::string_view text() const { return view(data); }
  std::int64_t offset_of(std::size_t in_data) const {
    return begin + (data.data() - bytes.get()) + static_cast<std::int64_t>(in_data);
  }
  // Whether all that is behind the offset is the second byte of UTF-16's newline, and no hole at the file's end.
  bool ends_newline() const {
    if (length != 1 || *data.data() != '\0') return false;
    const std::string_view read(bytes.get(), static_cast<std::size_t>(data.data() - bytes.get()));
    const bool is_utf16 = first_hole({read.data(), read.size() + 1}, 0) == std::string_view::npos;
    return last_taken == '\n' && is_utf16 && read.find('\0') != std::string_view::npos;
  }
  void put_before(std::string_view front) {
    begin = offset_of(0) - static_cast<std::int64_t>(front.size());
    auto joined = std::make_unique_for_overwrite<char[]>(front.size() + data.size());
    std::copy(front.begin(), front.end(), joined.get());
    std::copy(data.begin(), data.end(), joined.get() + front.size());
    data = {joined.get(), front.size() + data.size()};
    bytes = std::move(joined);
  }
};

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
  const auto want = wanted(content, part_.offset, options);
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
  Block block;
  const auto same = read_behind(content, options, how, block, bytes_read);
  if (!same) return tl::unexpected(same.error());
  if (!*same) return Outcome::changed;
  const bool ends_with_nul = block.length > 0 && block.data.data()[block.length - 1] == '\0';
  const std::size_t nuls = leading_nuls(block.data);
  const bool nothing_else = nuls == block.data.size();
  if (block.ends_newline()) {
    unterminated_ = 0;
    const auto done = advance(content, part_.offset + 1);
    if (!done) return tl::unexpected(done.error());
    return *done ? Outcome::end : Outcome::changed;
  }
  if (nuls > 0 && (nothing_else || first_hole(block.text(), 0) == 0)) {  // else they are UTF-16's
    if (nothing_else && block.hole) return Outcome::hole;
    if (nothing_else && !content.compressed())
      return pass_hole(content, options, how, nuls, batch, bytes_read);
    batch.skipped_bytes += static_cast<std::int64_t>(nuls);
    block.data = block.data.subspan(nuls);
  } else {
    const auto whole = go_on_with_line(content, options.line_limit, how, block, batch);
    if (!whole) return tl::unexpected(whole.error());
    if (!*whole) return Outcome::changed;
  }
  // What the file before ended with comes before this one's bytes.
  const bool joins = !carried.empty() && (!block.data.empty() || (how.take_rest && !how.carry));
  if (joins) block.put_before(carried);

  std::size_t complete = block.text().rfind('\n') + 1;  // npos + 1 is 0
  complete += overdrawn_states(block.text().substr(complete));
  const std::string_view begun = block.text().substr(complete);
  unterminated_ = static_cast<std::int64_t>(begun.size());
  draws_bar_ = shows_pace(begun);
  if (complete == 0 && block.data.size() >= block_bytes(content, options)) {
    long_ = std::make_unique<LongLine>(options.line_limit, block.offset_of(block.data.size()));
    long_->cleaner.feed(block.text());
    return Outcome::more;
  }
  const std::int64_t from = part_.offset;
  auto taken = take_block(content, options, how, block, complete, joins, carried, batch);
  const std::int64_t left = from + static_cast<std::int64_t>(block.length) - part_.offset;
  if (taken && left == 1 && ends_with_nul && part_.offset > from) taken = Outcome::more;  // UTF-16's, perhaps
  // The rest is read again, and costs next to nothing.
  if (batch.left_some) bytes_read = std::max(bytes_read / 4, static_cast<std::size_t>(part_.offset - from));
  return taken;
}

// false: what stands before the offset is not what was read.
OsResult<bool> FileReader::read_behind(Content& content, const Options& options, const How& how, Block& block,
                                       std::size_t& bytes_read) const {
  const std::size_t behind = part_.marker.length;
  const auto want = wanted(content, part_.offset, options);
  if (!want) return tl::unexpected(want.error());
  block.bytes = std::make_unique_for_overwrite<char[]>(behind + *want);
  block.begin = part_.offset - static_cast<std::int64_t>(behind);
  const auto got = content.read(block.begin, {block.bytes.get(), behind + *want});
  if (!got) return tl::unexpected(got.error());
  if (*got < behind || (behind > 0 && Fingerprint::of({block.bytes.get(), behind}) != part_.marker))
    return false;
  bytes_read += behind + *want;  // what it costs in memory, which for a small file is more than it has
  block.length = *got - behind;
  block.full = *got == behind + *want;
  block.last_taken = behind > 0 ? block.bytes[behind - 1] : '\n';
  block.data = {block.bytes.get() + behind, block.length};
  const std::size_t before_hole = until_hole(block.data, how.settled - part_.offset);
  block.hole = before_hole < block.length;
  block.data = block.data.first(before_hole);
  return true;
}

// Where the offset stands within a line that was taken as it was, and the line goes on, what was taken of it
// is read again and put before the rest. false: it is not there any more.
OsResult<bool> FileReader::go_on_with_line(Content& content, std::size_t line_limit, const How& how,
                                           Block& block, Batch& batch) const {
  if (block.last_taken == '\n' || block.data.empty()) return true;
  if (block.last_taken == '\r') {  // what stood before us was a state of a bar, or a line's end
    if (block.data[0] == '\n') block.data = block.data.subspan(1);
    return true;
  }
  const std::size_t newline = block.text().find('\n');
  if (newline == 0 || (newline == 1 && block.data[0] == '\r')) {  // only its end was missing
    block.data = block.data.subspan(newline + 1);
    return true;
  }
  if (block.data.size() > 1 && block.data[0] == '\r') {  // and is drawn over
    block.data = block.data.subspan(1);
    return true;
  }
  if (newline == std::string_view::npos && !how.take_rest) return true;
  const auto first = line_begin(content, line_limit);
  if (!first) return tl::unexpected(first.error());
  std::string torn(static_cast<std::size_t>(part_.offset - *first), '\0');
  const auto again = content.read(*first, torn);
  if (!again) return tl::unexpected(again.error());
  if (*again < torn.size()) return false;
  block.put_before(torn);
  LineLosses known;
  torn.resize(clean_line(torn, line_limit, known).size());
  batch.torn = std::move(torn);
  return true;
}

// Takes the lines of the block's first `complete` bytes and, where nothing more will come, of the rest, and
// stands behind them. With `joined` the data begin with the parts of a line that were carried here.
OsResult<FileReader::Outcome> FileReader::take_block(Content& content, const Options& options, const How& how,
                                                     Block& block, std::size_t complete, bool joined,
                                                     std::string& carried, Batch& batch) {
  const std::size_t carried_bytes = joined ? carried.size() : 0;
  bool rest = how.take_rest && !block.full && !block.hole;
  const std::int64_t end_if_whole = block.offset_of(rest ? block.data.size() : complete);
  const std::int64_t end_of_block = block.offset_of(block.data.size());
  const auto grown = grow_head(content, end_if_whole);
  if (!grown) return tl::unexpected(grown.error());
  if (!*grown) return Outcome::changed;
  // Cleaning writes over the bytes, so where we are going to stand is fingerprinted first.
  const auto whole_bytes = static_cast<std::size_t>(end_if_whole - block.begin);
  const Fingerprint marker = marker_fingerprint({block.bytes.get(), whole_bytes}, false);

  const LineBlock lines{block.data.first(complete),
                        block.data.subspan(complete),
                        rest,
                        block.length >= block_bytes(content, options),
                        how.carry,
                        how.most_lines};
  const std::size_t taken = take_lines(lines, options.line_limit, batch);
  rest = rest && !batch.left_some;
  std::int64_t taken_to = block.offset_of(std::max(taken, carried_bytes));
  batch.bytes = std::move(block.bytes);
  std::string parts = taken >= carried_bytes && joined ? std::string() : carried;
  if (rest && taken_to < end_if_whole) {  // a line's parts, as they were before they were cleaned
    const std::size_t before = parts.size();
    parts.resize(before + static_cast<std::size_t>(end_if_whole - taken_to));
    const auto again = content.read(taken_to, std::span(parts).subspan(before));
    if (!again) return tl::unexpected(again.error());
    if (*again < parts.size() - before) return Outcome::changed;
    if (parts.back() != '\n') parts += '\n';
    taken_to = end_if_whole;
  }
  // Of a line that went on after it was taken, only the line was read again.
  const bool holds_marker =
      static_cast<std::int64_t>(whole_bytes) >= std::min<std::int64_t>(end_if_whole, kMarkerBytes);
  if (taken_to == end_if_whole && !joined && holds_marker) {
    part_.offset = end_if_whole;
    part_.marker = marker;
  } else if (const auto done = advance(content, taken_to); !done) {
    return tl::unexpected(done.error());
  } else if (!*done) {
    return Outcome::changed;
  }
  carried = std::move(parts);
  unterminated_ = rest || batch.left_some ? 0 : end_of_block - taken_to;
  if (batch.left_some) return Outcome::more;
  return block.hole ? Outcome::hole : block.full ? Outcome::more : Outcome::end;
}

// Where the line began that the offset stands in; the offset itself where that is too far back.
OsResult<std::int64_t> FileReader::line_begin(Content& content, std::size_t limit) const {
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
  const auto want = wanted(content, long_->scanned, options);
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
  const bool records = records_.value_or(RecordFile::none) != RecordFile::none;
  part_.marker = marker_fingerprint({bytes.data(), length}, records);
  part_.offset = offset;
  return true;
}

}  // namespace etad::follow
