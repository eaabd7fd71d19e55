#include "parsers/lines/event_records.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <optional>

#include "parsers/lines/protobuf.h"
#include "parsers/lines/record_text.h"

namespace etad {
namespace {

constexpr std::size_t kTail = 4;  // the payload's checksum
constexpr std::uint64_t kLongestRecord = 1ULL << 40;
constexpr std::uint64_t kLongestFirst = 1ULL << 20;

// CRC-32C (Castagnoli), by bytes.
constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) != 0 ? 0x82f63b78U : 0);
    out[i] = c;
  }
  return out;
}();

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t c = ~0U;
  for (const char byte : bytes) c = (c >> 8) ^ kCrcTable[(c ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~c;
}

bool is_checksum_of(std::string_view stored, std::string_view bytes) {
  const std::uint32_t c = crc32c(bytes);
  return little_endian<std::uint32_t>(stored) == ((c >> 15) | (c << 17)) + 0xa282ead8U;
}

// The length of the payload of the record whose head this is.
std::optional<std::uint64_t> length_in(std::string_view head) {
  const auto length = little_endian<std::uint64_t>(head);
  if (length > kLongestRecord || !is_checksum_of(head.substr(8, 4), head.substr(0, 8))) return std::nullopt;
  return length;
}

double float_at(std::string_view bytes) {
  return static_cast<double>(std::bit_cast<float>(little_endian<std::uint32_t>(bytes)));
}

std::string number_text(double x) {
  std::array<char, 40> out{};
  std::snprintf(out.data(), out.size(), "%.9g", x);
  return out.data();
}

// A tensor of one number, or of one text.
struct Tensor {
  std::optional<double> number;
  std::string_view text;
  bool is_text = false;

  explicit Tensor(std::string_view message) {
    std::uint64_t dtype = 0;
    std::string_view content;
    for (ProtobufFields w{message}; w.next();) {
      if (w.is(1, 0)) dtype = w.value;
      if (w.is(4, 2)) content = w.bytes;
      if (w.is(5, 5)) number = w.as_float();
      if (w.is(5, 2) && w.bytes.size() == 4) number = float_at(w.bytes);
      if (w.is(6, 1)) number = w.as_double();
      if (w.is(6, 2) && w.bytes.size() == 8)
        number = std::bit_cast<double>(little_endian<std::uint64_t>(w.bytes));
      if (w.is(8, 2) && !is_text) {
        text = w.bytes;
        is_text = true;
      }
    }
    constexpr std::uint64_t kFloat = 1, kDouble = 2;
    if (dtype == kFloat && content.size() == 4) number = float_at(content);
    if (dtype == kDouble && content.size() == 8)
      number = std::bit_cast<double>(little_endian<std::uint64_t>(content));
  }
};

// google.protobuf.Value.
std::string value_text(std::string_view message) {
  for (ProtobufFields w{message}; w.next();) {
    if (w.is(2, 1) && std::isfinite(w.as_double())) return number_text(w.as_double());
    if (w.is(3, 2)) return quoted(w.bytes);
    if (w.is(4, 0)) return w.value != 0 ? "true" : "false";
  }
  return "null";
}

// An Event's lines.
class EventLines {
 public:
  EventLines(std::string_view event, std::size_t limit, std::vector<std::string>& lines)
      : limit_(limit), lines_(lines), most_(lines.size() + kMostLinesOfRecord) {
    double time = 0;
    for (ProtobufFields w{event}; w.next();) {
      if (w.is(1, 1)) time = w.as_double();
      if (w.is(2, 0)) step_ = static_cast<std::int64_t>(w.value);
    }
    head_ = stamp(time);
    if (head_.empty()) return;
    head_ += " tfevents ";
    for (ProtobufFields w{event}; w.next();) {
      if (w.is(3, 2)) say("file_version " + plain(w.bytes, true));
      if (w.is(5, 2)) summary(w.bytes);
    }
  }

  std::size_t unsaid() const { return unsaid_; }

 private:
  void say(const std::string& what) {
    if (lines_.size() < most_) return lines_.push_back((head_ + what).substr(0, limit_));
    ++unsaid_;
  }

  void summary(std::string_view message) {
    for (ProtobufFields w{message}; w.next();)
      if (w.is(1, 2)) value(w.bytes);
  }

  void value(std::string_view message) {
    std::string_view tag, tensor, metadata;
    std::optional<double> number;
    for (ProtobufFields w{message}; w.next();) {
      if (w.is(1, 2)) tag = w.bytes;
      if (w.is(2, 5)) number = w.as_float();
      if (w.is(8, 2)) tensor = w.bytes;
      if (w.is(9, 2)) metadata = w.bytes;
    }
    if (const std::string_view content = hparams_in(metadata); !content.empty()) return hparams(content);
    const Tensor of(tensor);
    if (!number) number = of.number;
    const std::string where = "step " + std::to_string(step_) + " " + plain(tag, true);
    if (number) {
      say(where + " = " + number_text(*number));
    } else if (of.is_text) {
      say(where + " : " + plain(of.text.substr(0, limit_), false));
    }
  }

  // What the hparams plugin keeps in a value's metadata.
  static std::string_view hparams_in(std::string_view metadata) {
    for (ProtobufFields w{metadata}; w.next();) {
      if (!w.is(1, 2)) continue;
      std::string_view name, content;
      for (ProtobufFields plugin{w.bytes}; plugin.next();) {
        if (plugin.is(1, 2)) name = plugin.bytes;
        if (plugin.is(2, 2)) content = plugin.bytes;
      }
      if (name == "hparams") return content;
    }
    return {};
  }

  void hparams(std::string_view content) {
    for (ProtobufFields w{content}; w.next();) {
      if (w.is(3, 2)) session_start(w.bytes);
      if (!w.is(4, 2)) continue;
      for (ProtobufFields end{w.bytes}; end.next();)
        if (end.is(1, 0)) say("session_end " + std::to_string(end.value));
    }
  }

  void session_start(std::string_view message) {
    std::string out = "hparams {";
    for (ProtobufFields w{message}; w.next() && out.size() < limit_;) {
      if (!w.is(1, 2)) continue;
      std::string_view key, value;
      for (ProtobufFields entry{w.bytes}; entry.next();) {
        if (entry.is(1, 2)) key = entry.bytes;
        if (entry.is(2, 2)) value = entry.bytes;
      }
      if (out.back() != '{') out += ", ";
      out += quoted(key) + ": " + value_text(value);
    }
    say(out + "}");
  }

  std::size_t limit_;
  std::vector<std::string>& lines_;
  std::size_t most_, unsaid_ = 0;
  std::string head_;
  std::int64_t step_ = 0;
};

// Where the next head of a record may begin: one whose checksum is right, or one that is not all there.
std::size_t next_head(std::string_view bytes, std::size_t from) {
  while (bytes.size() - from >= kRecordHead && !length_in(bytes.substr(from, kRecordHead))) ++from;
  return from;
}

}  // namespace

