#include "query/columns/column_store.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>

#include "base/threads.h"
#include "query/columns/list_json.h"
#include "query/columns/value_order.h"
#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

// A block of values only; one whose lists are empty, absent or of no kind; one with lists; one without anything.
std::vector<FeatureInMemory> NumbersAndStrings() {
  const std::string long_text(100, 'x');
  std::vector<std::optional<Cell>> numbers = {Ints({1}),    Ints({2}),     Doubles({0.5}),     Doubles({NAN}),
                                              std::nullopt, Ints({3}),     Ints({}),           std::nullopt,
                                              Cell{},       Floats({1.5}), Ints({4}),          Ints({5, 6}),
                                              Cell{},       std::nullopt,  Doubles({2.5, NAN})};
  std::vector<std::optional<Cell>> strings = {
      Strings({"a"}),       Strings({""}), Strings({"\xff"}),     std::nullopt, Strings({"b"}), Strings({"a"}),
      Strings({long_text}), Cell{},        std::nullopt,          Ints({9}),    Strings({"c"}), Strings({"d", "e"}),
      Strings({}),          std::nullopt,  Strings({"\xff", "f"})};
  for (int i = 0; i < 3; ++i) {
    numbers.emplace_back(std::nullopt);
    strings.emplace_back(std::nullopt);
  }
  return {{"numbers", numbers}, {"texts", strings}};
}

const std::vector<uint32_t> kBlockSizes = {5, 5, 5, 3};

ColumnChoice WholeLists() { return {.mode = ColumnChoice::Mode::kNamed, .names = {"numbers", "texts"}}; }

ColumnValue ShownAt(const Chunk& chunk, uint32_t record) {
  if (chunk.form() == Chunk::Form::kLists) {
    if (((chunk.present()[record / 64] >> (record % 64)) & 1) == 0) return {};
    ColumnValue value{.type = ColumnValue::Type::kText};
    AppendListJson(chunk, record, value.bytes);
    return value;
  }
  const Chunk::Value value = chunk.At(record);
  return {.type = value.type, .integer = value.integer, .real = value.real, .bytes = std::string(AsText(value.bytes))};
}

void CheckEveryValue(const ColumnsInMemory& columns) {
  ColumnStore store(std::make_unique<ColumnsInMemory>(columns), {});
  for (const Column& column : store.columns()) {
    CAPTURE(column.name);
    const auto zones = store.ZonesOf(column);
    REQUIRE(zones.has_value());
    for (size_t b = 0; b < store.blocks().size(); ++b) {
      const auto chunk = store.Load(column, b);
      REQUIRE_MESSAGE(chunk.has_value(), chunk.error().message);
      const Zone& zone = (**zones)[b];
      uint32_t nulls = 0;
      for (uint32_t r = 0; r < zone.records; ++r) {
        const ColumnValue expected = columns.Expected(column, store.blocks()[b].first_record + r);
        CHECK_MESSAGE(ShownAt(**chunk, r) == expected, "block " << b << ", record " << r);
        nulls += expected.type == ColumnValue::Type::kNull ? 1 : 0;
        if (expected.type == ColumnValue::Type::kNull || column.is_list()) continue;
        if (zone.min.type != ColumnValue::Type::kNull) CHECK(CompareValues(zone.min, expected) <= 0);
        if (zone.max.type != ColumnValue::Type::kNull) CHECK(CompareValues(zone.max, expected) >= 0);
      }
      CHECK(zone.min_nulls <= nulls);
      CHECK(zone.max_nulls >= nulls);
    }
  }
}

TEST_CASE("every column has the values of the records, whether its chunks are stored or derived") {
  CheckEveryValue(ColumnsInMemory(NumbersAndStrings(), kBlockSizes));
  CheckEveryValue(ColumnsInMemory(NumbersAndStrings(), kBlockSizes, WholeLists()));
}

TEST_CASE("the columns of the records come first, then those of the features") {
  const auto names = [](const ColumnChoice& choice) {
    std::string text;
    ColumnStore store(std::make_unique<ColumnsInMemory>(NumbersAndStrings(), kBlockSizes, choice), {});
    for (const Column& column : store.columns()) text += column.name + (column.is_list() ? "[] " : " ");
    return text;
  };
  CHECK(names({}) == "_id _shard _offset _length numbers numbers#count texts#count texts#bytes _hash ");
  CHECK(names(WholeLists()) == "_id _shard _offset _length numbers[] numbers#count texts[] texts#count _hash ");
}

TEST_CASE("a chunk is decoded once while the cache has room for it") {
  auto source = std::make_unique<ColumnsInMemory>(NumbersAndStrings(), kBlockSizes);
  const ColumnsInMemory& columns = *source;
  ColumnStore store(std::move(source), {});
  const Column& column = store.columns()[4];
  const auto first = store.Load(column, 0).value();
  CHECK(store.Load(column, 0).value() == first);
  CHECK(columns.reads == 1);
  CHECK(store.cached_bytes() == first->memory());
}

