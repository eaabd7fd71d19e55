// Rotated files: which names they go by, and in which order they were written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/identity.h"

namespace etad::follow {

// "train.log.2.gz" is the second of "train.log"; "train.log-20260711" and "train-20260711.log" are its of a
// day.
struct RotatedName {
  std::string base;
  std::optional<std::int64_t> number;  // the higher, the older
  std::string date;                    // digits only: the higher, the newer; a date, or seconds since 1970
};
std::optional<RotatedName> rotated_name(std::string_view name);

struct Sibling {
  std::string path;
  RotatedName name;
  FileStatus status;
};

// The files in `directory` that are named like rotated ones of `base`, oldest first. `error` is set if it
// can't be listed.
std::vector<Sibling> rotated_siblings(FileSystem& files, const std::string& directory, std::string_view base,
                                      Errno& error);

// Whether `a` was written before `b`: by number, by date, or else by when they were last written to.
bool older(const Sibling& a, const Sibling& b);

// The file in `directory` with this inode, under whatever name; not itself a link.
std::optional<std::string> find_inode(FileSystem& files, const std::string& directory, const FileKey& key,
                                      Errno& error);

// "/a/b" -> "/a" and "b"; "b" -> "." and "b".
struct SplitPath {
  std::string directory;
  std::string name;
};
SplitPath split_path(std::string_view path);

}  // namespace etad::follow
