#include "index/chunks/chunk.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/text.h"
#include "index/chunks/sections/chunk_format.h"
#include "tests/index/column_values.h"

namespace ofindex {
namespace {

constexpr uint32_t kSizes[] = {0, 1, 63, 64, 65, 4095, 4096, 4097, kMaxChunkRecords};

bool Same(const Chunk::Value& got, const ColumnValue& expected) {
  return got.type == expected.type && got.integer == expected.integer &&
         std::bit_cast<uint64_t>(got.real) == std::bit_cast<uint64_t>(expected.real) &&
         AsText(got.bytes) == expected.bytes;
}

// Bit patterns that SQL does not distinguish are kept anyway.
bool SameBits(const Chunk& chunk, uint32_t record, const Given& given) {
  if (given.kind == FeatureKind::kFloat) return std::bit_cast<uint32_t>(chunk.floats()[record]) == given.bits;
  if (given.kind == FeatureKind::kDouble) return std::bit_cast<uint64_t>(chunk.doubles()[record]) == given.bits;
  return true;
}

uint32_t CountWrongValues(const Chunk& chunk, const GivenColumn& column) {
  uint32_t wrong = 0;
  for (uint32_t record = 0; record < column.size(); ++record) {
    const bool present = (chunk.present()[record / 64] >> (record % 64) & 1) != 0;
    wrong += present != (column[record].kind != FeatureKind::kNone) || !Same(chunk.At(record), InSql(column[record])) ||
             !SameBits(chunk, record, column[record]);
  }
  return wrong;
}

TEST_CASE("every record is decoded unchanged, for any values, gaps and number of records") {
  for (const Generator& generator : Generators()) {
    for (const Gaps& gaps : AllGaps()) {
      for (uint32_t records : kSizes) {
        CAPTURE(generator.what);
        CAPTURE(gaps.what);
        CAPTURE(records);
        const GivenColumn column = MakeColumn(generator, gaps, records);
        CHECK(CountWrongValues(DecodeRow(EncodeColumn(column), records), column) == 0);
      }
    }
  }
}

TEST_CASE("presence bits past the last record are 0") {
  for (const Gaps& gaps : AllGaps()) {
    for (uint32_t records : {1U, 63U, 65U, 4097U}) {
      const GivenColumn column = MakeColumn(GeneratorOf("labels"), gaps, records);
      const Chunk chunk = DecodeRow(EncodeColumn(column), records);
      REQUIRE(chunk.present().size() == (records + 63) / 64);
      const uint64_t behind = chunk.present().back() >> (records % 64);
      CHECK(behind == 0);
    }
  }
}

TEST_CASE("integers are decoded to the narrowest of four forms") {
  struct Row {
    uint64_t range;
    size_t form;  // index in the variant
  };
  constexpr Row kRows[] = {{0, 0},      {1, 0},           {255, 0},          {256, 1},        {65'535, 1},
                           {65'536, 2}, {0xffffffffU, 2}, {0x100000000U, 3}, {~0ULL >> 1, 3}, {~0ULL, 3}};
  for (const Row& row : kRows) {
    CAPTURE(row.range);
    constexpr int64_t kBase = std::numeric_limits<int64_t>::min();
    GivenColumn column = {Int64(kBase), Int64(static_cast<int64_t>(static_cast<uint64_t>(kBase) + row.range))};
    const Chunk chunk = DecodeRow(EncodeColumn(column), 2);
    CHECK(chunk.form() == Chunk::Form::kIntegers);
    CHECK(chunk.integers().offsets.index() == row.form);
  }
}

TEST_CASE("long values are decoded whole") {
  GivenColumn column;
  for (int i = 0; i < 20; ++i) {
    std::string value(65'536, i % 2 == 0 ? 'x' : '\xff');
    value[static_cast<size_t>(i) * 3000] = '\0';
    column.push_back(Bytes(value));
    column.push_back(Bytes(std::string(65'536 - static_cast<size_t>(i), 'x')));
  }
  CHECK(CountWrongValues(DecodeRow(EncodeColumn(column), 40), column) == 0);
}

TEST_CASE("distinct bytes values are in ascending order, each once") {
  const GivenColumn column = MakeColumn(GeneratorOf("any bytes"), AllGaps()[2], 5000);
  const Chunk chunk = DecodeRow(EncodeColumn(column), 5000);
  const Chunk::Strings& strings = chunk.strings();
  REQUIRE(strings.ends.size() > 100);
  for (uint32_t n = 1; n < strings.ends.size(); ++n) CHECK(AsText(strings[n - 1]) < AsText(strings[n]));
}

TEST_CASE("numbers whose hashes all collide are encoded correctly") {
  // k times the inverse of the multiplier hashes to k: all collide.
  uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - 0x9e3779b97f4a7c15U * inverse;
  REQUIRE(inverse * 0x9e3779b97f4a7c15U == 1);
  GivenColumn column;
  for (uint64_t i = 0; i < kMaxChunkRecords; ++i) column.push_back(Int64(static_cast<int64_t>(i % 20'000 * inverse)));
  CHECK(CountWrongValues(DecodeRow(EncodeColumn(column), kMaxChunkRecords), column) == 0);
}

TEST_CASE("the same values give the same bytes from a reused builder") {
  ChunkBuilder builder;
  for (const Generator& generator : Generators()) {
    const GivenColumn column = MakeColumn(generator, AllGaps()[2], 3000);
    for (uint32_t record = 0; record < column.size(); ++record) AddTo(builder, record, column[record]);
    CHECK_FALSE(builder.empty());
    CHECK(builder.Encode(3000).data == EncodeColumn(column).data);
    CHECK(builder.empty());
  }
  CHECK(builder.memory() > 0);
}

TEST_CASE("the examples in docs/column_format.md are reproduced byte for byte") {
  const ChunkRow integers = EncodeColumn({Int64(3), Given{}, Int64(5), Int64(4), Int64(3), Int64(10)});
  CHECK(ToHex(integers.data) == "01010601003d010607005070");
  const ChunkRow strings = EncodeColumn({Bytes("cat"), Bytes("car"), Bytes("dog"), Bytes("car")});
  CHECK(ToHex(strings.data) == "010404000003010002000801020200220063617274646f670100020021");
}

TEST_CASE("typical columns stay below the expected size per record") {
  struct Row {
    const char* generator;
    double max_bits;  // per record
  };
  constexpr Row kRows[] = {
      {"one integer", 0.01},          {"labels", 10.1},        {"skewed labels", 2.6},      {"ids in order", 0.05},
      {"ids in falling order", 0.05}, {"timestamps", 9.1},     {"labels in order", 0.4},    {"few large numbers", 6.1},
      {"rare large ones", 8},         {"whole doubles", 10.1}, {"floats as doubles", 10.5}, {"one text", 0.02},
      {"class names", 5.1},           {"names of files", 25},
  };
  for (const Row& row : kRows) {
    const Generator generator = GeneratorOf(row.generator);
    CAPTURE(generator.what);
    const ChunkRow chunk = EncodeColumn(MakeColumn(generator, AllGaps()[0], kMaxChunkRecords));
    CHECK(8.0 * static_cast<double>(chunk.data.size()) / kMaxChunkRecords < row.max_bits);
  }
}

TEST_CASE("a chunk whose values exceed the size limit is encoded without data") {
  ChunkBuilder builder;
  // These zeros are never touched, so they take no memory.
  constexpr size_t kTooMany = (512 << 20) / 8 + 1;
  const std::unique_ptr<void, decltype(&std::free)> numbers(std::calloc(kTooMany, sizeof(uint64_t)), &std::free);
  builder.AddInteger(0, 1, FeatureKind::kInt64);
  CHECK_FALSE(builder.too_large());
  builder.AddNumbers(1, FeatureKind::kInt64, {static_cast<const uint64_t*>(numbers.get()), kTooMany});
  CHECK(builder.too_large());
  builder.AddInteger(2, 1, FeatureKind::kInt64);
  CHECK(builder.Encode(3).data.empty());
  CHECK_FALSE(builder.too_large());
  builder.AddInteger(0, 1, FeatureKind::kInt64);
  CHECK(builder.Encode(1).nulls == 0);
}

TEST_CASE("values that repeat after thousands of different ones are in the dictionary once") {
  GivenColumn column;
  for (uint32_t record = 0; record < kMaxChunkRecords; ++record) {
    const uint32_t word = record < 9'000 ? record * 7919 % 9'000 : record % 5'000;
    column.push_back(Bytes(StrCat("some/folder/", word, std::string(word % 13, 'x'))));
  }
  const Chunk chunk = DecodeRow(EncodeColumn(column), kMaxChunkRecords);
  CHECK(chunk.strings().ends.size() == 9'000);
  CHECK(CountWrongValues(chunk, column) == 0);
}

TEST_CASE("chunks of numbers have the narrowest offsets, and NULL where no bit is set") {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  struct Row {
    std::vector<int64_t> values;
    size_t bytes;  // of an offset
  };
  const std::vector<Row> rows = {{{5, 5, 5}, 1},
                                 {{-1, 254, 7}, 1},
                                 {{-1, 255, 7}, 2},
                                 {{0, 65'535, 7}, 2},
                                 {{0, 65'536, 7}, 4},
                                 {{kMin, kMin + 0xffff'ffff, kMin}, 4},
                                 {{kMin, kMin + 0x1'0000'0000, kMin}, 8},
                                 {{kMin, kMax, 0}, 8}};
  for (const Row& row : rows) {
    CAPTURE(row.bytes);
    std::vector<int64_t> values = row.values;
    values.push_back(kMin / 2);  // NULL: does not widen the offsets
    const Chunk chunk = Chunk::OfIntegers(values, {0b0111});
    CHECK(chunk.records() == 4);
    CHECK(std::visit([](const auto& offsets) { return sizeof(offsets[0]); }, chunk.integers().offsets) == row.bytes);
    for (uint32_t r = 0; r < 3; ++r) CHECK(chunk.At(r).integer == row.values[r]);
    CHECK(chunk.At(3).type == ColumnValue::Type::kNull);
  }
  const Chunk none = Chunk::OfIntegers(std::vector<int64_t>{1, 2}, {0});
  CHECK(none.form() == Chunk::Form::kEmpty);
  CHECK(none.present().size() == 1);
  CHECK(none.At(1).type == ColumnValue::Type::kNull);
  const Chunk reals = Chunk::OfReals(std::vector<double>{0.1, NAN, 3}, {0b011});
  CHECK(reals.At(0).real == 0.1);
  CHECK(reals.At(1).type == ColumnValue::Type::kNull);
  CHECK(reals.At(2).type == ColumnValue::Type::kNull);
  CHECK(Chunk::OfReals(std::vector<float>{0.1F}, {1}).At(0).real == double{0.1F});
}

}  // namespace
}  // namespace ofindex
