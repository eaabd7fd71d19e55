// Writes W&B's run files, from the published form: LevelDB's log (32 KiB blocks of fragments, each with a CRC-32 of its
// type and data) behind seven bytes, of protobuf Records. Independent of what reads them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "tests/parsers/event_files.h"

namespace etad::test {

// Bit by bit, where what is tested goes by a library.
inline std::string plain_crc(std::string_view content) {
  std::uint32_t c = ~0U;
  for (const char byte : content) {
    c ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? (c >> 1) ^ 0xedb88320U : c >> 1;
  }
  return little(~c, 4);
}

class WandbFile {
 public:
  WandbFile& add(std::string_view record) {
    constexpr std::size_t kBlock = 32 * 1024, kHead = 7;
    for (bool first = true, last = false; !last; first = false) {
      std::size_t left = kBlock - content_.size() % kBlock;
      if (left < kHead) {
        content_.append(left, '\0');
        left = kBlock;
      }
      const std::string_view data = record.substr(0, left - kHead);
      record.remove_prefix(data.size());
      last = record.empty();
      const char type = first ? (last ? 1 : 2) : last ? 4 : 3;
      const std::string typed = type + std::string(data);
      content_ += plain_crc(typed) + little(data.size(), 2) + typed;
    }
    return *this;
  }

  const std::string& content() const { return content_; }

 private:
  std::string content_ = {":W&B\xe1\xbe\0", 7};
};

using Items = std::map<std::string, std::string>;  // JSON by name

inline std::string items_of(std::uint64_t field, const Items& items, std::uint64_t name) {
  std::string out;
  for (const auto& [key, json] : items) out += bytes(field, bytes(name, key) + bytes(16, json));
  return out;
}

inline std::string wandb_run(double started, std::string_view host, const Items& configuration) {
  const auto seconds = static_cast<std::uint64_t>(started);
  return bytes(17, bytes(1, "a1b2") + bytes(3, "tiny") + bytes(4, items_of(1, configuration, 1)) +
                       bytes(8, "first") + bytes(13, host) + bytes(17, number(1, seconds)));
}
inline std::string wandb_environment(std::string_view gpu, std::uint64_t count) {
  return bytes(26, bytes(1, "Linux") + bytes(18, gpu) + number(19, count));
}
inline std::string wandb_history(double time, Items items) {
  items["_timestamp"] = std::to_string(time);
  return bytes(2, items_of(1, items, 2));
}
inline std::string wandb_exit(std::uint64_t code) {
  return bytes(18, (code != 0 ? number(1, code) : "") + number(2, 105));
}

}  // namespace etad::test
