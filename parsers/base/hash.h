// The one hash of the project: the same on every machine, in every build and version, so that it can be kept.
#pragma once

#include <cstdint>
#include <string_view>

namespace etad {

// FNV-1a, 64 bit (Fowler, Noll, Vo; RFC 9923). To hash several texts as one, give the hash of those before.
// Not against an adversary.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t before = 0xcbf29ce484222325U) {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return before;
}

}  // namespace etad
