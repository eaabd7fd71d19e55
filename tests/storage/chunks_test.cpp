// The packed rows: what is packed comes out again to the bit, whatever it is, and no bytes can do harm.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "storage/chunks.h"
#include "storage/integer_blocks.h"
#include "storage/sample_codec.h"
#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using ::testing::SizeIs;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::int64_t any_integer(std::mt19937_64& random) {
  const auto bits = static_cast<std::int64_t>(random());
  switch (random() % 5) {
    case 0:
      return kMin;
    case 1:
      return kMax;
    case 2:
      return 0;
    case 3:
      return bits >> (random() % 64);
    default:
      return bits;
  }
}

template <class Codec, class Entry>
std::string pack(const std::vector<Entry>& entries) {
  Codec codec;
  std::string body;
  for (const Entry& entry : entries) codec.pack(entry, body);
  return body;
}

TEST(Chunks, AnySegmentsComeBack) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Segment> segments(random() % 20);
    for (Segment& s : segments) {
      s.phase = random() % 3 ? Phase::train : Phase::test;
      s.first_iteration = any_integer(random);
      s.iterations = any_integer(random);
      s.samples_per_iteration = any_integer(random);
      s.duration = Duration(any_integer(random));
      if (random() % 4) s.started_at = Instant(Instant::duration(any_integer(random)));
    }
    const std::string body = pack<SegmentCodec>(segments);
    std::vector<Segment> read;
    SegmentCodec codec;
    ASSERT_TRUE(unpack_chunk(body, static_cast<std::int64_t>(segments.size()), codec, read));
    ASSERT_EQ(read, segments);
  }
}

TEST(Chunks, AnyPointsComeBack) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<ProgressPoint> points(random() % 20);
    for (ProgressPoint& p : points) {
      p.iteration = any_integer(random);
      if (random() % 4) p.at = Instant(Instant::duration(any_integer(random)));
      p.snapshot = random() % 4 == 0;
      p.loss = random() % 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(random())) : std::nan("");
    }
    const std::string body = pack<PointCodec>(points);
    std::vector<ProgressPoint> read;
    PointCodec codec;
    ASSERT_TRUE(unpack_chunk(body, static_cast<std::int64_t>(points.size()), codec, read));
    ASSERT_THAT(read, SizeIs(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(read[i].iteration, points[i].iteration);
      EXPECT_EQ(read[i].at, points[i].at);
      EXPECT_EQ(read[i].snapshot, points[i].snapshot);
      EXPECT_TRUE(read[i].loss == points[i].loss || (std::isnan(read[i].loss) && std::isnan(points[i].loss)));
    }
  }
}

TEST(Chunks, ARegularDisplayCostsFewBytes) {
  etad::Run run = lenet();
  std::mt19937_64 random(3);
  std::vector<Segment> segments;
  std::vector<ProgressPoint> points;
  Instant at = kNow;
  for (std::int64_t n = 0; n < 512; ++n) {
    Segment s = window(run, n);
    s.duration = std::chrono::microseconds(5'000'000 + random() % 50'000);
    s.started_at = at;
    at += std::chrono::duration_cast<Instant::duration>(s.duration);
    segments.push_back(s);
    points.push_back({100 * n, at, static_cast<double>(random() % 1000) / 1000});
  }
  EXPECT_LE(pack<SegmentCodec>(segments).size(), 6U * 512);
  EXPECT_LE(pack<PointCodec>(points).size(), 9U * 512);
}

TEST(Chunks, AnySamplesComeBack) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 500; ++round) {
    std::vector<Sample> samples(random() % 20);
    const auto kind = random() % 4;
    for (Sample& s : samples) {
      s.at = kind == 0 ? Instant(Instant::duration(any_integer(random)))
                       : after(static_cast<double>(random() % 100'000) / (kind == 1 ? 1 : 1000));
      s.value = static_cast<double>(random() % 100'000) / std::pow(10, static_cast<double>(random() % 4));
      if (kind == 3) s.value = std::bit_cast<double>(random());
      if (kind == 2 && random() % 8 == 0) s.value = -s.value * 1e12;
    }
    std::vector<Sample> read;
    ASSERT_TRUE(
        unpack_samples(SamplePacker().pack(samples), static_cast<std::int64_t>(samples.size()), read));
    ASSERT_THAT(read, SizeIs(samples.size()));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      EXPECT_EQ(read[i].at, samples[i].at);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i].value), std::bit_cast<std::uint64_t>(samples[i].value));
    }
  }
}

