#include "tests/simulation/disk.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace etad::simulation {

constexpr std::size_t kSector = 512;
constexpr std::size_t kLocks = SQLITE_SHM_NLOCK;

// A piece of a file that was written or cut off and not synced.
struct Unsynced {
  std::size_t at = 0;
  std::size_t from = 0, size = 0;  // of what was written
  bool is_truncation = false;      // to `at`
};

struct Disk::File {
  std::string bytes;   // as all see it
  std::string synced;  // as it is safe
  std::vector<Unsynced> unsynced;
  std::string written;  // what the unsynced pieces hold, one behind the other

  // Locks of the file and of its shared memory: how many hold each, and whether one holds it alone.
  int shared = 0;
  const void* reserved = nullptr;
  const void* exclusive = nullptr;
  std::vector<std::unique_ptr<std::string>> memory;
  struct Lock {
    int shared = 0;
    bool exclusive = false;
  };
  std::array<Lock, kLocks> locks{};
  int mapped = 0;

  void apply(std::string& to, const Unsynced& piece) const {
    if (piece.is_truncation) {
      to.resize(std::min(to.size(), piece.at));
      return;
    }
    if (to.size() < piece.at + piece.size) to.resize(piece.at + piece.size, '\0');
    to.replace(piece.at, piece.size, written, piece.from, piece.size);
  }
  void write(std::size_t at, std::string_view what) {
    unsynced.push_back({at, written.size(), what.size(), false});
    written += what;
    apply(bytes, unsynced.back());
  }
  void cut(std::size_t size) {
    unsynced.push_back({size, 0, 0, true});
    apply(bytes, unsynced.back());
  }
  void sync() {
    for (const Unsynced& piece : unsynced) apply(synced, piece);
    unsynced.clear();
    written.clear();
  }
};

namespace {

Disk* disk = nullptr;  // the one that is alive
sqlite3_vfs* real_vfs = nullptr;
sqlite3_vfs shim{};

// SQLite gives us memory of this size for each open file.
struct Open {
  sqlite3_file base;
  std::shared_ptr<Disk::File>* file;
  int level;
  std::array<char, kLocks>* held;  // 's' or 'x' of the shared memory's locks, or 0
  bool maps;

  static Open& of(sqlite3_file* file) { return *reinterpret_cast<Open*>(file); }
};

Disk::File& file_of(sqlite3_file* f) {
  return **Open::of(f).file;
}

int close(sqlite3_file* f) {
  Open& open = Open::of(f);
  f->pMethods->xUnlock(f, SQLITE_LOCK_NONE);
  if (open.maps) f->pMethods->xShmUnmap(f, 0);
  delete open.file;
  delete open.held;
  return SQLITE_OK;
}

int read(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
  if (const int code = disk->call(); code != 0) return code == SQLITE_FULL ? SQLITE_IOERR_READ : code;
  const std::string& bytes = file_of(f).bytes;
  const auto from = std::min(static_cast<std::size_t>(at), bytes.size());
  const std::size_t got = std::min(static_cast<std::size_t>(size), bytes.size() - from);
  std::memcpy(to, bytes.data() + from, got);
  if (got == static_cast<std::size_t>(size)) return SQLITE_OK;
  std::memset(static_cast<char*>(to) + got, 0, static_cast<std::size_t>(size) - got);
  return SQLITE_IOERR_SHORT_READ;
}

int write(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
  if (const int code = disk->call(); code != 0) return code;
  file_of(f).write(static_cast<std::size_t>(at),
                   {static_cast<const char*>(from), static_cast<std::size_t>(size)});
  return SQLITE_OK;
}

int truncate(sqlite3_file* f, sqlite3_int64 size) {
  if (const int code = disk->call(); code != 0) return code;
  file_of(f).cut(static_cast<std::size_t>(size));
  return SQLITE_OK;
}

int sync(sqlite3_file* f, int) {
  if (const int code = disk->call(); code != 0) return code;
  file_of(f).sync();
  return SQLITE_OK;
}

int file_size(sqlite3_file* f, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(file_of(f).bytes.size());
  return SQLITE_OK;
}

int lock(sqlite3_file* f, int level) {
  Open& open = Open::of(f);
  Disk::File& file = file_of(f);
  if (level <= open.level) return SQLITE_OK;
  if (file.exclusive != nullptr && file.exclusive != f) return SQLITE_BUSY;
  if (level == SQLITE_LOCK_SHARED) ++file.shared;
  if (level == SQLITE_LOCK_RESERVED) {
    if (file.reserved != nullptr && file.reserved != f) return SQLITE_BUSY;
    file.reserved = f;
  }
  if (level == SQLITE_LOCK_EXCLUSIVE) {
    if (file.shared > 1) return SQLITE_BUSY;
    file.exclusive = f;
  }
  open.level = level;
  return SQLITE_OK;
}

int unlock(sqlite3_file* f, int level) {
  Open& open = Open::of(f);
  Disk::File& file = file_of(f);
  if (level >= open.level) return SQLITE_OK;
  if (file.exclusive == f) file.exclusive = nullptr;
  if (file.reserved == f) file.reserved = nullptr;
  if (level == SQLITE_LOCK_NONE) --file.shared;
  open.level = level;
  return SQLITE_OK;
}

int check_reserved(sqlite3_file* f, int* out) {
  *out = file_of(f).reserved != nullptr ? 1 : 0;
  return SQLITE_OK;
}

int control(sqlite3_file*, int, void*) {
  return SQLITE_NOTFOUND;
}
int sector_size(sqlite3_file*) {
  return static_cast<int>(kSector);
}
int characteristics(sqlite3_file*) {
  return 0;
}

int shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
  Disk::File& file = file_of(f);
  Open& open = Open::of(f);
  if (!std::exchange(open.maps, true)) ++file.mapped;
  const auto index = static_cast<std::size_t>(page);
  if (file.memory.size() <= index && extend == 0) {
    *out = nullptr;
    return SQLITE_OK;
  }
  while (file.memory.size() <= index)
    file.memory.push_back(std::make_unique<std::string>(static_cast<std::size_t>(size), '\0'));
  *out = file.memory[index]->data();
  return SQLITE_OK;
}

