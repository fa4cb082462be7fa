#include "query/tables/values/has_function.h"

#include <sqlite3.h>

#include <optional>
#include <vector>

#include "base/allocation.h"
#include "query/columns/list_json.h"
#include "query/tables/values/sql_values.h"

namespace ofindex {
namespace {

Result<void> PutHas(sqlite3_context* context, sqlite3_value* list, sqlite3_value* value) {
  if (sqlite3_value_type(list) == SQLITE_NULL || sqlite3_value_type(value) == SQLITE_NULL) return {};
  const Chunk::Value json = ViewOf(list);
  OFINDEX_ASSIGN(const std::vector<ColumnValue> wanted, ElementsOf(value));
  const std::optional<bool> has =
      json.type == ColumnValue::Type::kText ? JsonListHas(AsText(json.bytes), wanted) : std::nullopt;
  if (has) {
    sqlite3_result_int(context, *has ? 1 : 0);
  } else {
    sqlite3_result_error(context, kNoList, -1);
  }
  return {};
}

}  // namespace

void Has(sqlite3_context* context, int, sqlite3_value** values) {
  if (!WithMemory("a list", [&] { return PutHas(context, values[0], values[1]); })) sqlite3_result_error_nomem(context);
}

Result<void> RegisterHas(sqlite3* db) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  if (sqlite3_create_function_v2(db, "has", 2, kFlags, nullptr, Has, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return Fail(ErrorCode::kLimit, "out of memory for the function has()");
}

}  // namespace ofindex
