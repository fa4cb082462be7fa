#include "query/sampling/record_lengths.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/allocation.h"
#include "base/text.h"
#include "query/find_column.h"
#include "query/sampling/column_blocks.h"

namespace ofindex {
namespace {

// What a record has that has no length: told when it is asked for, as it may never be.
constexpr uint32_t kNull = 0xffff'ffff;
constexpr uint32_t kNoLength = 0xffff'fffe;

uint32_t LengthOf(const Chunk::Value& value) {
  double number = 0;
  switch (value.type) {
    case ColumnValue::Type::kNull: return kNull;
    case ColumnValue::Type::kInteger: number = static_cast<double>(value.integer); break;
    case ColumnValue::Type::kReal: number = std::ceil(value.real); break;
    default: return kNoLength;
  }
  return number >= 0 && number < kNoLength ? static_cast<uint32_t>(number) : kNoLength;
}

tl::unexpected<Error> Refuse(const Column& column, uint64_t ordinal, uint32_t why) {
  return Fail(ErrorCode::kUsage,
              StrCat("column '", Printable(column.name), "': record ", ordinal, " has no length: its value is ",
                     why == kNull ? "NULL" : "negative, too large, or no number"),
              "leave such records out with --where, or take another column");
}

}  // namespace

LengthsOf LengthsOfPayloads(const RecordReader& reader) {
  return [&reader](std::span<const uint64_t> ordinals, std::span<uint64_t> lengths) -> Result<void> {
    for (size_t i = 0; i < ordinals.size(); ++i) {
      OFINDEX_ASSIGN(const RecordLocation location, reader.Locate(ordinals[i]));
      lengths[i] = location.length;
    }
    return {};
  };
}

Result<LengthsOf> LengthsOfColumn(ColumnStore& store, const std::string& name, const std::atomic<bool>* cancel) {
  OFINDEX_ASSIGN(const Column column, FindColumn(store, name));
  OFINDEX_TRY(CheckSingle(column, "a length"));
  std::shared_ptr<std::vector<uint32_t>> all;
  OFINDEX_TRY(WithMemory("the length of each record", [&]() -> Result<void> {
    all = std::make_shared<std::vector<uint32_t>>(store.records());
    return {};
  }));
  OFINDEX_TRY(ForEachChunk(store, column, store.records(), cancel,
                           [&](uint64_t first, uint64_t count, const Chunk& chunk) -> Result<void> {
                             for (uint32_t r = 0; r < count; ++r) (*all)[first + r] = LengthOf(chunk.At(r));
                             return {};
                           }));
  return LengthsOf([all, column](std::span<const uint64_t> ordinals, std::span<uint64_t> lengths) -> Result<void> {
    for (size_t i = 0; i < ordinals.size(); ++i) {
      const uint32_t length = (*all)[ordinals[i]];
      if (length >= kNoLength) return Refuse(column, ordinals[i], length);
      lengths[i] = length;
    }
    return {};
  });
}

}  // namespace ofindex