// Chunks that share their times, or some of them, or none, are packed as they would be one by one.
TEST(Chunks, APackerOfManyPacksEachAsIfItWereAlone) {
  std::mt19937_64 random(5);
  SamplePacker packer;
  for (int round = 0; round < 1000; ++round) {
    const auto of_times = static_cast<double>(random() % 100);  // more than are remembered
    std::vector<Sample> samples(20 + random() % 2);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double later = i + 1 == samples.size() ? static_cast<double>(random() % 2) : 0;
      samples[i] = {after(of_times + static_cast<double>(i) + later),
                    static_cast<double>(random() % 1000) / 8};
    }
    ASSERT_EQ(packer.pack(samples), SamplePacker().pack(samples)) << round;
  }
}

TEST(Chunks, AnyIntegersComeBack) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::int64_t> numbers(random() % 200);
    const auto step = static_cast<std::int64_t>(random() % 1'000'000);
    const unsigned shift = static_cast<unsigned>(random() % 64);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto small = static_cast<std::int64_t>(random() >> shift);
      numbers[i] = round % 3 == 0   ? any_integer(random)
                   : round % 3 == 1 ? small
                                    : wrapping_add(static_cast<std::int64_t>(i) * step, small);
    }
    std::string body;
    ByteWriter out(body);
    write_integers(out, numbers);
    ByteReader in(body);
    std::vector<std::int64_t> read = {1, 2, 3};
    read_integers(in, numbers.size(), read);
    ASSERT_TRUE(in.ok() && in.at_end()) << round;
    ASSERT_EQ(read, numbers) << round;
    if (round % 8 != 0) continue;  // there are hundreds of places where it may be cut off
    for (std::size_t size = 0; size < body.size(); ++size) {
      ByteReader cut(std::string_view(body).substr(0, size));
      read_integers(cut, numbers.size(), read);
      ASSERT_FALSE(cut.ok()) << round << " cut at " << size;
    }
  }
}

std::size_t bytes_of(const std::vector<Sample>& samples) {
  std::vector<Sample> read;
  const std::string body = SamplePacker().pack(samples);
  EXPECT_TRUE(unpack_samples(body, static_cast<std::int64_t>(samples.size()), read));
  EXPECT_THAT(read, SizeIs(samples.size()));
  return body.size();
}

