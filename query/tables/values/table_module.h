#pragma once

#include <string>

#include "base/result.h"

struct sqlite3;
struct sqlite3_module;

namespace ofindex {

/// Returns the name of a table in a schema as SQL's users write it, which is also the name of its module: "records" in
/// the schema "" or "main", or "a.records".
[[nodiscard]] std::string TableName(const std::string& schema, const std::string& table);

/// Makes `table` of `module` readable on `db`. In the schema "", it exists under its name without CREATE, and only
/// where no schema has a table of this name. Every other schema must exist, and the table is created in it: then the
/// module must have xCreate. `destroy` is called for `data` when nothing needs them any more, also after an error.
/// Errors: kLimit if SQLite has no memory.
[[nodiscard]] Result<void> RegisterTable(sqlite3* db, const std::string& schema, const std::string& table,
                                         const sqlite3_module& module, void* data, void (*destroy)(void*));

/// Returns `name` as an SQL identifier in double quotes.
[[nodiscard]] std::string QuotedName(std::string_view name);

}  // namespace ofindex
