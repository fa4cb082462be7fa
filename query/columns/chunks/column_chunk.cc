#include "query/columns/chunks/column_chunk.h"

#include <vector>

#include "base/framing.h"
#include "base/text.h"
#include "query/columns/chunks/implied_chunk.h"

namespace ofindex {
namespace {

using Origin = Column::Origin;
using SharedChunk = std::shared_ptr<const Chunk>;

Result<Chunk> MakeOfPlaces(SharedSource& source, Origin origin, uint64_t block) {
  const BlockMetadata& metadata = source.blocks()[block];
  std::vector<int64_t> values(metadata.records);
  if (origin == Origin::kId) {
    for (uint32_t r = 0; r < metadata.records; ++r) values[r] = static_cast<int64_t>(metadata.first_record + r);
    return IntegerChunk(values);
  }
  OFINDEX_ASSIGN(const std::vector<PackedOffsets::Extent> places, source.Places(block));
  const uint64_t framing = FramingBytes(source.shards()[metadata.shard].framing);
  for (uint32_t r = 0; r < metadata.records; ++r) {
    const auto [begin, end] = places[r];
    if (end < begin || end - begin < framing) {
      return Fail(ErrorCode::kIndex, StrCat("record ", metadata.first_record + r, " is smaller than its framing"),
                  "rebuild the index with `ofindex build --force`");
    }
    values[r] = static_cast<int64_t>(origin == Origin::kOffset ? begin : end - begin - framing);
  }
  return IntegerChunk(values);
}

Result<Chunk> MakeOfHashes(SharedSource& source, uint64_t block) {
  OFINDEX_ASSIGN(const std::vector<int64_t> hashes, source.Hashes(block));
  return hashes.empty() ? EmptyChunk(source.blocks()[block].records) : IntegerChunk(hashes);
}

// Returns the chunk of lists if there is one, otherwise that of values.
Result<SharedChunk> ValuesIn(SharedSource& source, const LoadChunk& load, uint32_t feature, uint64_t block) {
  OFINDEX_ASSIGN(const bool lists, source.Stored(feature, ColumnRole::kList, block));
  return load({.name = {}, .feature = feature, .role = lists ? ColumnRole::kList : ColumnRole::kValue}, block);
}

// Follows the rules of index/columns/column.h.
Result<Chunk> MakeOfFeature(SharedSource& source, const LoadChunk& load, const Column& column, uint64_t block) {
  OFINDEX_ASSIGN(const bool stored, source.Stored(column.feature, column.role, block));
  if (stored) return source.Decode(column.feature, column.role, block);
  if (column.role == ColumnRole::kValue || IsDerived(column.role)) return EmptyChunk(source.blocks()[block].records);
  OFINDEX_ASSIGN(const SharedChunk values, ValuesIn(source, load, column.feature, block));
  if (column.role == ColumnRole::kSize) return SizesOf(*values);
  if (column.role == ColumnRole::kCount) {
    if (values->form() != Chunk::Form::kEmpty) return CountsOf(*values);
    OFINDEX_ASSIGN(const bool sized, source.Stored(column.feature, ColumnRole::kSize, block));
    if (!sized) return EmptyChunk(source.blocks()[block].records);
    OFINDEX_ASSIGN(const Chunk sizes, source.Decode(column.feature, ColumnRole::kSize, block));
    return CountsOf(sizes);
  }
  const Column counts{.name = {}, .feature = column.feature, .role = ColumnRole::kCount};
  OFINDEX_ASSIGN(const SharedChunk counted, load(counts, block));
  return ListsOf(*values, *counted);
}

}  // namespace

Result<Chunk> MakeChunk(SharedSource& source, const LoadChunk& load, const Column& column, uint64_t block) {
  const BlockMetadata& metadata = source.blocks()[block];
  switch (column.origin) {
    case Origin::kFeature: return MakeOfFeature(source, load, column, block);
    case Origin::kShard: return ConstantChunk(AsBytes(source.shard_text(metadata.shard)), metadata.records);
    case Origin::kHash: return MakeOfHashes(source, block);
    default: return MakeOfPlaces(source, column.origin, block);
  }
}

}  // namespace ofindex
