// The hash of several files as one.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "parsers/base/hash.h"

namespace etad {

// Of their texts by their names, folders left out.
inline std::uint64_t files_hash(const std::map<std::string, std::string>& texts) {
  std::uint64_t hash = fnv1a({});
  for (const auto& [name, text] : texts) hash = fnv1a(text, fnv1a(name + "\n", hash));
  return hash;
}

}  // namespace etad
