#include "query/sampling/record_lengths.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.h"
#include "query/find_column.h"
#include "query/sampling/column_blocks.h"

namespace ofindex {
namespace {

constexpr uint32_t kUnknown = 0xffff'ffff;

tl::unexpected<Error> NoLength(const Column& column, uint64_t ordinal, std::string_view what) {
  return Fail(ErrorCode::kUsage, StrCat("column '", Printable(column.name), "': record ", ordinal, " ", what),
              "leave such records out with --where, or take another column");
}

// A length as 32 bits; kUnknown for NULL.
Result<uint32_t> LengthOf(const Column& column, uint64_t ordinal, const Chunk::Value& value) {
  double number = 0;
  switch (value.type) {
    case ColumnValue::Type::kNull: return kUnknown;
    case ColumnValue::Type::kInteger: number = static_cast<double>(value.integer); break;
    case ColumnValue::Type::kReal: number = std::ceil(value.real); break;
    default: return NoLength(column, ordinal, "has a text, which is no length");
  }
  if (number >= 0 && number < kUnknown) return static_cast<uint32_t>(number);
  return NoLength(column, ordinal, "has a length that is negative or too large");
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

Result<LengthsOf> LengthsOfColumn(ColumnStore& store, const std::string& name) {
  OFINDEX_ASSIGN(const Column column, FindColumn(store, name));
  OFINDEX_TRY(CheckSingle(column, "a length"));
  auto all = std::make_shared<std::vector<uint32_t>>(store.records());
  OFINDEX_TRY(ForEachChunk(store, column, store.records(), nullptr,
                           [&](uint64_t first, uint64_t count, const Chunk& chunk) -> Result<void> {
                             for (uint64_t r = 0; r < count; ++r) {
                               OFINDEX_ASSIGN((*all)[first + r],
                                              LengthOf(column, first + r, chunk.At(static_cast<uint32_t>(r))));
                             }
                             return {};
                           }));
  return LengthsOf([all, column](std::span<const uint64_t> ordinals, std::span<uint64_t> lengths) -> Result<void> {
    for (size_t i = 0; i < ordinals.size(); ++i) {
      if ((*all)[ordinals[i]] == kUnknown) return NoLength(column, ordinals[i], "has no length: it is NULL");
      lengths[i] = (*all)[ordinals[i]];
    }
    return {};
  });
}

}  // namespace ofindex