TEST_CASE("the cache stays within its limit, and evicted chunks stay valid while somebody holds them") {
  auto source = std::make_unique<ColumnsInMemory>(NumbersAndStrings(), kBlockSizes);
  const ColumnsInMemory& columns = *source;
  const uint64_t bytes = ColumnStore(std::make_unique<ColumnsInMemory>(NumbersAndStrings(), kBlockSizes), {})
                             .Load({.name = {}, .feature = 0}, 0)
                             .value()
                             ->memory();
  ColumnStore store(std::move(source), {.cache_bytes = 2 * bytes});
  const Column& column = store.columns()[4];
  const auto first = store.Load(column, 0).value();
  for (int round = 0; round < 3; ++round) {
    for (uint64_t block = 0; block < 3; ++block) {
      REQUIRE(store.Load(column, block).has_value());
      CHECK(store.cached_bytes() <= 2 * bytes);
    }
  }
  CHECK(columns.reads > 3);
  CHECK(first->At(0).integer == 1);
  ColumnStore none(std::make_unique<ColumnsInMemory>(NumbersAndStrings(), kBlockSizes), {.cache_bytes = 0});
  CHECK(none.Load(none.columns()[4], 0).has_value());
  CHECK(none.cached_bytes() == 0);
}

TEST_CASE("many threads may use the store at once") {
  const ColumnsInMemory columns(NumbersAndStrings(), kBlockSizes, WholeLists());
  ColumnStore store(std::make_unique<ColumnsInMemory>(columns), {.cache_bytes = 4000});
  std::atomic<int> wrong = 0;
  RunOnThreads(4, [&](unsigned) {
    for (int round = 0; round < 200; ++round) {
      for (const Column& column : store.columns()) {
        const uint64_t block = static_cast<uint64_t>(round) % store.blocks().size();
        const auto chunk = store.Load(column, block);
        if (!chunk || !store.ZonesOf(column)) {
          ++wrong;
          continue;
        }
        const ColumnValue expected = columns.Expected(column, store.blocks()[block].first_record);
        if (ShownAt(**chunk, 0) != expected) ++wrong;
      }
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("_hash is the last column and NULL without hashes, unless a feature of an older index has its name") {
  ColumnStore store(std::make_unique<ColumnsInMemory>(NumbersAndStrings(), kBlockSizes), {});
  const Column& last = store.columns().back();
  CHECK(last.name == "_hash");
  CHECK(last.is_hidden());
  CHECK(store.Load(last, 0).value()->form() == Chunk::Form::kEmpty);
  CHECK(store.kinds(last) == BitOf(FeatureKind::kInt64));

  const std::vector<Column> older = ColumnsOf({{.name = "_HASH", .present = 1, .sql_value = "_HASH"}});
  CHECK(older.size() == 5);
  CHECK(older.back().name == "_HASH");
  CHECK(older.back().origin == Column::Origin::kFeature);
}

// A source with the contents of a broken or hostile index.
class HostileColumns final : public ColumnSource {
 public:
  explicit HostileColumns(ColumnsInMemory columns) : columns_(std::move(columns)) {}
  const std::vector<ShardRow>& shards() const override { return columns_.shards(); }
  const std::vector<BlockMetadata>& blocks() const override { return columns_.blocks(); }
  const std::vector<FeatureRow>& features() const override { return columns_.features(); }
  Result<std::vector<std::optional<ChunkRow>>> ChunkMetadata(uint32_t feature, ColumnRole role) override {
    return columns_.ChunkMetadata(feature, role);
  }
  Result<std::vector<uint8_t>> Data(uint32_t feature, ColumnRole role, uint64_t) override {
    // The data of a list instead of a value.
    if (role == ColumnRole::kValue) return columns_.Data(feature, ColumnRole::kList, 2);
    return Fail(ErrorCode::kIo, "no");
  }
  Result<std::vector<PackedOffsets::Extent>> Places(uint64_t) override {
    return std::vector<PackedOffsets::Extent>(5, {8, 8});
  }
  Result<std::vector<uint8_t>> HashData(uint64_t) override { return std::vector<uint8_t>(8); }

 private:
  ColumnsInMemory columns_;
};

TEST_CASE("an unknown column and an unreadable chunk are errors") {
  ColumnStore store(std::make_unique<HostileColumns>(ColumnsInMemory(NumbersAndStrings(), kBlockSizes, WholeLists())),
                    {});
  const auto code = [&](const Column& column, uint64_t block) { return store.Load(column, block).error().code; };
  CHECK(code({.name = {}, .feature = 0, .role = ColumnRole::kValue}, 0) == ErrorCode::kIndex);
  CHECK(code({.name = {}, .feature = 0, .role = ColumnRole::kList}, 2) == ErrorCode::kIo);
  CHECK(code(store.columns()[2], 0) == ErrorCode::kIndex);
  CHECK(code(store.columns()[3], 0) == ErrorCode::kIndex);
  CHECK(code(store.columns().back(), 0) == ErrorCode::kIndex);
}

}  // namespace
}  // namespace ofindex
