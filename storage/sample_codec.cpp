#include "storage/sample_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "storage/bytes.h"
#include "storage/integer_blocks.h"

namespace etad {
namespace {

// The low half of a body's first byte: how many decimals the values have, or that they are no decimal
// numbers.
constexpr std::uint8_t kMaxDecimals = 9;
constexpr std::uint8_t kBinary = 15;

// The high half of a sample chunk's: the unit of its times and, above that, the form of what follows.
constexpr std::array<std::int64_t, 3> kUnits = {1'000'000, 1'000, 1};  // microseconds
constexpr std::uint8_t kUnitBits = 0x30, kInBlocks = 0x80;

constexpr std::array<double, kMaxDecimals + 1> kPowers = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
constexpr double kLargestWhole =
    1e15;  // whole numbers are exact in a double, and differences fit, up to there

// The whole number nearest to value * 10^decimals, of which that is less than kLargestWhole. (Written out: a processor
// that may be an old one has the library round.)
std::int64_t scaled(double value, std::uint8_t decimals) {
  const double whole = value * kPowers[decimals];
  return static_cast<std::int64_t>(whole < 0 ? whole - 0.5 : whole + 0.5);
}
double unscaled(std::int64_t n, std::uint8_t decimals) {
  return static_cast<double>(n) / kPowers[decimals];
}

// Whether value == n / 10^decimals for a whole n, exactly.
bool is_decimal(double value, std::uint8_t decimals) {
  return std::abs(value * kPowers[decimals]) < kLargestWhole &&
         unscaled(scaled(value, decimals), decimals) == value;
}

// The fewest decimals with which `fits(entry, decimals)` holds of every entry.
template <class Entries, class Fits>
std::uint8_t decimals_of(const Entries& entries, const Fits& fits) {
  for (std::uint8_t decimals = 0; decimals <= kMaxDecimals; ++decimals) {
    if (std::all_of(entries.begin(), entries.end(), [&](const auto& e) { return fits(e, decimals); }))
      return decimals;
  }
  return kBinary;
}

// A double as what it differs by from the one before: neighbours share their high bytes, short ones end in
// zero bytes.
void write_binary(ByteWriter& out, double value, std::uint64_t& last) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::uint64_t difference = bits ^ last;
  last = bits;
  if (difference == 0) return out.byte(0);
  const auto low = static_cast<unsigned>(std::countr_zero(difference)) / 8;
  const auto high = static_cast<unsigned>(std::countl_zero(difference)) / 8;
  const unsigned size = 8 - low - high;  // 1 to 8
  out.byte(static_cast<std::uint8_t>(size << 4 | low));
  out.fixed(difference >> (8 * low), size);
}

double read_binary(ByteReader& in, std::uint64_t& last) {
  const std::uint8_t head = in.byte();
  const unsigned size = head >> 4, low = head & 15;
  if (size <= 8 && low < 8) last ^= in.fixed(size) << (8 * low);
  return std::bit_cast<double>(last);
}

std::size_t unit_of(const std::vector<std::int64_t>& times) {
  std::size_t unit = 0;
  for (const std::int64_t at : times) {
    while (at % kUnits[unit] != 0) ++unit;
  }
  return unit;
}

bool bucket_fits(const Bucket& b, std::uint8_t decimals) {
  // A sum of decimal numbers is one, but for what adding doubles has lost.
  const double sum = b.sum * kPowers[decimals];
  return is_decimal(b.min, decimals) && is_decimal(b.max, decimals) && std::abs(sum) < 1e11 &&
         std::abs(sum - std::round(sum)) < 1e-3;
}

}  // namespace

const SamplePacker::Times& SamplePacker::times_of(std::span<const Sample> samples) {
  constexpr std::size_t kMostKnown = 64;  // chunks that come of one series in a turn are fewer
  const auto same = [](std::int64_t at, const Sample& sample) { return at == microseconds(sample.at); };
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const Times& times) {
    return std::equal(times.at.begin(), times.at.end(), samples.begin(), samples.end(), same);
  });
  if (known != known_.end()) return *known;
  if (known_.size() >= kMostKnown) known_.clear();
  Times& times = known_.emplace_back();
  times.at.reserve(samples.size());
  for (const Sample& sample : samples) times.at.push_back(microseconds(sample.at));
  times.unit = unit_of(times.at);
  numbers_.clear();
  for (const std::int64_t at : times.at) numbers_.push_back(at / kUnits[times.unit]);
  ByteWriter out(times.packed);
  write_integers(out, numbers_);
  return times;
}

std::string SamplePacker::pack(std::span<const Sample> samples) {
  const Times& times = times_of(samples);
  const std::uint8_t decimals =
      decimals_of(samples, [](const Sample& s, std::uint8_t d) { return is_decimal(s.value, d); });
  std::string body;
  ByteWriter out(body);
  out.byte(static_cast<std::uint8_t>(kInBlocks | times.unit << 4 | decimals));
  body += times.packed;
  if (decimals == kBinary) {
    std::uint64_t bits = 0;
    for (const Sample& sample : samples) write_binary(out, sample.value, bits);
    return body;
  }
  numbers_.clear();
  for (const Sample& sample : samples) numbers_.push_back(scaled(sample.value, decimals));
  write_integers(out, numbers_);
  return body;
}

