#include "daemon/confinement.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace etad {
namespace {

// Bits of later kernels than the headers we are built with.
constexpr std::uint64_t kRefer = 1ULL << 13U, kTruncate = 1ULL << 14U;
constexpr std::uint64_t kBindTcp = 1ULL << 0U, kConnectTcp = 1ULL << 1U;

constexpr std::uint64_t kMake = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t kRemove = LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE;
constexpr std::uint64_t kOurs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                                LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_REMOVE_FILE | kTruncate;

// landlock_ruleset_attr as of its fourth version; a kernel of an earlier one takes the first member alone.
struct Ruleset {
  std::uint64_t files = 0, network = 0;
};

// A descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(long fd) : fd_(static_cast<int>(fd)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<Error> refused(const std::string& what, const std::string& where = {}) {
  return fail(what + ": " + std::strerror(errno), "", where);
}

}  // namespace

Result<bool> confine(const std::vector<std::string>& writable) {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  Ruleset rules;
  rules.files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | kMake | kRemove;
  if (version >= 2) rules.files |= kRefer;
  if (version >= 3) rules.files |= kTruncate;
  if (version >= 4) rules.network = kBindTcp | kConnectTcp;
  const std::size_t size = version >= 4 ? sizeof rules : sizeof rules.files;
  const Descriptor ruleset(syscall(SYS_landlock_create_ruleset, &rules, size, 0));
  if (ruleset.get() < 0) return refused("Landlock takes no rules");
  for (const std::string& folder : writable) {
    const Descriptor place(open(folder.c_str(), O_PATH | O_CLOEXEC));
    if (place.get() < 0) return refused("the folder can't be opened", folder);
    landlock_path_beneath_attr beneath{};
    beneath.allowed_access = kOurs & rules.files;
    beneath.parent_fd = place.get();
    if (syscall(SYS_landlock_add_rule, ruleset.get(), LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0)
      return refused("Landlock takes no rule for the folder", folder);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return refused("no-new-privileges can't be set");
  if (syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) return refused("Landlock can't be entered");
  return true;
}

}  // namespace etad
