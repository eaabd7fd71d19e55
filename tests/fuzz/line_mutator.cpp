#include "tests/fuzz/line_mutator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed);

namespace etad::fuzz {
namespace {

constexpr std::array<std::string_view, 14> kExtremes = {"0",
                                                        "1",
                                                        "-1",
                                                        "0.0",
                                                        "1e-320",
                                                        "1e308",
                                                        "1e999",
                                                        "nan",
                                                        "inf",
                                                        "2147483648",
                                                        "9223372036854775807",
                                                        "18446744073709551616",
                                                        "99:99:99",
                                                        "0000000000000000000000000000000000001"};

using Lines = std::vector<std::string>;

class Mutation {
 public:
  Mutation(unsigned seed, const KnownLines& words) : random_(seed), words_(words) {}

  void apply(Lines& lines) {
    const std::size_t at = below(lines.size() + 1);
    switch (lines.empty() ? 0 : below(7)) {
      case 0:
        return put_in(lines, at);
      case 1:
        return repeat(lines, std::min(at, lines.size() - 1));
      case 2:
        return take_out(lines, std::min(at, lines.size() - 1));
      case 3:
        return std::swap(lines[below(lines.size())], lines[std::min(at, lines.size() - 1)]);
      case 4:
        return join(lines, std::min(at, lines.size() - 1));
      default:
        return change_number(lines[std::min(at, lines.size() - 1)]);
    }
  }

 private:
  std::size_t below(std::size_t n) {
    return n == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  void put_in(Lines& lines, std::size_t at) {
    if (words_.lines.empty()) return;
    const std::size_t first = below(words_.lines.size());
    const std::size_t last = std::min(words_.lines.size(), first + 1 + below(4));
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at),
                 words_.lines.begin() + static_cast<std::ptrdiff_t>(first),
                 words_.lines.begin() + static_cast<std::ptrdiff_t>(last));
  }

  // As a training's log goes on: the same lines again, one number of each further on.
  void repeat(Lines& lines, std::size_t at) {
    const std::size_t count = std::min(lines.size() - at, 1 + below(3));
    const Lines block(lines.begin() + static_cast<std::ptrdiff_t>(at),
                      lines.begin() + static_cast<std::ptrdiff_t>(at + count));
    const std::size_t which = below(3);
    for (std::size_t times = 1 + below(6), n = 1; n <= times; ++n) {
      Lines copy = block;
      for (std::string& line : copy) raise_number(line, which, n);
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at + count * n), copy.begin(), copy.end());
    }
  }

  void take_out(Lines& lines, std::size_t at) {
    const std::size_t count = std::min(lines.size() - at, 1 + below(3));
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at),
                lines.begin() + static_cast<std::ptrdiff_t>(at + count));
  }

  static void join(Lines& lines, std::size_t at) {
    if (at + 1 >= lines.size()) return;
    lines[at] += lines[at + 1];
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at + 1));
  }

  // Where the numbers of a line stand: first digit and length.
  static std::vector<std::pair<std::size_t, std::size_t>> numbers(std::string_view line) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t i = 0; i < line.size(); ++i) {
      std::size_t end = i;
      while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) ++end;
      if (end == i) continue;
      found.emplace_back(i, end - i);
      i = end;
    }
    return found;
  }

  void change_number(std::string& line) {
    const auto found = numbers(line);
    if (found.empty()) return;
    const auto [at, length] = found[below(found.size())];
    line.replace(at, length, kExtremes[below(kExtremes.size())]);
  }

  static void raise_number(std::string& line, std::size_t which, std::size_t by) {
    const auto found = numbers(line);
    if (which >= found.size() || found[which].second > 15) return;
    const auto [at, length] = found[which];
    line.replace(at, length, std::to_string(std::stoull(line.substr(at, length)) + by));
  }

  std::mt19937 random_;
  const KnownLines& words_;
};

Lines lines_of(std::string_view text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace
}  // namespace etad::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  using namespace etad::fuzz;
  static const KnownLines words = known_lines();
  if (seed % 4 == 0 || size < words.header) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Lines lines = lines_of(bytes.substr(words.header));
  Mutation(seed, words).apply(lines);
  std::string text(bytes.substr(0, words.header));
  for (const std::string& line : lines) text.append(line).push_back('\n');
  text.resize(std::min(text.size(), max_size));
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
