#include "query/tables/values/table_module.h"

#include <sqlite3.h>

#include "base/nearest_names.h"
#include "base/text.h"

namespace ofindex {

std::string TableName(const std::string& schema, const std::string& table) {
  return schema.empty() || schema == "main" ? table : StrCat(schema, ".", table);
}

Result<void> RegisterTable(sqlite3* db, const std::string& schema, const std::string& table,
                           const sqlite3_module& module, void* data, void (*destroy)(void*)) {
  const std::string name = TableName(schema, table);
  bool made = sqlite3_create_module_v2(db, name.c_str(), &module, data, destroy) == SQLITE_OK;
  if (made && !schema.empty()) {
    const std::string sql =
        StrCat("CREATE VIRTUAL TABLE ", QuotedName(schema), ".", QuotedName(table), " USING ", QuotedName(name));
    made = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  if (made) return {};
  return Fail(ErrorCode::kLimit, StrCat("table ", name, ": SQLite: ", sqlite3_errmsg(db)), "free some memory");
}

std::string QuotedName(std::string_view name) { return Quoted(name, '"'); }

}  // namespace ofindex
