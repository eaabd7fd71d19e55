// What a log's path says of it: the named groups of a source's `path_pattern`, as labels.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/error.h"

namespace etad {

class PathPattern {
 public:
  // `pattern` is an RE2 pattern, searched for anywhere in the path; its named groups bear the names of event
  // fields (batch_size, network, …), or "gpus". An empty pattern says nothing of any path. `key`: what the
  // configuration calls it, for the error.
  static Result<PathPattern> compile(const std::string& pattern, std::string_view key = "path_pattern");

  // The groups that took part in the match; empty where the path does not match.
  std::map<std::string, std::string> labels(std::string_view path) const;
  std::vector<std::string> names() const;  // the groups'

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace etad
