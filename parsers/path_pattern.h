// What a log's path says of it: the named groups of a source's `path_pattern`, as labels.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "parsers/error.h"

namespace etad {

class PathPattern {
 public:
  // `pattern` is an RE2 pattern, searched for anywhere in the path; its named groups bear the names of event
  // fields (batch_size, network, …). An empty pattern says nothing of any path.
  static Result<PathPattern> compile(const std::string& pattern);

  // The groups that took part in the match; empty where the path does not match.
  std::map<std::string, std::string> labels(std::string_view path) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace etad