int shm_lock(sqlite3_file* f, int at, int n, int flags) {
  Open& open = Open::of(f);
  auto& locks = file_of(f).locks;
  const auto from = static_cast<std::size_t>(at), until = from + static_cast<std::size_t>(n);
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  for (std::size_t i = from; i < until; ++i) {
    char& held = (*open.held)[i];
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
      if (held == 's') --locks[i].shared;
      if (held == 'x') locks[i].exclusive = false;
      held = 0;
    } else if (held == 0 && (locks[i].exclusive || (exclusive && locks[i].shared > 0))) {
      for (std::size_t undo = from; undo < i; ++undo)
        shm_lock(f, static_cast<int>(undo), 1, SQLITE_SHM_UNLOCK | (flags & ~SQLITE_SHM_LOCK));
      return SQLITE_BUSY;
    } else if (held == 0) {
      held = exclusive ? 'x' : 's';
      if (exclusive)
        locks[i].exclusive = true;
      else
        ++locks[i].shared;
    }
  }
  return SQLITE_OK;
}

void shm_barrier(sqlite3_file*) {}

int shm_unmap(sqlite3_file* f, int) {
  Open& open = Open::of(f);
  shm_lock(f, 0, static_cast<int>(kLocks), SQLITE_SHM_UNLOCK);
  if (!std::exchange(open.maps, false)) return SQLITE_OK;
  Disk::File& file = file_of(f);
  if (--file.mapped == 0) file.memory.clear();
  return SQLITE_OK;
}

constexpr sqlite3_io_methods kMethods = {
    2,         close,          read,    write,       truncate,        sync,    file_size, lock,
    unlock,    check_reserved, control, sector_size, characteristics, shm_map, shm_lock,  shm_barrier,
    shm_unmap, nullptr,        nullptr};

int open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* f, int flags, int* out_flags) {
  f->pMethods = nullptr;
  if (const int code = disk->call(); code != 0) return code;
  static int nameless = 0;
  const std::string path = name != nullptr ? name : "nameless-" + std::to_string(++nameless);
  auto file = disk->open(path, (flags & SQLITE_OPEN_CREATE) != 0);
  if (!file) return SQLITE_CANTOPEN;
  Open& open = Open::of(f);
  open.file = new std::shared_ptr<Disk::File>(std::move(file));
  open.held = new std::array<char, kLocks>{};
  open.level = SQLITE_LOCK_NONE;
  open.maps = false;
  f->pMethods = &kMethods;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int remove(sqlite3_vfs*, const char* name, int) {
  if (const int code = disk->call(); code != 0) return code;
  if (!disk->exists(name)) return SQLITE_IOERR_DELETE_NOENT;
  disk->remove(name);
  return SQLITE_OK;
}

int access(sqlite3_vfs*, const char* name, int, int* out) {
  *out = disk->exists(name) ? 1 : 0;
  return SQLITE_OK;
}

}  // namespace

Disk::Disk(std::mt19937_64& chance) : chance_(chance) {
  if (disk != nullptr) throw std::logic_error("one disk at a time");
  disk = this;
  real_vfs = sqlite3_vfs_find(nullptr);
  shim = *real_vfs;
  shim.zName = "simulated";
  shim.szOsFile = static_cast<int>(sizeof(Open));
  shim.xOpen = simulation::open;
  shim.xDelete = simulation::remove;
  shim.xAccess = access;
  sqlite3_vfs_register(&shim, 1);
}

Disk::~Disk() {
  sqlite3_vfs_unregister(&shim);
  sqlite3_vfs_register(real_vfs, 1);
  disk = nullptr;
}

Disk::Image Disk::image() const {
  Image out;
  for (const auto& [name, file] : files_) out[name] = file->synced;
  return out;
}

void Disk::put(const Image& image) {
  for (const auto& [name, bytes] : image) {
    auto& file = files_[name] = std::make_shared<File>();
    file->bytes = file->synced = bytes;
  }
}

int Disk::call() {
  if (!dead_ && before_call) {
    if (const int code = before_call(); code != 0) return code;
  }
  return dead_ ? SQLITE_IOERR : SQLITE_OK;
}

std::shared_ptr<Disk::File> Disk::open(const std::string& name, bool create) {
  if (!create && !exists(name)) return nullptr;
  auto& file = files_[name];
  if (!file) file = std::make_shared<File>();
  return file;
}

void Disk::remove(const std::string& name) {
  files_.erase(name);
}

// Names are safe at once: SQLite never relies on one that it has not synced.
void Disk::cut_power() {
  for (auto& [name, file] : files_) {
    std::string& bytes = file->synced;
    for (std::size_t i = 0; i < file->unsynced.size(); ++i) {
      Unsynced& piece = file->unsynced[i];
      const auto fate = chance_() % 8;
      if (fate < 3) continue;
      if (fate == 3) piece.size = std::min(piece.size, kSector * (chance_() % 8));
      file->apply(bytes, piece);
    }
    auto after = std::make_shared<File>();
    after->bytes = after->synced = std::move(bytes);
    file = std::move(after);
  }
}

}  // namespace etad::simulation
