#include "parsers/lines/wandb_records.h"

#include <zlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "parsers/base/number.h"
#include "parsers/base/text.h"
#include "parsers/lines/protobuf.h"
#include "parsers/lines/record_text.h"

namespace etad {
namespace {

constexpr std::string_view kFileHead = {":W&B\xe1\xbe\0", 7};
constexpr std::size_t kFragmentHead = 7;
enum Type : unsigned char { kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

struct Fragment {
  unsigned char type = 0;
  std::string_view data;
  std::size_t size() const { return kFragmentHead + data.size(); }
};

bool is_checksum_of(std::uint32_t stored, const Fragment& fragment) {
  const auto* data = reinterpret_cast<const Bytef*>(fragment.data.data());
  const uLong of_type = crc32(0, &fragment.type, 1);
  return crc32(of_type, data, static_cast<uInt>(fragment.data.size())) == stored;
}

// A named value, "a" or, of nested ones, "a.b".
struct Item {
  std::string name;
  std::string_view json;

  explicit Item(std::string_view message) {
    for (ProtobufFields f{message}; f.next();) {
      if (f.is(1, 2) || f.is(2, 2)) name += (name.empty() ? "" : ".") + std::string(f.bytes);
      if (f.is(16, 2)) json = f.bytes;
    }
  }

  bool is_scalar() const {
    if (json.empty()) return false;
    if (json.front() == '"') return json.size() > 1 && json.back() == '"';
    return std::all_of(json.begin(), json.end(), [](char c) {
      return is_letter(c) || is_digit(c) || c == '-' || c == '+' || c == '.';
    });
  }
};

// A JSON object of what is said, as long as there is room for it.
class Object {
 public:
  void add(std::string_view name, std::string json) { members_.emplace_back(quoted(name), std::move(json)); }
  void add_text(std::string_view name, std::string_view text) {
    if (!text.empty()) add(name, quoted(text));
  }
  // The items of a message's field of that number.
  void add_items(std::string_view message, std::uint64_t field) {
    for (ProtobufFields f{message}; f.next();) {
      if (!f.is(field, 2)) continue;
      if (const Item item(f.bytes); item.is_scalar()) add(item.name, plain(item.json));
    }
  }
  bool empty() const { return members_.empty(); }
  std::string_view json_of(std::string_view name) const {  // empty: it is not there
    const auto found = std::ranges::find(members_, quoted(name), &std::pair<std::string, std::string>::first);
    return found == members_.end() ? std::string_view() : std::string_view(found->second);
  }

  // Shortest names first: those of single parameters are long, and many.
  std::string text(std::size_t limit) {
    std::stable_sort(members_.begin(), members_.end(),
                     [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); });
    std::string out = "{";
    for (const auto& [name, json] : members_) {
      if (out.size() + name.size() + json.size() + 5 > limit) continue;
      out += (out.size() > 1 ? ", " : "") + name + ": " + json;
    }
    return out + "}";
  }

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

class WandbLines {
 public:
  WandbLines(std::string_view record, std::size_t limit, std::vector<std::string>& lines)
      : limit_(limit), lines_(lines), most_(lines.size() + kMostLinesOfRecord) {
    for (ProtobufFields f{record}; f.next();) {
      if (f.is(2, 2)) history(f.bytes);
      if (f.is(5, 2)) config(f.bytes);
      if (f.is(17, 2)) run(f.bytes);
      if (f.is(18, 2)) exit(f.bytes);
      if (f.is(26, 2)) environment(f.bytes);
    }
  }

  std::size_t unsaid() const { return unsaid_; }

 private:
  void say(std::string_view time, std::string_view what, Object& object) {
    if (lines_.size() == most_) {
      ++unsaid_;
      return;
    }
    std::string head(time);
    if (!head.empty()) head += ' ';
    head.append("wandb ").append(what) += ' ';
    if (head.size() + 2 <= limit_) lines_.push_back(head + object.text(limit_ - head.size()));
  }

  void history(std::string_view message) {
    Object object;
    object.add_items(message, 1);
    const auto seconds = parse_number<double>(object.json_of("_timestamp"));
    if (!object.empty()) say(stamp(seconds.value_or(0)), "history", object);
  }

