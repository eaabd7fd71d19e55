#include "parsers/lines/packed.h"

#include <array>

namespace etad {
namespace {

struct Magic {
  std::size_t at;
  std::string_view bytes;
  std::string_view program;
};

constexpr std::array<Magic, 7> kMagics = {{{0,
                                            {"\xfd"
                                             "7zXZ\0",
                                             6},
                                            "xz"},
                                           {0, "BZh", "bunzip2"},
                                           {0, "\x28\xb5\x2f\xfd", "unzstd"},
                                           {0, "\x04\x22\x4d\x18", "unlz4"},
                                           {0, "PK\x03\x04", "unzip"},
                                           {0, "7z\xbc\xaf\x27\x1c", "7z"},
                                           {257, "ustar", "tar"}}};

}  // namespace

std::string_view unpacked_by(std::string_view head) {
  for (const Magic& magic : kMagics)
    if (head.size() >= magic.at + magic.bytes.size() && head.substr(magic.at).starts_with(magic.bytes))
      return magic.program;
  return {};
}

}  // namespace etad
