// Files that are packed otherwise than by gzip: none of them is read, and whoever offers one is told so.
#pragma once

#include <cstddef>
#include <string_view>

namespace etad {

inline constexpr std::size_t kPackedHead = 262;  // so many first bytes tell which it is

// The program that unpacks it ("xz", "tar"); empty: it is packed by none of those known.
std::string_view unpacked_by(std::string_view head);

}  // namespace etad
