#include "daemon/follow/identity.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "parsers/base/hash.h"
#include "parsers/base/number.h"
#include "parsers/base/text.h"
#include "parsers/lines/record_file.h"

namespace etad::follow {
namespace {

// FNV-1a, then the finaliser of MurmurHash3, without which its low bits are weak. Not against an adversary:
// who can write our logs can write anything into them.
std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = fnv1a(bytes);
  hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return hash ^ (hash >> 33U);
}

std::string hex(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return {digits.data(), end};
}

}  // namespace

Fingerprint Fingerprint::of(std::string_view bytes) {
  return {static_cast<std::uint32_t>(bytes.size()), hash_of(bytes)};
}

std::optional<Fingerprint> Fingerprint::parse(std::string_view text) {
  const auto length = parse_number<std::uint32_t>(take_until(text, ':'));
  const auto hash = parse_number<std::uint64_t>(text, 16);
  return length && hash ? std::optional(Fingerprint{*length, *hash}) : std::nullopt;
}

std::string Fingerprint::text() const {
  return length == 0 ? std::string() : std::to_string(length) + ":" + hex(hash);
}

namespace {

// In UTF-16, where every second byte of what is Latin is NUL. Of any three bytes two are one character, and none is NUL.
constexpr std::string_view kHole("\0\0\0", 3);

bool is_utf16(std::string_view bytes) {
  std::size_t alone = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] == '\0' && !(i > 0 && bytes[i - 1] == '\0') && !bytes.substr(i + 1).starts_with('\0'))
      ++alone;
  return 4 * alone > bytes.size();
}

}  // namespace

std::size_t first_hole(std::string_view content, std::size_t from) {
  const std::size_t nul = content.find('\0', from);
  if (nul == std::string_view::npos) return nul;
  const std::size_t hole = content.find(kHole, from);
  return is_utf16(content.substr(from, hole - from)) ? hole : nul;
}

bool holds_records(std::string_view beginning) {
  return record_file(beginning.substr(0, kRecordHead)) != RecordFile::none;
}

// Up to the first hole and from behind the last: where one is now, bytes may come late.
Fingerprint head_fingerprint(std::string_view content) {
  content = content.substr(0, kHeadBytes);
  if (holds_records(content)) return Fingerprint::of(content);
  return Fingerprint::of(content.substr(0, first_hole(content, 0)));
}

Fingerprint marker_fingerprint(std::string_view content, bool records) {
  content.remove_prefix(content.size() - std::min(content.size(), kMarkerBytes));
  if (records) return Fingerprint::of(content);
  const std::size_t hole = content.rfind(kHole);
  const std::string_view text =
      hole == std::string_view::npos ? content : content.substr(hole + kHole.size());
  return Fingerprint::of(is_utf16(text) ? text : content.substr(content.rfind('\0') + 1));  // npos + 1 is 0
}

std::optional<Identity> Identity::parse(std::string_view text) {
  const auto device = parse_number<std::uint64_t>(take_until(text, ':'));
  const auto inode = parse_number<std::uint64_t>(take_until(text, ':'));
  const auto modified = parse_number<std::int64_t>(take_until(text, ':'));
  const auto born = text.empty() ? std::optional<std::int64_t>(0) : parse_number<std::int64_t>(text);
  if (!device || !inode || !modified || !born) return std::nullopt;
  return Identity{{*device, *inode, *born}, Instant(std::chrono::microseconds(*modified))};
}

std::string Identity::text() const {
  return std::to_string(key.device) + ":" + std::to_string(key.inode) + ":" +
         std::to_string(modified.time_since_epoch().count()) + ":" + std::to_string(key.born);
}

Standing Standing::of(const Position& position) {
  return {true,
          Identity::parse(position.identity),
          ReadPart{position.offset, Fingerprint::parse(position.head).value_or(Fingerprint{}),
                   Fingerprint::parse(position.marker).value_or(Fingerprint{})},
          position.size,
          position.carried,
          position.owner};
}

Position Standing::at(const std::string& path) const {
  return {path,
          identity ? identity->text() : std::string(),
          part.offset,
          part.marker.text(),
          part.head.text(),
          size,
          carried,
          owner};
}

std::string head_of(std::string_view content) {
  return head_fingerprint(content).text();
}

bool matches_head(std::string_view content, std::string_view head) {
  const auto expected = Fingerprint::parse(head);
  return expected && expected->length > 0 && content.size() >= expected->length &&
         Fingerprint::of(content.substr(0, expected->length)) == *expected;
}

std::string marker_of(std::string_view content, bool records) {
  return marker_fingerprint(content, records).text();
}

bool matches_marker(std::string_view before_offset, std::string_view marker) {
  const auto expected = Fingerprint::parse(marker);
  return expected && expected->length > 0 && before_offset.size() >= expected->length &&
         Fingerprint::of(before_offset.substr(before_offset.size() - expected->length)) == *expected;
}

std::string finished_identity(std::string_view head, std::int64_t content_size, std::string_view marker) {
  return std::string(head) + "/" + std::to_string(content_size) + "/" + std::string(marker);
}

std::string_view content_of_finished(std::string_view identity) {
  std::size_t end = identity.find('/');
  for (int more = 2; more > 0 && end != std::string_view::npos; --more) end = identity.find('/', end + 1);
  return identity.substr(0, end);
}

std::string with_holder(const std::string& content, const Holder& holder) {
  const auto& [key, owner] = holder;
  return content + "/" + std::to_string(key.device) + ":" + std::to_string(key.inode) + ":" +
         std::to_string(key.born) + (owner ? ":" + std::to_string(*owner) : std::string());
}

std::optional<Holder> holder_of_finished(std::string_view identity) {
  const std::size_t length = content_of_finished(identity).size();
  if (length == identity.size()) return std::nullopt;
  identity.remove_prefix(length + 1);
  const auto device = parse_number<std::uint64_t>(take_until(identity, ':'));
  const auto inode = parse_number<std::uint64_t>(take_until(identity, ':'));
  const auto born = parse_number<std::int64_t>(take_until(identity, ':'));
  if (!device || !inode || !born) return std::nullopt;
  return Holder{{*device, *inode, *born}, parse_number<std::int64_t>(identity)};
}

std::optional<ReadPart> part_of_finished(std::string_view identity) {
  identity = content_of_finished(identity);
  const auto head = Fingerprint::parse(take_until(identity, '/')).value_or(Fingerprint{});
  const auto offset = parse_number<std::int64_t>(take_until(identity, '/'));
  if (!offset) return std::nullopt;
  return ReadPart{*offset, head, Fingerprint::parse(identity).value_or(Fingerprint{})};
}

std::string finished_identity(const ReadPart& part) {
  return finished_identity(part.head.text(), part.offset, part.marker.text());
}

}  // namespace etad::follow
