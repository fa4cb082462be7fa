#include "query/aggregates/group_index.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "query/columns/value_order.h"

namespace ofindex {
namespace {

Chunk::Value IntegerKey(int64_t integer) { return {.type = ColumnValue::Type::kInteger, .integer = integer}; }
Chunk::Value RealKey(double real) { return {.type = ColumnValue::Type::kReal, .real = real}; }
Chunk::Value BytesKey(ColumnValue::Type type, std::string_view bytes) {
  return {.type = type, .bytes = AsBytes(bytes)};
}

TEST_CASE("values that are equal in SQL are one group, and the first of them is its key") {
  GroupIndex index(1);
  const std::vector<Chunk::Value> keys = {IntegerKey(1),
                                          RealKey(1.0),
                                          RealKey(-0.0),
                                          IntegerKey(0),
                                          {},
                                          {},
                                          RealKey(1.5),
                                          RealKey(1e300),
                                          RealKey(1e300),
                                          BytesKey(ColumnValue::Type::kText, "a"),
                                          BytesKey(ColumnValue::Type::kBlob, "a"),
                                          BytesKey(ColumnValue::Type::kText, "a"),
                                          BytesKey(ColumnValue::Type::kText, ""),
                                          IntegerKey(INT64_MAX),
                                          RealKey(0x1p63),
                                          IntegerKey(INT64_MIN),
                                          RealKey(-0x1p63)};
  CHECK(index.Add(keys, keys.size()) == std::vector<uint32_t>{0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 5, 7, 8, 9, 10, 10});
  CHECK(index.size() == 11);
  CHECK(index.Key(0, 0).type == ColumnValue::Type::kInteger);
  CHECK(std::signbit(index.Key(1, 0).real));
  CHECK(AsText(index.Key(6, 0).bytes) == "a");
}

TEST_CASE("keys of several values, added in many calls, are numbered in the order of their first addition") {
  GroupIndex index(2);
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("name " + std::to_string(i));
  for (int round = 0; round < 3; ++round) {
    for (uint32_t begin = 0; begin < 5000; begin += 500) {
      std::vector<Chunk::Value> keys;
      for (uint32_t i = begin; i < begin + 500; ++i) {
        keys.push_back(IntegerKey(i / 1000));
        keys.push_back(BytesKey(ColumnValue::Type::kText, names[i % 1000]));
      }
      const std::vector<uint32_t> groups = index.Add(keys, 500);
      for (uint32_t i = 0; i < 500; ++i) REQUIRE(groups[i] == begin + i);
    }
  }
  CHECK(index.size() == 5000);
  CHECK(AsText(index.Key(4999, 1).bytes) == "name 999");
  CHECK(index.memory() > 5000 * (2 * 16 + 8));
}

TEST_CASE("without values, all keys are one group") {
  GroupIndex index(0);
  CHECK(index.Add({}, 3) == std::vector<uint32_t>{0, 0, 0});
}

}  // namespace
}  // namespace ofindex
