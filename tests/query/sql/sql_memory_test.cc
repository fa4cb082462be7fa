#include "query/sql/sql_memory.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

namespace ofindex {
namespace {

TEST_CASE("allocations are counted, and one that exceeds the limit is refused") {
  SqlMemory memory([] { return true; });
  const SqlMemory::Counting counting(memory);
  memory.Bound(1 << 20);
  void* const held = sqlite3_malloc(1 << 19);
  REQUIRE(held != nullptr);
  CHECK(memory.used() >= 1 << 19);
  CHECK_FALSE(memory.refused());
  CHECK(sqlite3_malloc(1 << 20) == nullptr);
  CHECK(sqlite3_realloc(held, 1 << 21) == nullptr);
  CHECK(memory.refused());
  sqlite3_free(held);
  CHECK(memory.used() == 0);
}

TEST_CASE("may_continue is asked about once per MiB allocated, and if it returns false, memory is refused") {
  int asked = 0;
  bool may_continue = true;
  SqlMemory memory([&] {
    ++asked;
    return may_continue;
  });
  const SqlMemory::Counting counting(memory);
  for (int i = 0; i < 40'000; ++i) sqlite3_free(sqlite3_malloc(100));
  CHECK(asked == 3);
  may_continue = false;
  CHECK(sqlite3_malloc(1 << 20) == nullptr);
  CHECK(asked == 4);
  CHECK_FALSE(memory.refused());
  CHECK(memory.used() == 0);
}

}  // namespace
}  // namespace ofindex