bool begins_event_file(std::string_view head) {
  if (head.size() < kRecordHead) return false;
  const auto length = length_in(head.substr(0, kRecordHead));
  return length && *length <= kLongestFirst;
}

TakenRecords take_event_records(std::string_view bytes, std::size_t settled, std::size_t line_limit,
                                std::vector<std::string>& lines) {
  TakenRecords out;
  while (bytes.size() - out.passed >= kRecordHead) {
    const std::string_view rest = bytes.substr(out.passed);
    const auto length = length_in(rest.substr(0, kRecordHead));
    std::size_t end = out.passed + kRecordHead;
    bool whole = false;
    if (length) {
      const std::uint64_t record = kRecordHead + *length + kTail;
      if (record > rest.size()) {
        out.next = record;
        return out;
      }
      const std::string_view payload = rest.substr(kRecordHead, *length);
      whole = is_checksum_of(rest.substr(kRecordHead + *length, kTail), payload);
      if (whole) out.truncated += EventLines(payload, line_limit, lines).unsaid();
      end = out.passed + record;
    }
    if (!whole) {
      if (end > settled) {
        out.damaged = true;
        return out;
      }
      if (!length) end = next_head(bytes, out.passed + 1);
      out.skipped += end - out.passed;
    }
    out.passed = end;
  }
  return out;
}

}  // namespace etad
