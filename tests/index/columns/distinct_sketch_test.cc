#include "index/columns/distinct_sketch.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "index/chunks/chunk.h"
#include "index/chunks/value_groups.h"
#include "tests/index/column_values.h"

namespace ofindex {
namespace {

DistinctSketch SketchOf(int64_t begin, int64_t end) {
  DistinctSketch sketch;
  for (int64_t value = begin; value < end; ++value) sketch.AddInteger(value);
  return sketch;
}

bool Equal(const DistinctSketch& a, const DistinctSketch& b) {
  return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

// Adds the values of a decoded chunk to a sketch: of all its records, or of its lists.
void SketchStrings(const Chunk::Strings& strings, DistinctSketch& sketch) {
  for (uint32_t n = 0; n < strings.ends.size(); ++n) sketch.AddBytes(strings[n]);
}

void SketchNumber(FeatureKind kind, uint64_t bits, DistinctSketch& sketch) {
  switch (GroupOf(kind)) {
    case ValueGroup::kIntegers: return sketch.AddInteger(static_cast<int64_t>(bits));
    case ValueGroup::kFloats: return sketch.AddReal(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case ValueGroup::kDoubles: return sketch.AddReal(std::bit_cast<double>(bits));
    default: return;
  }
}

void SketchLists(const Chunk& chunk, DistinctSketch& sketch) {
  const Chunk::Lists& lists = chunk.lists();
  uint32_t value = 0;
  for (uint32_t record = 0; record < chunk.records(); ++record) {
    const FeatureKind kind = lists.kinds[lists.kinds.size() == 1 ? 0 : record];
    for (; value < lists.ends[record]; ++value) SketchNumber(kind, lists.numbers[value], sketch);
  }
}

void SketchRecords(const Chunk& chunk, DistinctSketch& sketch) {
  for (uint32_t record = 0; record < chunk.records(); ++record) {
    const Chunk::Value value = chunk.At(record);
    if (value.type == ColumnValue::Type::kInteger) sketch.AddInteger(value.integer);
    if (value.type == ColumnValue::Type::kReal) sketch.AddReal(value.real);
  }
}

void SketchChunk(const Chunk& chunk, DistinctSketch& sketch) {
  SketchStrings(chunk.strings(), sketch);
  if (chunk.form() == Chunk::Form::kLists) return SketchLists(chunk, sketch);
  if (chunk.form() != Chunk::Form::kBytes) SketchRecords(chunk, sketch);
}

TEST_CASE("estimates are close to the number of distinct values, from none to many") {
  CHECK(DistinctSketch().Estimate() == 0);
  for (int64_t count : {1, 2, 3, 10, 100, 1000, 2000, 5000, 10'000, 30'000, 100'000, 1'000'000, 3'000'000}) {
    CAPTURE(count);
    const auto estimate = static_cast<double>(SketchOf(0, count).Estimate());
    const auto exact = static_cast<double>(count);
    // Four standard errors, plus one for values that share a register.
    CHECK(std::abs(estimate - exact) <= 1 + 4 * 0.023 * exact);
  }
}

TEST_CASE("estimates are unbiased: over many sketches the errors cancel") {
  constexpr int kSketches = 100;
  for (int64_t count : {50, 500, 3000, 6000, 20'000}) {
    CAPTURE(count);
    double sum = 0;
    for (int64_t i = 0; i < kSketches; ++i)
      sum += static_cast<double>(SketchOf(i << 32, (i << 32) + count).Estimate()) / static_cast<double>(count);
    // Plus half a value, because an estimate is a whole number.
    CHECK(std::abs(sum / kSketches - 1) < 0.01 + 0.5 / static_cast<double>(count));
  }
}

TEST_CASE("merging the sketches of parts, in any order, gives the sketch of the whole, and duplicates count once") {
  const DistinctSketch whole = SketchOf(0, 9000);
  DistinctSketch there = SketchOf(0, 4000), back = SketchOf(3000, 9000);
  there.Merge(SketchOf(3000, 9000));
  back.Merge(SketchOf(0, 4000));
  CHECK(Equal(there, whole));
  CHECK(Equal(back, whole));
}

TEST_CASE("values that are equal in SQLite count as one") {
  struct Row {
    Given a, b;
    bool same;
  };
  const Row rows[] = {
      {Int64(1), Double(1.0), true},
      {Int64(1), Int32(1), true},
      {Float(0.5F), Double(0.5), true},
      {Double(-0.0), Double(0.0), true},
      {Double(-0.0), Int64(0), true},
      {Int64(std::numeric_limits<int64_t>::min()), Double(-9223372036854775808.0), true},
      {Int64(std::numeric_limits<int64_t>::max()), Double(9223372036854775808.0), false},
      {Double(std::numeric_limits<double>::quiet_NaN()), Given{}, true},
      {Float(0.1F), Double(0.1), false},
      {Int64(49), Bytes("1"), false},
      {Bytes(""), Given{}, false},
      {Bytes("a"), Bytes(std::string("a\0", 2)), false},
  };
  for (const Row& row : rows) {
    const auto sketch_of = [](const Given& given) {
      ChunkBuilder builder;
      DistinctSketch sketch;
      AddTo(builder, 0, given);
      static_cast<void>(builder.Encode(1, &sketch));
      return sketch;
    };
    CHECK(Equal(sketch_of(row.a), sketch_of(row.b)) == row.same);
  }
}

TEST_CASE("a sketch made while a column is encoded equals that of the decoded chunk") {
  for (const Generator& generator : Generators()) {
    CAPTURE(generator.what);
    const GivenColumn column = MakeColumn(generator, AllGaps()[2], 20'000);
    ChunkBuilder builder;
    std::set<std::pair<int, std::string>> distinct;
    for (uint32_t record = 0; record < column.size(); ++record) {
      AddTo(builder, record, column[record]);
      const ColumnValue value = InSql(column[record]);
      // Numbers by their value as a long double, which holds all integers and doubles exactly.
      const auto number = value.type == ColumnValue::Type::kInteger ? static_cast<long double>(value.integer)
                                                                    : static_cast<long double>(value.real);
      const bool bytes = value.type == ColumnValue::Type::kText || value.type == ColumnValue::Type::kBlob;
      const std::string key = bytes ? value.bytes : std::to_string(number == 0 ? 0 : number);
      if (value.type != ColumnValue::Type::kNull) distinct.emplace(bytes, key);
    }
    DistinctSketch encoded, decoded;
    const ChunkRow row = builder.Encode(20'000, &encoded);
    const Result<Chunk> chunk = Chunk::Decode(row.data, 20'000);
    REQUIRE(chunk.has_value());
    SketchChunk(*chunk, decoded);
    CHECK(Equal(encoded, decoded));
    if (std::string_view(generator.what).find("any") == 0) continue;  // denormals print the same
    const auto exact = static_cast<double>(distinct.size());
    CHECK(std::abs(static_cast<double>(encoded.Estimate()) - exact) <= 1 + 4 * 0.023 * exact);
  }
}

TEST_CASE("the elements of lists are counted") {
  ChunkBuilder builder;
  builder.AddNumbers(0, FeatureKind::kInt64, std::vector<uint64_t>{1, 2, 3});
  builder.AddNumbers(1, FeatureKind::kFloat, std::vector<uint64_t>{std::bit_cast<uint32_t>(3.0F)});
  builder.AddStrings(2, std::vector<ByteView>{AsBytes("a"), AsBytes("b"), AsBytes("a")});
  DistinctSketch encoded, decoded;
  const ChunkRow row = builder.Encode(3, &encoded);
  CHECK(encoded.Estimate() == 5);
  const Result<Chunk> chunk = Chunk::Decode(row.data, 3);
  REQUIRE(chunk.has_value());
  SketchChunk(*chunk, decoded);
  CHECK(Equal(encoded, decoded));
}

TEST_CASE("a sketch is parsed from its bytes, and other bytes are refused") {
  const DistinctSketch sketch = SketchOf(0, 5000);
  DistinctSketch loaded;
  CHECK(loaded.Load(sketch.bytes()));
  CHECK(Equal(loaded, sketch));
  CHECK_FALSE(loaded.Load({}));
  CHECK_FALSE(loaded.Load(sketch.bytes().first(2047)));
  std::vector<uint8_t> bytes(sketch.bytes().begin(), sketch.bytes().end());
  bytes[7] = 54;  // the rank of a hash whose 53 bits are all 0
  CHECK(loaded.Load(bytes));
  bytes[7] = 55;
  CHECK_FALSE(loaded.Load(bytes));
}

TEST_CASE("if all registers are at their maximum, the estimate is the largest number") {
  DistinctSketch sketch;
  CHECK(sketch.Load(std::vector<uint8_t>(2048, 54)));
  CHECK(sketch.Estimate() == std::numeric_limits<uint64_t>::max());
  CHECK(sketch.Load(std::vector<uint8_t>(2048, 1)));
  CHECK(sketch.Estimate() > 1000);
}

}  // namespace
}  // namespace ofindex
