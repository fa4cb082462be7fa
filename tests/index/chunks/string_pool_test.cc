#include "index/chunks/string_pool.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace ofindex {
namespace {

// Adds `distinct` values of `bytes` bytes, and then the first of them `repeats` times.
void Fill(StringPool& pool, uint32_t distinct, uint32_t repeats, size_t bytes) {
  for (uint32_t i = 0; i < distinct + repeats; ++i) {
    std::string value = std::to_string(i < distinct ? i : 0);
    value.resize(std::max(value.size(), bytes), '.');
    (void)pool.Add(AsBytes(value));
  }
}

TEST_CASE("what a pool stores does not depend on what it held before") {
  struct Row {
    const char* what;
    uint32_t distinct;
    uint32_t repeats;
    size_t bytes;
  };
  for (const Row& row : {Row{"values that repeat", 100, 10'000, 20}, Row{"values that differ", 50'000, 0, 20},
                         Row{"so many bytes that they are searched again", 5'000, 300'000, 100},
                         Row{"so many short values that they are searched again", 5'000, 300'000, 1}}) {
    CAPTURE(row.what);
    StringPool fresh;
    Fill(fresh, row.distinct, row.repeats, row.bytes);
    StringPool used;
    Fill(used, 200'000, 200'000, 30);
    used.Clear();
    Fill(used, row.distinct, row.repeats, row.bytes);
    CHECK(used.size() == fresh.size());
    CHECK(used.bytes() == fresh.bytes());
    CHECK(SortedStrings(used).values.size() == row.distinct);
  }
}

TEST_CASE("values without a search are bounded in number, however short they are") {
  StringPool pool;
  Fill(pool, 5'000, 1'000'000, 0);
  CHECK(pool.size() < 200'000);
}

}  // namespace
}  // namespace ofindex
