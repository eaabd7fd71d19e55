// Any bytes as any packed row: no crash, no reading past the end; what can be unpacked packs to bytes that
// unpack to the same again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "storage/chunks.h"
#include "storage/sample_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using etad::PointCodec;
using etad::ProgressPoint;
using etad::Segment;
using etad::SegmentCodec;

template <class Codec, class Entry>
std::string packed(const std::vector<Entry>& entries) {
  Codec codec;
  std::string body;
  for (const Entry& entry : entries) codec.pack(entry, body);
  return body;
}

// Packing is a function of what is packed, so comparing the second packing with the first compares the
// entries.
template <class Codec, class Entry>
void check_entries(std::string_view bytes, std::int64_t count) {
  std::vector<Entry> first, second;
  Codec codec, again;
  if (!etad::unpack_chunk(bytes, count, codec, first)) {
    if (!first.empty()) std::abort();
    return;
  }
  const std::string body = packed<Codec>(first);
  if (!etad::unpack_chunk(body, count, again, second) || packed<Codec>(second) != body) std::abort();
}

void check_samples(std::string_view bytes, std::int64_t count) {
  std::vector<etad::Sample> first, second;
  if (!etad::unpack_samples(bytes, count, first)) return;
  const std::string body = etad::SamplePacker().pack(first);
  if (!etad::unpack_samples(body, count, second) || etad::SamplePacker().pack(second) != body) std::abort();
}

void check_buckets(std::string_view bytes) {
  std::vector<etad::Bucket> first, second;
  if (!etad::unpack_buckets(bytes, first)) return;
  if (!etad::unpack_buckets(etad::pack_buckets(first), second) || first.size() != second.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::int64_t count = data[1];
  switch (data[0] % 4) {
    case 0:
      check_entries<SegmentCodec, Segment>(bytes, count);
      break;
    case 1:
      check_entries<PointCodec, ProgressPoint>(bytes, count);
      break;
    case 2:
      check_samples(bytes, count);
      break;
    default:
      check_buckets(bytes);
  }
  return 0;
}