namespace {

Instant instant_of(std::int64_t at, std::size_t unit) {
  const auto us = static_cast<std::uint64_t>(at) * static_cast<std::uint64_t>(kUnits[unit]);
  return Instant(Instant::duration(static_cast<std::int64_t>(us)));
}

void read_blocks(ByteReader& in, std::size_t unit, std::uint8_t decimals, std::int64_t count,
                 std::vector<Sample>& out) {
  const std::size_t before = out.size();
  std::vector<std::int64_t> numbers;
  read_integers(in, static_cast<std::size_t>(count), numbers);
  if (!in.ok()) return;
  for (const std::int64_t at : numbers) out.push_back({instant_of(at, unit), 0});
  if (decimals == kBinary) {
    std::uint64_t bits = 0;
    for (std::size_t i = before; i < out.size() && in.ok(); ++i) out[i].value = read_binary(in, bits);
    return;
  }
  read_integers(in, static_cast<std::size_t>(count), numbers);
  for (std::size_t i = 0; in.ok() && i < numbers.size(); ++i)
    out[before + i].value = unscaled(numbers[i], decimals);
}

// As chunks were written before: sample by sample, each number as it differs from the last sample's.
void read_interleaved(ByteReader& in, std::size_t unit, std::uint8_t decimals, std::int64_t count,
                      std::vector<Sample>& out) {
  std::int64_t at = 0, last_step = 0, value = 0;
  std::uint64_t bits = 0;
  for (std::int64_t i = 0; i < count && in.ok(); ++i) {
    const std::int64_t step = wrapping_add(last_step, in.signed_int());
    last_step = at == 0 ? 0 : step;
    at = wrapping_add(at, step);
    if (decimals != kBinary) value = wrapping_add(value, in.signed_int());
    out.push_back(
        {instant_of(at, unit), decimals == kBinary ? read_binary(in, bits) : unscaled(value, decimals)});
  }
}

}  // namespace

bool unpack_samples(std::string_view body, std::int64_t count, std::vector<Sample>& out) {
  const std::size_t before = out.size();
  ByteReader in(body);
  const std::uint8_t head = in.byte();
  const std::size_t unit = (head & kUnitBits) >> 4;
  const std::uint8_t decimals = head & 15;
  if (unit >= kUnits.size() || (decimals > kMaxDecimals && decimals != kBinary) || count < 0 ||
      (head & 0x40) != 0)
    return false;
  const auto read = (head & kInBlocks) != 0 ? read_blocks : read_interleaved;
  read(in, unit, decimals, count, out);
  if (in.ok() && in.at_end()) return true;
  out.resize(before);
  return false;
}

std::string pack_buckets(const std::vector<Bucket>& buckets) {
  std::string body;
  ByteWriter out(body);
  const std::uint8_t decimals = decimals_of(buckets, bucket_fits);
  out.byte(decimals);
  std::int64_t last_index = -1, last_min = 0;
  std::uint64_t last_bits = 0;
  for (const Bucket& b : buckets) {
    out.unsigned_int(static_cast<std::uint64_t>(b.index - last_index - 1));
    last_index = b.index;
    out.unsigned_int(static_cast<std::uint64_t>(b.count));
    if (decimals == kBinary) {
      for (const double value : {b.min, b.max, b.sum}) write_binary(out, value, last_bits);
      continue;
    }
    const std::int64_t min = scaled(b.min, decimals);
    out.signed_int(min - last_min);
    out.signed_int(scaled(b.max, decimals) - min);
    out.signed_int(wrapping_sub(
        scaled(b.sum, decimals),
        static_cast<std::int64_t>(static_cast<std::uint64_t>(min) * static_cast<std::uint64_t>(b.count))));
    last_min = min;
  }
  return body;
}

bool unpack_buckets(std::string_view body, std::vector<Bucket>& out) {
  constexpr std::int64_t kMost = 60;  // in a row of any tier
  const std::size_t before = out.size();
  ByteReader in(body);
  const std::uint8_t decimals = in.byte();
  bool good = decimals <= kMaxDecimals || decimals == kBinary;
  std::int64_t index = -1, min = 0;
  std::uint64_t bits = 0;
  while (good && in.ok() && !in.at_end()) {
    Bucket b;
    index = wrapping_add(wrapping_add(index, 1), static_cast<std::int64_t>(in.unsigned_int()));
    b.index = index;
    b.count = static_cast<std::int64_t>(in.unsigned_int());
    if (decimals == kBinary) {
      b.min = read_binary(in, bits);
      b.max = read_binary(in, bits);
      b.sum = read_binary(in, bits);
    } else {
      min = wrapping_add(min, in.signed_int());
      b.min = unscaled(min, decimals);
      b.max = unscaled(wrapping_add(min, in.signed_int()), decimals);
      const auto base = static_cast<std::uint64_t>(min) * static_cast<std::uint64_t>(b.count);
      b.sum = unscaled(wrapping_add(static_cast<std::int64_t>(base), in.signed_int()), decimals);
    }
    good = index >= 0 && index < kMost && b.count > 0;
    out.push_back(b);
  }
  if (good && in.ok()) return true;
  out.resize(before);
  return false;
}

void join(Bucket& bucket, const Bucket& more) {
  bucket.count += more.count;
  bucket.min = std::min(bucket.min, more.min);
  bucket.max = std::max(bucket.max, more.max);
  bucket.sum += more.sum;
}

void merge_buckets(std::vector<Bucket>& buckets, const std::vector<Bucket>& more) {
  for (const Bucket& b : more) {
    const auto it = std::lower_bound(buckets.begin(), buckets.end(), b.index,
                                     [](const Bucket& x, std::int64_t index) { return x.index < index; });
    if (it == buckets.end() || it->index != b.index) {
      buckets.insert(it, b);
      continue;
    }
    join(*it, b);
  }
}

}  // namespace etad
