#include "query/loading/packed_rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/query/decoding/decoding.h"

namespace ofindex {
namespace {

const std::vector<FeatureSpec> kTokens = {{.name = "a", .form = Form::kRagged, .type = DataType::kInt64},
                                          {.name = "b", .form = Form::kRagged, .type = DataType::kFloat32}};

std::vector<std::string> Sequences() {
  return {Example(Ints("a", {5, 6, 7}) + Floats("b", {1, 2, 3})), Example(Ints("a", {8}) + Floats("b", {4})),
          Example(""), Example(Ints("a", {9, 10}) + Floats("b", {5, 6}))};
}

/// Returns the rows of an array as text.
std::string Spelt(const FeatureArray& array, const RowPlan& plan) {
  CHECK(array.count == plan.ends.size() * plan.width);
  CHECK(array.values.size() == array.count * ItemBytes(array.type));
  return Spell(array, plan.ends.size());
}

Result<DecodedBatch> Packed(const std::vector<FeatureSpec>& specs, const RowPlan& plan,
                            const std::vector<std::string>& payloads) {
  const Payloads records(PayloadKind::kExample, payloads);
  const auto batch = DecoderOf(specs).Decode(records.source(), records.all());
  REQUIRE(batch);
  return PackRows(*batch, specs, plan, records.source(), records.all());
}

TEST_CASE("records follow each other in rows, which zeros fill up") {
  const RowPlan plan{.width = 5, .ends = {3, 4}, .lengths = {3, 1, 0, 2}};
  const auto rows = Packed(kTokens, plan, Sequences());
  REQUIRE(rows);
  CHECK(rows->records == 4);
  REQUIRE(rows->arrays.size() == 4);
  CHECK(Spelt(rows->arrays[0], plan) == "[5 6 7 8 0][9 10 0 0 0]");
  CHECK(Spelt(rows->arrays[1], plan) == "[1.0 2.0 3.0 4.0 0.0][5.0 6.0 0.0 0.0 0.0]");
  CHECK(Spelt(rows->arrays[2], plan) == "[1 1 1 2 0][1 1 0 0 0]");
  CHECK(Spelt(rows->arrays[3], plan) == "[0 1 2 0 0][0 1 0 0 0]");
}

TEST_CASE("a record without tokens has a segment number") {
  const RowPlan plan{.width = 3, .ends = {2}, .lengths = {0, 2}};
  const auto rows = Packed({kTokens[0]}, plan, {Example(""), Example(Ints("a", {9, 10}))});
  REQUIRE(rows);
  CHECK(Spelt(rows->arrays[1], plan) == "[2 2 0]");
}

TEST_CASE("the ends of rows are zeros, though their memory was used before") {
  const RowPlan plan{.width = 2 * kPooledBytes / sizeof(int64_t), .ends = {1}, .lengths = {2}};
  LeaveUsedMemory(2 * kPooledBytes);
  const auto rows = Packed({kTokens[0]}, plan, {Example(Ints("a", {9, 10}))});
  REQUIRE(rows);
  for (const FeatureArray& array : rows->arrays) {
    const uint8_t* const values = array.values.data();
    const size_t end = 2 * ItemBytes(array.type);
    REQUIRE(array.values.size() == plan.width * ItemBytes(array.type));
    CHECK(std::all_of(values + end, values + array.values.size(), [](uint8_t byte) { return byte == 0; }));
  }
}

TEST_CASE("a record of another length, and a feature that cannot be packed, are named") {
  const auto longer = Packed(kTokens, {.width = 5, .ends = {3, 4}, .lengths = {3, 1, 0, 1}}, Sequences());
  REQUIRE_FALSE(longer);
  CHECK(longer.error().code == ErrorCode::kFeature);
  CHECK(longer.error().message == "record 3: feature 'a': 2 values; the batch was planned for 1");
  const std::vector<FeatureSpec> fixed = {{.name = "a"}};
  const auto refused = Packed(fixed, {.width = 5, .ends = {1}, .lengths = {1}}, {Example(Ints("a", {9}))});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "feature 'a': expected ragged numbers to pack");
}

}  // namespace
}  // namespace ofindex
