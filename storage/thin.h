// A bounded, evenly spaced sample of a list.
#pragma once

#include <cstddef>
#include <vector>

namespace etad {

// Keeps at most `limit` of the items, evenly spaced, the first among them.
template <class T>
void thin(std::vector<T>& items, std::size_t limit) {
  const std::size_t size = items.size();
  if (size <= limit) return;
  for (std::size_t i = 0; i < limit; ++i) items[i] = items[i * size / limit];
  items.resize(limit);
}

}  // namespace etad
