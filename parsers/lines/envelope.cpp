#include "parsers/lines/envelope.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>

#include "parsers/base/number.h"
#include "parsers/base/printable.h"
#include "parsers/base/timestamp.h"

namespace etad {
namespace {

// As much of JSON as an envelope needs: one object of strings, and whatever else lies in it passed over.
class JsonScanner {
 public:
  explicit JsonScanner(std::span<char> text) : text_(text.data(), text.size()), begin_(text.data()) {}

  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // The inside of the quotes, still escaped.
  std::optional<std::span<char>> string() {
    if (!take('"')) return std::nullopt;
    const std::size_t from = at_;
    // Nearly no string has an escaped quote: the next quote ends it, unless a backslash before it takes it away.
    for (std::size_t quote = text_.find('"', from), escape = 0; quote != std::string_view::npos;) {
      escape = text_.substr(0, quote).find('\\', at_);
      if (escape == std::string_view::npos) {
        at_ = quote + 1;
        return std::span<char>(begin_ + from, quote - from);
      }
      at_ = escape + 2;
      if (at_ > quote) quote = text_.find('"', at_);
    }
    at_ = text_.size();
    return std::nullopt;
  }

  // Any value, passed over: a string, or everything to the comma or brace that ends it.
  bool skip_value() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '"') return string().has_value();
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (depth == 0 && (c == ',' || c == '}')) return true;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (c == '"') {
        if (!string()) return false;
        --at_;
      }
    }
    return false;
  }

  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }

  std::string_view text_;
  char* begin_;
  std::size_t at_ = 0;
};

std::optional<unsigned> parse_hex4(std::string_view text) {
  return text.size() < 4 ? std::nullopt : parse_number<unsigned>(text.substr(0, 4), 16);
}

// "\u00e9" at `text`: its code point, a pair of surrogates as one, and how many characters it takes. An
// escape never takes fewer bytes than what it stands for, so decoding in place is safe.
unsigned parse_unicode(std::string_view text, std::size_t& length) {
  constexpr unsigned kReplacement = 0xFFFD;
  const auto first = parse_hex4(text.substr(2));
  length = first ? 6 : 2;
  if (!first) return '?';
  if (*first < 0xD800 || *first > 0xDFFF) return *first;
  if (*first <= 0xDBFF && text.size() >= 12 && text[6] == '\\' && text[7] == 'u') {
    const auto second = parse_hex4(text.substr(8));
    if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
      length = 12;
      return 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00);
    }
  }
  return kReplacement;
}

std::span<char> unescape(std::span<char> escaped) {
  std::string_view in(escaped.data(), escaped.size());
  char* out = escaped.data();
  while (!in.empty()) {
    const std::size_t escape = std::min(in.find('\\'), in.size());
    const std::size_t plain =
        escape + 2 > in.size() ? in.size() : escape;  // a last backslash escapes nothing
    if (out != in.data()) std::memmove(out, in.data(), plain);
    out += plain;
    in.remove_prefix(plain);
    if (in.empty()) break;
    std::size_t length = 2;
    switch (in[1]) {
      case 'n':
        *out++ = '\n';
        break;
      case 't':
        *out++ = '\t';
        break;
      case 'r':
        *out++ = '\r';
        break;
      case 'b':
        *out++ = '\b';
        break;
      case 'f':
        *out++ = '\f';
        break;
      case 'u':
        out += put_utf8(parse_unicode(in, length), out);
        break;
      default:
        *out++ = in[1];
        break;
    }
    in.remove_prefix(length);
  }
  return {escaped.data(), out};
}

std::optional<Enveloped> open_docker(std::span<char> line) {
  static constexpr std::string_view kKey = "\"log\"";  // most objects are a trainer's own
  static const std::boyer_moore_horspool_searcher for_key(kKey.begin(), kKey.end());
  if (std::search(line.begin(), line.end(), for_key) == line.end()) return std::nullopt;
  JsonScanner scanner(line);
  std::optional<std::span<char>> log;
  std::optional<std::span<char>> stream;
  std::optional<std::span<char>> time;
  if (!scanner.take('{')) return std::nullopt;
  do {
    const auto key = scanner.string();
    if (!key || !scanner.take(':')) return std::nullopt;
    const std::string_view name(key->data(), key->size());
    auto* wanted = name == "log" ? &log : name == "stream" ? &stream : name == "time" ? &time : nullptr;
    if (wanted == nullptr) {
      if (!scanner.skip_value()) return std::nullopt;
    } else if (!(*wanted = scanner.string())) {
      return std::nullopt;
    }
  } while (scanner.take(','));
  if (!scanner.take('}') || !scanner.at_end() || !log || !time) return std::nullopt;
  Enveloped out;
  out.time = from_rfc3339({time->data(), time->size()});
  if (!out.time) return std::nullopt;
  out.error_stream = stream && std::string_view(stream->data(), stream->size()) == "stderr";
  out.text = unescape(*log);
  out.partial = out.text.empty() || out.text.back() != '\n';
  if (!out.partial) out.text = out.text.first(out.text.size() - 1);
  return out;
}

std::optional<Enveloped> open_cri(std::span<char> line) {
  const std::string_view text(line.data(), line.size());
  const std::size_t space = text.find(' ');
  if (space > 35) return std::nullopt;  // the longest time; also npos
  std::size_t at = space + 1;
  Enveloped out;
  if (text.substr(at, 7) == "stdout ") {
  } else if (text.substr(at, 7) == "stderr ") {
    out.error_stream = true;
  } else {
    return std::nullopt;
  }
  at += 7;
  // The tag: P or F, and perhaps more behind colons one day.
  if (at >= text.size() || (text[at] != 'P' && text[at] != 'F')) return std::nullopt;
  out.partial = text[at] == 'P';
  const std::size_t body = text.find(' ', at);
  if (body == std::string_view::npos ? at + 1 != text.size() : text[at + 1] != ' ' && text[at + 1] != ':')
    return std::nullopt;
  out.time = from_rfc3339(text.substr(0, space));
  if (!out.time) return std::nullopt;
  out.text = body == std::string_view::npos ? line.last(0) : line.subspan(body + 1);
  return out;
}

std::optional<Enveloped> open_stamp(std::span<char> line) {
  constexpr std::size_t kLeast = 28, kMost = 35;  // "2026-07-11T10:15:28.1234567Z"
  const std::string_view text(line.data(), line.size());
  const std::size_t space = text.find(' ');
  if (space < kLeast || space > kMost || text[space - 1] != 'Z') return std::nullopt;
  Enveloped out;
  out.time = from_rfc3339(text.substr(0, space));
  if (!out.time) return std::nullopt;
  out.text = line.subspan(space + 1);
  return out;
}

}  // namespace

std::optional<Enveloped> open_envelope(std::span<char> line) {
  if (!maybe_enveloped(line)) return std::nullopt;
  if (line[0] == '{') return open_docker(line);
  const auto cri = open_cri(line);
  return cri ? cri : open_stamp(line);
}

}  // namespace etad
