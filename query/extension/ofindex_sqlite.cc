// The loadable extension: after `.load ofindex_sqlite`, CREATE VIRTUAL TABLE t USING ofindex('data/train').

// With SQLITE_CORE, SQLite's header leaves the names of the functions as they are.
#define SQLITE_CORE 1
#include <sqlite3ext.h>

#include "base/allocation.h"
#include "query/extension/routines.h"
#include "query/sql/functions/added_functions.h"
#include "query/tables/tables.h"

namespace {

// The first version with sqlite3_vtab_in, and with LIMIT in a table's plan: sqlite.org/changes.html, 3.38.0.
constexpr int kMinVersion = 3038000;

int Refuse(char** error, const sqlite3_api_routines* routines, const char* why) {
  if (error != nullptr) *error = routines->mprintf("ofindex: %s", why);
  return SQLITE_ERROR;
}

}  // namespace

/// Called by SQLite, which derives the name of this function from that of the file: letters only, up to the first dot
/// (sqlite.org/c3ref/load_extension.html).
extern "C" __attribute__((visibility("default"))) int sqlite3_ofindexsqlite_init(sqlite3* db, char** error,
                                                                                 const sqlite3_api_routines* routines) {
  if (routines->libversion_number() < kMinVersion) return Refuse(error, routines, "SQLite is older than 3.38");
  if (!ofindex::UseRoutines(routines)) {
    return Refuse(error, routines,
                  "this SQLite lacks functions, or another one in this process has loaded the extension");
  }
  const ofindex::Result<void> registered = ofindex::WithMemory("the extension", [&]() -> ofindex::Result<void> {
    if (!ofindex::AddMissingFunctions(db))
      return ofindex::Fail(ofindex::ErrorCode::kLimit, "out of memory for functions");
    return ofindex::RegisterIndexModule(db);
  });
  if (!registered) return Refuse(error, routines, registered.error().message.c_str());
  // Never unloaded: threads of a query and the guard of mapped files may outlive the connection.
  return SQLITE_OK_LOAD_PERMANENTLY;
}
