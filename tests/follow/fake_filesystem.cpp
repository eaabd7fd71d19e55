#include "tests/follow/fake_filesystem.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace etad::follow {
namespace {

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

std::shared_ptr<FakeFileSystem::Node> FakeFileSystem::make(const std::string& path) {
  auto node = std::make_shared<Node>();
  // The lowest inode that no living file has; one that is deleted and still open lives.
  std::set<std::uint64_t> used;
  std::erase_if(nodes_, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : nodes_)
    if (const auto living = weak.lock()) used.insert(living->inode);
  for (node->inode = reuses_inodes ? 10 : last_inode_ + 1; used.contains(node->inode);) ++node->inode;
  last_inode_ = std::max(last_inode_, node->inode);
  nodes_.push_back(node);
  names_[path] = node;
  touch(*node);
  node->born = node->modified;
  touch_directory(path);
  return node;
}

void FakeFileSystem::unlink(const std::string& path) {
  const auto found = names_.find(path);
  if (found == names_.end()) return;
  --found->second->links;
  names_.erase(found);
  touch_directory(path);
}

void FakeFileSystem::touch_directory(const std::string& path) {
  constexpr std::uint64_t kFirst = 1'000'000;  // inode of a directory
  std::string folder = directory_of(path);
  const auto made = [&] { return Directory{clock_, kFirst + directories_.size()}; };
  ++clock_;
  directories_.try_emplace(folder, made()).first->second.modified = clock_;
  for (folder = directory_of(folder); folder.size() > 1; folder = directory_of(folder))
    directories_.try_emplace(folder, made());
}

std::string FakeFileSystem::below_mounts(const std::string& path, bool only_links) const {
  for (const auto& [at, mount] : mounts_)
    if ((mount.is_link || !only_links) && (path == at || path.starts_with(at + "/")))
      return mount.folder + path.substr(at.size());
  return path;
}

OsResult<std::shared_ptr<FakeFileSystem::Node>> FakeFileSystem::find(std::string path) const {
  for (int hops = 0; hops < 40; ++hops) {
    path = below_mounts(path);
    const auto found = names_.find(path);
    if (found == names_.end()) return tl::unexpected(ENOENT);
    if (!found->second->is_link()) return found->second;
    const std::string& target = found->second->target;
    path = target.front() == '/' ? target : directory_of(path) + "/" + target;
  }
  return tl::unexpected(ELOOP);
}

void FakeFileSystem::write(const std::string& path, std::string_view bytes) {
  const auto found = find(path);
  write(found ? *found : make(path), bytes);
}

void FakeFileSystem::write(const File& file, std::string_view bytes) {
  file->bytes.append(bytes);
  touch(*file);
}

void FakeFileSystem::write_at_offset(const std::string& path, std::int64_t offset, std::string_view bytes) {
  write_at_offset(file(path), offset, bytes);
}

void FakeFileSystem::write_at_offset(const File& file, std::int64_t offset, std::string_view bytes) {
  const auto at = static_cast<std::size_t>(offset);
  if (file->bytes.size() < at + bytes.size()) file->bytes.resize(at + bytes.size(), '\0');
  file->bytes.replace(at, bytes.size(), bytes);
  touch(*file);
}

void FakeFileSystem::create(const std::string& path, std::string_view bytes) {
  unlink(path);
  make(path)->bytes = bytes;
}

void FakeFileSystem::truncate(const std::string& path, std::int64_t size) {
  truncate(file(path), size);
}

void FakeFileSystem::truncate(const File& file, std::int64_t size) {
  file->bytes.resize(static_cast<std::size_t>(size));
  touch(*file);
}

std::vector<std::string> FakeFileSystem::names(const File& file) const {
  std::vector<std::string> out;
  for (const auto& [path, node] : names_)
    if (node == file) out.push_back(path);
  return out;
}

void FakeFileSystem::rename(const std::string& from, const std::string& to) {
  const auto node = names_.at(from);
  unlink(to);
  names_.erase(from);
  names_[to] = node;
  node->changed = ++clock_;
  touch_directory(from);
  touch_directory(to);
}

void FakeFileSystem::copy(const std::string& from, const std::string& to) {
  const std::string bytes = content(from);
  unlink(to);
  make(to)->bytes = bytes;
}

void FakeFileSystem::replace(const std::string& path, std::string_view bytes,
                             std::optional<Instant> modified) {
  const std::string temporary = directory_of(path) + "/.written";
  make(temporary)->bytes = bytes;
  if (modified) names_.at(temporary)->modified = *modified;
  rename(temporary, path);
}

void FakeFileSystem::remove(const std::string& path) {
  unlink(path);
}

void FakeFileSystem::hard_link(const std::string& from, const std::string& to) {
  const auto node = names_.at(from);
  unlink(to);
  ++node->links;
  names_[to] = node;
  touch_directory(to);
}

void FakeFileSystem::symlink(const std::string& target, const std::string& path) {
  unlink(path);
  make(path)->target = target;
}

void FakeFileSystem::special(const std::string& path, FileType type) {
  unlink(path);
  make(path)->type = type;
}

void FakeFileSystem::gzip(const std::string& from, const std::string& to) {
  const auto original = find(from).value();
  unlink(to);
  const auto node = make(to);
  node->bytes = gzipped(original->bytes);
  node->modified = original->modified;
}

std::string FakeFileSystem::content(const std::string& path) const {
  return find(path).value()->bytes;
}

void FakeFileSystem::fail(const std::string& call, const std::string& path, Errno error, int times) {
  faults_.push_back({call, path, error, times});
}

void FakeFileSystem::fail_nth(const std::string& call, int n, Errno error) {
  nth_ = {call, "", error, n};
}

void FakeFileSystem::heal() {
  faults_.clear();
  nth_.times = 0;
}

Errno FakeFileSystem::fault(const std::string& call, const std::string& path) {
  ++calls[call];
  spent_ += each_call;
  for (const auto& [folder, more] : each_below)
    if (path.starts_with(folder + "/")) spent_ += more;
  if (meanwhile) meanwhile(call, path);
  if (nth_.call == call && nth_.times > 0 && --nth_.times == 0) return nth_.error;
  for (Fault& fault : faults_) {
    if (fault.call != call || fault.path != path || fault.times == 0) continue;
    --fault.times;
    return fault.error;
  }
  return 0;
}

FileStatus FakeFileSystem::status_of(const Node& node) const {
  FileStatus out;
  out.device = device;
  out.inode = node.inode;
  out.type = node.type;
  out.size = static_cast<std::int64_t>(node.bytes.size());
  out.links = node.links;
  out.modified = node.modified;
  if (births) out.born = node.born;
  out.changed = node.changed;
  out.owner = node.owner;
  return out;
}

OsResult<FileStatus> FakeFileSystem::status(const std::string& path) {
  if (const Errno error = fault("status", path); error != 0) return tl::unexpected(error);
  const std::string there = below_mounts(path);
  if (const auto directory = directories_.find(there);
      directory != directories_.end() && !names_.contains(there)) {
    FileStatus out;
    out.device = device;
    out.inode = directory->second.inode;
    out.type = FileType::directory;
    out.modified = directory->second.modified;
    if (const auto owner = owners.find(path); owner != owners.end()) out.owner = owner->second;
    return out;
  }
  const auto node = find(path);
  if (!node) return tl::unexpected(node.error());
  return status_of(**node);
}

OsResult<void> FakeFileSystem::list(const std::string& directory, const TakeEntry& take) {
  if (const Errno error = fault("list", directory); error != 0) return tl::unexpected(error);
  const std::string there = below_mounts(directory);
  if (!directories_.contains(there)) return tl::unexpected(ENOENT);
  if (open_handles() >= max_open) return tl::unexpected(EMFILE);
  // What the taker does meanwhile may move names: what is told is of one moment.
  std::vector<std::pair<std::string, DirectoryEntry>> all;
  const auto add = [&all](const std::string& path, DirectoryEntry entry) {
    all.emplace_back(path.substr(path.rfind('/') + 1), entry);
  };
  for (const auto& [path, node] : names_)
    if (directory_of(path) == there)
      add(path, {{}, lists_inodes ? node->inode : 0, node->is_link() || !lists_inodes, !lists_inodes});
  for (const auto& [path, each] : directories_)
    if (path != "/" && directory_of(path) == there && !names_.contains(path))
      add(path, {{}, lists_inodes ? 1U : 0U, !lists_inodes, true});
  if (all.size() > most_names) return tl::unexpected(EFBIG);
  for (auto& [name, entry] : all) {
    entry.name = name;
    if (!take(entry)) break;
  }
  return {};
}

OsResult<std::string> FakeFileSystem::resolve(const std::string& path) {
  if (const Errno error = fault("resolve", path); error != 0) return tl::unexpected(error);
  std::string at = path;
  for (int hops = 0; hops < 40; ++hops) {
    at = below_mounts(at, true);
    const auto found = names_.find(below_mounts(at));
    if (found == names_.end())
      return directories_.contains(below_mounts(at)) ? OsResult<std::string>(at) : tl::unexpected(ENOENT);
    if (!found->second->is_link()) return at;
    const std::string target = found->second->target;
    at = target.front() == '/' ? target : directory_of(at) + "/" + target;
  }
  return tl::unexpected(ELOOP);
}

OsResult<FileSystem::Handle> FakeFileSystem::open(const std::string& path) {
  if (const Errno error = fault("open", path); error != 0) return tl::unexpected(error);
  const auto node = find(path);
  if (!node) return tl::unexpected(node.error());
  if ((*node)->type != FileType::regular) return tl::unexpected(EINVAL);
  if (open_handles() >= max_open) return tl::unexpected(EMFILE);
  handles_[next_handle_] = {*node, path};
  most_open_ = std::max(most_open_, open_handles());
  return next_handle_++;
}

void FakeFileSystem::close(Handle handle) {
  if (handles_.erase(handle) != 1) throw std::logic_error("closed twice");
}

OsResult<FileStatus> FakeFileSystem::status(Handle handle) {
  if (const Errno error = fault("fstat", handles_.at(handle).path); error != 0) return tl::unexpected(error);
  if (finds_by_name) return status(handles_.at(handle).path);
  return status_of(*handles_.at(handle).node);
}

OsResult<std::size_t> FakeFileSystem::read(Handle handle, std::int64_t offset, std::span<char> into) {
  const Handled& handled = handles_.at(handle);
  if (const Errno error = fault("read", handled.path); error != 0) return tl::unexpected(error);
  const std::string& bytes = handled.node->bytes;
  if (offset < 0) return tl::unexpected(EINVAL);
  if (static_cast<std::size_t>(offset) >= bytes.size()) return std::size_t{0};
  const std::size_t length = std::min(into.size(), bytes.size() - static_cast<std::size_t>(offset));
  std::memcpy(into.data(), bytes.data() + offset, length);
  bytes_read += static_cast<std::int64_t>(length);
  return length;
}

std::int64_t FakeFileSystem::next_data(Handle handle, std::int64_t offset) {
  const std::string& bytes = handles_.at(handle).node->bytes;
  const std::size_t at = bytes.find_first_not_of('\0', static_cast<std::size_t>(offset));
  // Holes are whole blocks.
  if (at == std::string::npos) return static_cast<std::int64_t>(bytes.size());
  return std::max(offset, static_cast<std::int64_t>(at / 4096 * 4096));
}

std::string gzipped(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  std::string in(bytes);
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace etad::follow
