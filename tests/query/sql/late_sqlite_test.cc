#include <doctest/doctest.h>
#include <sqlite3.h>

#include "query/sql/sql_authorizer.h"

namespace ofindex {
namespace {

// Runs before C++ constructors, as another library's may.
[[gnu::constructor(101)]] void UseSqlite() { sqlite3_initialize(); }

TEST_CASE("if SQLite was in use before its memory could be counted, no session opens") {
  REQUIRE_FALSE(SqlMemory::IsCounted());
  const Result<sqlite3*> db = SqlAuthorizer::OpenEmpty();
  REQUIRE_FALSE(db.has_value());
  CHECK(db.error().code == ErrorCode::kLimit);
  CHECK(
      db.error().message ==
      "no SQL session: the memory of statements cannot be bounded, since SQLite was in use before ofindex was loaded");
}

}  // namespace
}  // namespace ofindex
