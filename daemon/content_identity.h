// Compares content that streams by, such as an import's, with the beginnings of logs that the history already holds, and
// at its end gives the identity by which the list of finished files knows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace etad {

// The beginning of some content that the history already holds.
struct KnownContent {
  std::int64_t source_id = 0;
  std::string head;         // follow::head_of its first bytes
  std::int64_t offset = 0;  // how far it has been read
  std::string marker;       // follow::marker_of the bytes before the offset
};

class ContentIdentity {
 public:
  explicit ContentIdentity(std::vector<KnownContent> known);

  // How many of the next `bytes` bytes to pass at once, so that a piece ends where a known content does: at least 1 where
  // there is a byte.
  std::size_t until_next(std::size_t bytes) const;

  // Passes these bytes. Returns the index into `known` of a content that is the same up to exactly here; -1:
  // none. `held`: of how many of those that passed before a marker may still be asked.
  std::ptrdiff_t pass(std::string_view bytes, std::size_t held = 0);

  // Whether what has passed begins with the bytes that gave `head`.
  bool begins_as(std::string_view head) const;

  std::int64_t size() const { return size_; }
  // Of the bytes before the last `held` ones.
  std::string finished(std::size_t held = 0) const;  // follow::finished_identity
  std::string head(std::size_t held = 0) const;
  std::string marker(std::size_t held = 0) const;

 private:
  std::vector<KnownContent> known_;   // in the order given
  std::vector<std::size_t> to_come_;  // those of them that may still be met
  std::string head_;                  // the first bytes, as they are
  std::string tail_;                  // the last ones, with those that may be held
  std::int64_t size_ = 0;
};

}  // namespace etad
