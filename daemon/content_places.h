// Whether a content lies among the files of a followed log: an import asks, since what its follower has read, or is going
// to read, comes into the history by that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/identity.h"

namespace etad {

class ContentPlaces {
 public:
  // `files`: where followed logs lie; none: the machine's own.
  explicit ContentPlaces(follow::FileSystem* files) : files_(files) {}

  // Whose the file there is; nullopt: nobody's that is known.
  std::optional<std::int64_t> owner_at(const std::string& path) const;
  // Whether the file there begins with all of this part.
  bool lies_at(const std::string& path, const follow::ReadPart& part) const;
  // Likewise that one, or one of those that were rotated away from it and lie beside it or in a folder right below.
  bool lies_in_log(const std::string& path, const follow::ReadPart& part) const;
  // Whether the file there begins with this kilobyte, and goes on growing perhaps.
  bool begins_at(const std::string& path, const std::string& head) const;

 private:
  follow::FileSystem* files_;
};

}  // namespace etad
