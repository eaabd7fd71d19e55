// Samples of a series and their roll-ups as they are packed into rows. docs/schema.md describes the bytes.
// Pure; decoding is bounds-checked and takes any bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/record.h"
#include "parsers/base/time.h"

namespace etad {

// The times as whole numbers of the coarsest unit that holds them all; the values, where they are decimal numbers
// (what monitors print), as whole numbers too; both in blocks (storage/integer_blocks.h): 1 to 2 bytes a sample. Exact.
// Of many chunks: series of one trace are mostly sampled together, and their times are packed once.
class SamplePacker {
 public:
  std::string pack(std::span<const Sample> samples);

 private:
  struct Times {
    std::vector<std::int64_t> at;  // microseconds
    std::size_t unit = 0;          // that they are packed in
    std::string packed;
  };
  const Times& times_of(std::span<const Sample> samples);

  std::vector<Times> known_;
  std::vector<std::int64_t> numbers_;  // room
};

// Appends `count` samples; false (and `out` as it was) where the bytes are no such chunk.
bool unpack_samples(std::string_view body, std::int64_t count, std::vector<Sample>& out);

// What is kept of the samples of one minute or one hour once they are gone.
struct Bucket {
  std::int64_t index = 0;  // within its row: the minute of the hour, the hour of the day
  std::int64_t count = 0;
  double min = 0, max = 0, sum = 0;
};

// A tier of roll-ups: how long one bucket is, and how many of them make a row.
struct Tier {
  std::chrono::seconds bucket;
  std::int64_t buckets;

  std::chrono::seconds row() const { return bucket * buckets; }
};
inline constexpr Tier kMinutes{std::chrono::seconds(60), 60};
inline constexpr Tier kHours{std::chrono::seconds(3600), 24};

// The beginning of the bucket or row of that length that an instant lies in; both in microseconds since 1970.
inline std::int64_t floor_to(std::int64_t at, std::chrono::seconds length) {
  const std::int64_t width = std::chrono::microseconds(length).count();
  const std::int64_t rest = at % width;
  return at - (rest < 0 ? rest + width : rest);
}

// In the order of their indexes, which ascend.
std::string pack_buckets(const std::vector<Bucket>& buckets);
bool unpack_buckets(std::string_view body, std::vector<Bucket>& out);

// Joins what `more` holds into `bucket`, which keeps its index.
void join(Bucket& bucket, const Bucket& more);

// Joins `more` into `buckets`; both ascend by index.
void merge_buckets(std::vector<Bucket>& buckets, const std::vector<Bucket>& more);

}  // namespace etad
