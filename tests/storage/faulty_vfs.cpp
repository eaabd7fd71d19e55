#include "tests/storage/faulty_vfs.h"

#include <sqlite3.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace etad::test {
namespace {

FaultyVfs::Decide decide;  // of the one that is alive
sqlite3_vfs* real_vfs = nullptr;
sqlite3_vfs shim{};
std::mutex synced_mutex;
std::optional<std::map<std::string, std::string>> synced_files;  // nullopt: nobody asks

// SQLite gives us memory of shim.szOsFile bytes: this, and the real file behind it.
struct File {
  sqlite3_file base;
  const char* name;  // SQLite's, for as long as the file is open; nullptr: a temporary one

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  static File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
};

sqlite3_file* real(sqlite3_file* file) {
  return File::of(file).real();
}

int close(sqlite3_file* f) {
  return real(f)->pMethods->xClose(real(f));
}
int read(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
  if (const int code = decide(Operation::read)) return code;
  return real(f)->pMethods->xRead(real(f), to, size, at);
}
int write(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
  if (const int code = decide(Operation::write)) return code;
  return real(f)->pMethods->xWrite(real(f), from, size, at);
}
int truncate(sqlite3_file* f, sqlite3_int64 size) {
  if (const int code = decide(Operation::truncate)) return code;
  return real(f)->pMethods->xTruncate(real(f), size);
}
int sync(sqlite3_file* f, int) {
  if (const int code = decide(Operation::sync)) return code;
  const std::lock_guard lock(synced_mutex);
  const char* const name = File::of(f).name;
  if (!synced_files || name == nullptr) return SQLITE_OK;
  sqlite3_int64 size = 0;
  if (const int code = real(f)->pMethods->xFileSize(real(f), &size)) return code;
  std::string content(static_cast<std::size_t>(size), '\0');
  if (const int code = real(f)->pMethods->xRead(real(f), content.data(), static_cast<int>(size), 0))
    return code;
  (*synced_files)[name] = std::move(content);
  return SQLITE_OK;
}
int file_size(sqlite3_file* f, sqlite3_int64* size) {
  return real(f)->pMethods->xFileSize(real(f), size);
}
int lock(sqlite3_file* f, int level) {
  return real(f)->pMethods->xLock(real(f), level);
}
int unlock(sqlite3_file* f, int level) {
  return real(f)->pMethods->xUnlock(real(f), level);
}
int check_reserved(sqlite3_file* f, int* out) {
  return real(f)->pMethods->xCheckReservedLock(real(f), out);
}
int control(sqlite3_file* f, int op, void* arg) {
  return real(f)->pMethods->xFileControl(real(f), op, arg);
}
int sector_size(sqlite3_file* f) {
  return real(f)->pMethods->xSectorSize(real(f));
}
int characteristics(sqlite3_file* f) {
  return real(f)->pMethods->xDeviceCharacteristics(real(f));
}
int shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
  if (const int code = decide(Operation::map)) return code;
  return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}
int shm_lock(sqlite3_file* f, int at, int n, int flags) {
  return real(f)->pMethods->xShmLock(real(f), at, n, flags);
}
void shm_barrier(sqlite3_file* f) {
  real(f)->pMethods->xShmBarrier(real(f));
}
int shm_unmap(sqlite3_file* f, int remove) {
  return real(f)->pMethods->xShmUnmap(real(f), remove);
}

constexpr sqlite3_io_methods kMethods = {
    2,         close,          read,    write,       truncate,        sync,    file_size, lock,
    unlock,    check_reserved, control, sector_size, characteristics, shm_map, shm_lock,  shm_barrier,
    shm_unmap, nullptr,        nullptr};

int open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  File::of(file).name = name;
  if (const int code = decide(Operation::open)) return code;
  const int code = real_vfs->xOpen(real_vfs, name, real(file), flags, out_flags);
  if (code == SQLITE_OK) file->pMethods = &kMethods;
  return code;
}

int remove(sqlite3_vfs*, const char* name, int sync_folder) {
  if (const int code = decide(Operation::remove)) return code;
  const std::lock_guard lock(synced_mutex);
  if (synced_files) synced_files->erase(name);
  return real_vfs->xDelete(real_vfs, name, sync_folder);
}

}  // namespace

FaultyVfs::FaultyVfs(Decide function) {
  if (decide) std::abort();  // one at a time
  decide = std::move(function);
  real_vfs = sqlite3_vfs_find(nullptr);
  shim = *real_vfs;
  shim.zName = "faulty";
  shim.szOsFile = static_cast<int>(sizeof(File)) + real_vfs->szOsFile;
  shim.xOpen = open;
  shim.xDelete = remove;
  sqlite3_vfs_register(&shim, 1);
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_unregister(&shim);
  sqlite3_vfs_register(real_vfs, 1);
  decide = nullptr;
  synced_files.reset();
}

void FaultyVfs::note_what_is_synced() {
  const std::lock_guard lock(synced_mutex);
  synced_files.emplace();
}

std::map<std::string, std::string> FaultyVfs::left_by_power_cut() const {
  const std::lock_guard lock(synced_mutex);
  return synced_files.value_or(std::map<std::string, std::string>());
}

int failure_code(Operation operation) {
  switch (operation) {
    case Operation::open:
      return SQLITE_CANTOPEN;
    case Operation::read:
      return SQLITE_IOERR_READ;
    case Operation::write:
      return SQLITE_IOERR_WRITE;
    case Operation::sync:
      return SQLITE_IOERR_FSYNC;
    case Operation::truncate:
      return SQLITE_IOERR_TRUNCATE;
    case Operation::remove:
      return SQLITE_IOERR_DELETE;
    case Operation::map:
      return SQLITE_IOERR_SHMMAP;
  }
  return SQLITE_IOERR;
}

}  // namespace etad::test
