// Knowing content that streams by: its head, the marker at any offset of interest as it passes, and at the
// end the identity that the list of finished files would hold of it.
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

  // How many of `bytes` may be passed before one of the known contents has to be compared: never 0 for a
  // non-empty piece.
  std::size_t until_next(std::size_t bytes) const;

  // Passes these bytes. Returns the index into `known` of a content that is the same up to exactly here; -1:
  // none.
  std::ptrdiff_t pass(std::string_view bytes);

  // Whether what has passed begins with the bytes that gave `head`.
  bool begins_as(std::string_view head) const;

  std::int64_t size() const { return size_; }
  std::string finished() const;  // follow::finished_identity of all that has passed
  std::string head() const;
  std::string marker() const;

 private:
  std::vector<KnownContent> known_;  // by offset
  std::string head_;                 // the first bytes, as they are
  std::string tail_;                 // the last ones
  std::int64_t size_ = 0;
};

}  // namespace etad
