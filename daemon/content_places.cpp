#include "daemon/content_places.h"

#include <cerrno>
#include <memory>
#include <vector>

#include "daemon/follow/contents.h"
#include "daemon/follow/rotation.h"

namespace etad {
namespace {

constexpr std::int64_t kComparedBytes = 64 * 1024 * 1024;  // of a compressed file: nobody may write meanwhile
constexpr int kLooksBeside = 4;                            // where names move while they are asked about

// What is asked of files once, with all that may be inflated for it.
struct Asking {
  std::unique_ptr<follow::FileSystem> own;
  follow::FileSystem& files;
  follow::Contents contents;

  explicit Asking(follow::FileSystem* where)
      : own(where == nullptr ? follow::posix_filesystem() : nullptr),
        files(own ? *own : *where),
        contents(files, kComparedBytes) {
    contents.begin_turn(kComparedBytes);
  }
};

bool lies_there(Asking& asking, const std::string& path, const follow::ReadPart& part) {
  const auto file = asking.contents.open_if(path, part);
  return file && file->content;
}

}  // namespace

std::optional<std::int64_t> ContentPlaces::owner_at(const std::string& path) const {
  Asking asking(files_);
  const auto status = asking.files.status(path);
  return status ? status->owner : std::nullopt;
}

bool ContentPlaces::lies_at(const std::string& path, const follow::ReadPart& part) const {
  Asking asking(files_);
  return lies_there(asking, path, part);
}

// The path first: what leaves it by then lies beside it.
bool ContentPlaces::lies_in_log(const std::string& path, const follow::ReadPart& part) const {
  Asking asking(files_);
  if (lies_there(asking, path, part)) return true;
  const follow::SplitPath place = follow::split_path(path);
  std::vector<follow::SplitPath> places{place};
  std::size_t listed = 0;
  if (const auto below = follow::folders_below(asking.files, place, listed))
    for (const follow::FolderBelow& folder : *below)
      if (folder.has_rotated) places.push_back({folder.path, place.name});
  bool has_moved = true;
  for (int looks = 0; looks < kLooksBeside && has_moved && listed < follow::kManyListed; ++looks) {
    const auto around = follow::look_around(asking.files, path, places);
    listed += around.listed;
    has_moved = around.error != 0;
    for (const follow::RotatedFile& each : around.rotated) {
      if (each.status.size < part.offset && follow::compressed_ending(each.path).empty()) continue;
      const auto file = asking.contents.open_if(each.path, part);
      if (file && file->content) return true;
      has_moved = has_moved || !file || key_of(file->status) != key_of(each.status);
    }
  }
  return false;
}

bool ContentPlaces::begins_at(const std::string& path, const std::string& head) const {
  Asking asking(files_);
  const auto file = asking.contents.open(path);
  const auto begins = file ? follow::head_of(*file->content) : tl::unexpected(file.error());
  return begins && begins->length == follow::kHeadBytes && begins->text() == head;
}

}  // namespace etad
