#include "query/columns/chunks/implied_chunk.h"

#include <bit>
#include <limits>

#include "query/columns/chunks/bit_words.h"

namespace ofindex {
namespace {

using Type = ColumnValue::Type;

Result<Chunk> Built(ChunkBuilder& builder, uint32_t records) {
  return Chunk::Decode(builder.Encode(records).data, records);
}

// The range [begin, end) of the values in a record's list.
struct Extent {
  uint32_t begin;
  uint32_t end;
};

Extent ListOf(const Chunk::Lists& lists, uint32_t record) {
  return {record == 0 ? 0 : lists.ends[record - 1], lists.ends[record]};
}

void AddAsList(ChunkBuilder& builder, uint32_t record, const Chunk::Value& value) {
  switch (value.type) {
    case Type::kInteger: {
      const auto bits = static_cast<uint64_t>(value.integer);
      return builder.AddNumbers(record, FeatureKind::kInt64, {&bits, 1});
    }
    case Type::kText:
    case Type::kBlob: return builder.AddStrings(record, {&value.bytes, 1});
    case Type::kReal:
    case Type::kNull: {  // a value that is present and NULL is a NaN
      const bool nan = value.type == Type::kNull;
      const auto bits = std::bit_cast<uint64_t>(nan ? std::numeric_limits<double>::quiet_NaN() : value.real);
      return builder.AddNumbers(record, FeatureKind::kDouble, {&bits, 1});
    }
  }
}

}  // namespace

Result<Chunk> EmptyChunk(uint32_t records) {
  ChunkBuilder builder;
  return Built(builder, records);
}

Result<Chunk> CountsOf(const Chunk& values) {
  ChunkBuilder builder;
  for (uint32_t r = 0; r < values.records(); ++r) {
    if (!BitAt(values.present(), r)) continue;
    const Extent list = values.form() == Chunk::Form::kLists ? ListOf(values.lists(), r) : Extent{0, 1};
    builder.AddInteger(r, int64_t{list.end} - list.begin, FeatureKind::kInt64);
  }
  return Built(builder, values.records());
}

Result<Chunk> SizesOf(const Chunk& values) {
  ChunkBuilder builder;
  const auto add = [&builder](uint32_t record, ByteView bytes) {
    builder.AddInteger(record, static_cast<int64_t>(bytes.size()), FeatureKind::kInt64);
  };
  const bool lists = values.form() == Chunk::Form::kLists;
  for (uint32_t r = 0; r < values.records(); ++r) {
    if (!BitAt(values.present(), r)) continue;
    if (lists) {
      const std::vector<FeatureKind>& kinds = values.lists().kinds;
      const Extent list = ListOf(values.lists(), r);
      const bool bytes = !kinds.empty() && kinds[kinds.size() == 1 ? 0 : r] == FeatureKind::kBytes;
      if (bytes && list.end - list.begin == 1) add(r, values.strings()[values.strings().number[list.begin]]);
    } else if (const Chunk::Value value = values.At(r); value.type == Type::kText || value.type == Type::kBlob) {
      add(r, value.bytes);
    }
  }
  return Built(builder, values.records());
}

Result<Chunk> ListsOf(const Chunk& values, const Chunk& counts) {
  ChunkBuilder builder;
  for (uint32_t r = 0; r < values.records(); ++r) {
    if (BitAt(values.present(), r)) {
      AddAsList(builder, r, values.At(r));
    } else if (const Chunk::Value count = counts.At(r); count.type == Type::kInteger && count.integer == 0) {
      builder.AddNumbers(r, FeatureKind::kNone, {});
    }
  }
  return Built(builder, values.records());
}

Result<Chunk> ConstantChunk(ByteView bytes, uint32_t records) {
  ChunkBuilder builder;
  for (uint32_t r = 0; r < records; ++r) builder.AddBytes(r, bytes);
  return Built(builder, records);
}

Result<Chunk> IntegerChunk(std::span<const int64_t> values) {
  ChunkBuilder builder;
  for (uint32_t r = 0; r < values.size(); ++r) builder.AddInteger(r, values[r], FeatureKind::kInt64);
  return Built(builder, static_cast<uint32_t>(values.size()));
}

}  // namespace ofindex
