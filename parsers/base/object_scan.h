// Reads a JSON object, or the Python dictionary that print() leaves in a log, without building it: every
// scalar is shown once, as a view into the line, under the path of its keys. No memory is allocated.
#pragma once

#include <cstddef>
#include <string_view>

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

}  // namespace etad
