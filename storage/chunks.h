// Segments and points as they are packed into the rows of segment_chunks, run_windows and point_chunks.
// docs/schema.md describes the bytes. Pure; decoding is bounds-checked and takes any bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/record.h"
#include "storage/bytes.h"

namespace etad {

// A chunk is decoded as a whole, and rewritten as a whole while it grows: large enough that the row's own
// overhead vanishes, small enough that appending to it stays cheap.
inline constexpr std::int64_t kChunkEntries = 512;

// Each segment as its difference from what its predecessors suggest: 5 to 8 bytes where displays are regular.
// One codec packs or unpacks one chunk from its beginning; having unpacked one, it can go on packing behind
// it.
class SegmentCodec {
 public:
  void pack(const Segment& segment, std::string& body);
  Segment unpack(ByteReader& in);

 private:
  void remember(const Segment& segment);

  std::array<Segment, 2> last_;      // of each phase
  std::int64_t expected_start_ = 0;  // microseconds: where the last dated segment ended
};

// Each point as its difference from a steady step, the loss as float32: about 8 bytes.
class PointCodec {
 public:
  void pack(const ProgressPoint& point, std::string& body);
  ProgressPoint unpack(ByteReader& in);

 private:
  void remember(std::int64_t iteration, const std::optional<Instant>& at);

  std::int64_t iteration_ = 0, step_ = 0;  // the last point's, and its distance from the one before
  std::int64_t at_ = 0, last_step_ = 0;    // microseconds, likewise
};

// Takes a chunk of `count` entries apart, appending to `out`; `codec` stands behind the last one afterwards.
// False (and `out` as it was) where the bytes are no such chunk.
template <class Codec, class Entry>
bool unpack_chunk(std::string_view body, std::int64_t count, Codec& codec, std::vector<Entry>& out) {
  const std::size_t before = out.size();
  ByteReader in(body);
  for (std::int64_t i = 0; i < count && in.ok(); ++i) out.push_back(codec.unpack(in));
  if (in.ok() && in.at_end()) return true;
  out.resize(before);
  return false;
}

}  // namespace etad