// What monitors print: one in two clocks a bit, megabytes in steps, a regular time nothing.
TEST(Chunks, WhatMonitorsPrintCostsFewBits) {
  std::mt19937_64 random(7);
  std::vector<Sample> clock, memory, power, still;
  for (int i = 0; i < 1024; ++i) {
    const Instant regular = after(i), jittered = regular + std::chrono::milliseconds(random() % 40);
    still.push_back({regular, 1.215e9});
    clock.push_back({regular, random() % 2 == 0 ? 1.215e9 : 1.38e9});
    memory.push_back(
        {jittered, static_cast<double>(1 << 20) * static_cast<double>(20'480 + 64 * (random() % 3))});
    power.push_back({jittered, static_cast<double>(24'000 + random() % 6000) / 100});
  }
  EXPECT_LE(bytes_of(still), 1024U / 8);
  EXPECT_LE(bytes_of(clock), 1024U * 3 / 8);
  EXPECT_LE(bytes_of(memory), 1024U * 11 / 8);
  EXPECT_LE(bytes_of(power), 1024U * 22 / 8);
}

// A history that was written before blocks were keeps its chunks.
TEST(Chunks, SamplesOfBeforeAreRead) {
  std::string body;
  ByteWriter out(body);
  out.byte(0x12);  // milliseconds, two decimals
  const std::int64_t steps[] = {1'800'000'000'000, 1000, 0, 4};
  const std::int64_t values[] = {7150, 25, 0, -175};
  for (int i = 0; i < 4; ++i) {
    out.signed_int(steps[i]);
    out.signed_int(values[i]);
  }
  std::vector<Sample> read;
  ASSERT_TRUE(unpack_samples(body, 4, read));
  ASSERT_THAT(read, SizeIs(4));
  EXPECT_EQ(read[3].at, Instant(std::chrono::milliseconds(1'800'000'003'004)));
  EXPECT_EQ(read[0].value, 71.5);
  EXPECT_EQ(read[1].value, 71.75);
  EXPECT_EQ(read[3].value, 70);
}

TEST(Chunks, BucketsComeBackAndJoin) {
  const std::vector<Bucket> buckets = {
      {0, 60, 99.5, 101.25, 6000.75}, {7, 1, -3, -3, -3}, {59, 2, 0, 1e3, 1e3}};
  std::vector<Bucket> read;
  ASSERT_TRUE(unpack_buckets(pack_buckets(buckets), read));
  ASSERT_THAT(read, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read[i].index, buckets[i].index);
    EXPECT_EQ(read[i].count, buckets[i].count);
    EXPECT_EQ(read[i].min, buckets[i].min);
    EXPECT_EQ(read[i].max, buckets[i].max);
    EXPECT_EQ(read[i].sum, buckets[i].sum);
  }
  merge_buckets(read, {{3, 1, 5, 5, 5}, {7, 1, 4, 4, 4}});
  ASSERT_THAT(read, SizeIs(4));
  EXPECT_EQ(read[1].index, 3);
  EXPECT_EQ(read[2].count, 2);
  EXPECT_EQ(read[2].sum, 1);
  EXPECT_EQ(read[2].min, -3);
  EXPECT_EQ(read[2].max, 4);
}

// Cut off anywhere, or with any byte changed, a chunk is refused or read as another one; nothing else
// happens.
TEST(Chunks, DamagedBytesAreRefusedOrReadAsSomethingElse) {
  etad::Run run = lenet();
  std::vector<Segment> segments = {window(run, 0), window(run, 1), window(run, 0, Phase::test)};
  const std::string body = pack<SegmentCodec>(segments);
  for (std::size_t size = 0; size < body.size(); ++size) {
    std::vector<Segment> read(1);
    SegmentCodec codec;
    EXPECT_FALSE(unpack_chunk(std::string_view(body).substr(0, size), 3, codec, read)) << size;
    EXPECT_THAT(read, SizeIs(1));
  }
  for (const std::int64_t wrong : {0, 2, 4, 1'000'000'000}) {
    std::vector<Segment> read;
    SegmentCodec codec;
    EXPECT_FALSE(unpack_chunk(body, wrong, codec, read)) << wrong;
  }
  std::mt19937_64 random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    std::vector<Segment> s;
    std::vector<ProgressPoint> p;
    std::vector<Sample> v;
    std::vector<Bucket> b;
    SegmentCodec segment_codec;
    PointCodec point_codec;
    const auto count = static_cast<std::int64_t>(random() % 10);
    EXPECT_TRUE(unpack_chunk(bytes, count, segment_codec, s) || s.empty());
    EXPECT_TRUE(unpack_chunk(bytes, count, point_codec, p) || p.empty());
    EXPECT_TRUE(unpack_samples(bytes, count, v) || v.empty());
    EXPECT_TRUE(unpack_buckets(bytes, b) || b.empty());
  }
}

}  // namespace
}  // namespace etad::test
