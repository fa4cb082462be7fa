#include "tools/serve/counting/filter_sql.h"

#include <doctest/doctest.h>

namespace ofindex {
namespace {

TEST_CASE("a filter is told as SQL, with names and values quoted") {
  const Column odd{.name = "a\"b"};
  const ColumnValue low{.type = ColumnValue::Type::kInteger, .integer = INT64_MIN};
  const ColumnValue high{.type = ColumnValue::Type::kReal, .real = 1e300};
  const ColumnValue text{.type = ColumnValue::Type::kText, .bytes = "it's"};
  const ColumnValue blob{.type = ColumnValue::Type::kBlob, .bytes = "\xff"};
  RecordFilter filter{.where = "x -- y"};
  CHECK(SqlOf({}).empty());
  CHECK(SqlOf(filter) == "x -- y");
  filter.columns.push_back({odd, {.low = {low}, .high = {high, true}}});
  filter.columns.push_back({odd, {.kind = ValueFilter::Kind::kSet, .null = true, .values = {text, blob}}});
  filter.columns.push_back({odd, {.outside = true, .null = true}});
  CHECK(SqlOf(filter) ==
        "(x -- y\n) AND \"a\"\"b\" >= (-9223372036854775807 - 1) AND \"a\"\"b\" < 1e+300 AND "
        "(\"a\"\"b\" IN ('it''s', x'ff') OR \"a\"\"b\" IS NULL) AND \"a\"\"b\" IS NULL");
}

}  // namespace
}  // namespace ofindex
