#include "storage/history.h"
#include "storage/schema.h"
#include "storage/sqlite.h"

namespace etad {

Result<void> backup_history(const std::string& path, const std::string& file) {
  return sqlite::guarded([&] {
    // Read-only, but not query_only, which forbids writing the copy as well.
    sqlite::Connection connection(path, sqlite::Connection::Mode::read);
    schema::prepare_for_copying(connection);
    sqlite::Statement vacuum(connection, "VACUUM INTO ?");
    vacuum.run(file);
  });
}

}  // namespace etad