  void config(std::string_view message) {
    Object object;
    object.add_items(message, 1);
    if (!object.empty()) say({}, "config", object);
  }

  void run(std::string_view message) {
    Object object;
    std::string_view configured;
    double started = 0;
    for (ProtobufFields f{message}; f.next();) {
      if (f.is(3, 2)) object.add_text("project", f.bytes);
      if (f.is(4, 2)) configured = f.bytes;
      if (f.is(8, 2)) object.add_text("name", f.bytes);
      if (f.is(13, 2)) object.add_text("host", f.bytes);
      if (!f.is(17, 2)) continue;
      for (ProtobufFields time{f.bytes}; time.next();) {
        if (time.is(1, 0)) started += static_cast<double>(time.value);
        if (time.is(2, 0)) started += 1e-9 * static_cast<double>(time.value);
      }
    }
    say(stamp(started), "run", object);
    config(configured);
  }

  void environment(std::string_view message) {
    Object object;
    for (ProtobufFields f{message}; f.next();) {
      if (f.is(18, 2)) object.add_text("gpu", f.bytes);
      if (f.is(19, 0)) object.add("gpu_count", std::to_string(f.value));
    }
    if (!object.empty()) say({}, "environment", object);
  }

  void exit(std::string_view message) {
    std::uint64_t code = 0, runtime = 0;
    for (ProtobufFields f{message}; f.next();) {
      if (f.is(1, 0)) code = f.value;
      if (f.is(2, 0)) runtime = f.value;
    }
    Object object;
    object.add("exit_code", std::to_string(static_cast<std::int32_t>(code)));
    object.add("runtime", std::to_string(static_cast<std::int32_t>(runtime)));
    say({}, "exit", object);
  }

  std::size_t limit_;
  std::vector<std::string>& lines_;
  std::size_t most_, unsaid_ = 0;
};

}  // namespace

bool begins_wandb_file(std::string_view head) {
  return head.starts_with(kFileHead);
}

TakenRecords take_wandb_records(const RecordPiece& piece, std::size_t line_limit,
                                std::vector<std::string>& lines) {
  TakenRecords out;
  const std::string_view bytes = piece.bytes;
  if (piece.offset == 0) out.passed = std::min(bytes.size(), kFileHead.size());
  std::size_t at = out.passed;
  std::optional<std::string> open;  // a record of which not all fragments have been seen
  const auto pass = [&](std::size_t to) {
    at = out.passed = to;
    open.reset();
  };
  while (true) {
    const std::size_t left = kRecordBlock - (static_cast<std::uint64_t>(piece.offset) + at) % kRecordBlock;
    const std::string_view rest = bytes.substr(at, left);
    if (left < kFragmentHead) {  // the rest of a block that no fragment fits into
      if (rest.size() < left) break;
      at += left;
      if (!open) out.passed = at;
      continue;
    }
    if (rest.size() < kFragmentHead) break;
    const std::size_t length = little_endian<std::uint16_t>(rest.substr(4, 2));
    const Fragment fragment{static_cast<unsigned char>(rest[6]), rest.substr(kFragmentHead, length)};
    const bool fits = fragment.type >= kWhole && fragment.type <= kLast && kFragmentHead + length <= left;
    if (fits && fragment.data.size() < length) break;
    if (!fits || !is_checksum_of(little_endian<std::uint32_t>(rest), fragment)) {
      if (at + rest.size() > piece.settled) {
        out.damaged = true;
        return out;
      }
      out.skipped += at + rest.size() - out.passed;
      pass(at + rest.size());
      continue;
    }
    const std::size_t end = at + fragment.size();
    const bool begins = fragment.type == kWhole || fragment.type == kFirst;
    if (begins && open) {  // the record before never came to its end
      out.skipped += at - out.passed;
      pass(at);
    }
    if (!begins && !open) {  // of a record whose beginning was passed over
      out.skipped += end - out.passed;
      pass(end);
      continue;
    }
    if (!open) open.emplace();
    open->append(fragment.data);
    at = end;
    if (fragment.type == kFirst || fragment.type == kMiddle) continue;
    out.truncated += WandbLines(*open, line_limit, lines).unsaid();
    pass(end);
  }
  if (piece.longest && out.passed == 0 && open) {
    ++out.truncated;
    pass(at);
  }
  return out;
}

}  // namespace etad
