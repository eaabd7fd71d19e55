// Reads a JSON object, or the Python dictionary that print() leaves in a log, without building it: every
// scalar is shown once, as a view into the line, under the path of its keys. No memory is allocated.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace etad {

class ObjectVisitor {
 public:
  virtual ~ObjectVisitor() = default;
  // `path`: keys joined by dots, list items by their index ("gpu_info.model", "extras.0.value"); valid during
  // the call only. Of a list's items those that are objects with a "name" are shown under that as well
  // ("parameters.batch_size.value"). `value`: a number, true, null, … as written; a string without its
  // quotes, escapes left as they are.
  virtual void scalar(std::string_view path, std::string_view value) = 0;
};

// The length of the object at the head of `text`; 0 where there is none, it does not end, or it is nested
// more than 16 deep. Keys whose path is longer than 256 bytes are passed over.
std::size_t scan_object(std::string_view text, ObjectVisitor& visitor);

// What stands under certain paths of an object. It is scanned once, however many ask for it.
class ObjectValues final : private ObjectVisitor {
 public:
  explicit ObjectValues(const std::vector<std::string>& paths) : paths_(paths) {}

  // Whether what stands at the head of `text`, behind blanks or not, begins as an object does.
  static bool may_begin(std::string_view text);

  // Whether an object stands there.
  bool read(std::string_view text);

  // In the object read last, under the path of that place in the list: of several the last one. Null data(): none.
  std::string_view operator[](std::size_t path) const { return values_[path]; }

 private:
  void scalar(std::string_view path, std::string_view value) override;

  const std::vector<std::string>& paths_;
  std::vector<std::string_view> values_;  // one a path
  std::string_view text_;                 // scanned last
  bool is_object_ = false;
};

}  // namespace etad
