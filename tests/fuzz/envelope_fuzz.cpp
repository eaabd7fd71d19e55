// Container envelopes: whatever the line, the text lies within it, and what is no envelope is left as it was.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "parsers/lines/envelope.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(reinterpret_cast<const char*>(data), size);
  std::string opened = line;
  const auto envelope = etad::open_envelope(opened);
  if (!envelope) {
    if (opened != line) std::abort();
    return 0;
  }
  const char* const begin = envelope->text.data();
  if (begin < opened.data() || begin + envelope->text.size() > opened.data() + opened.size()) std::abort();
  return 0;
}
