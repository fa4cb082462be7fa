#include "query/picked_chunk.h"

#include <algorithm>
#include <utility>

#include "index/column_chunk_format.h"
#include "query/bit_words.h"

namespace ofindex {
namespace {

using Form = Chunk::Form;

// Elements of lists in one chunk, unless one list has more: a list that repeats would else outgrow what a chunk holds.
constexpr uint64_t kMostElements = uint64_t{1} << 22;

// The kind of the value of `record` in a chunk of single values. The exact integer kind makes no difference to SQL.
FeatureKind KindOf(const Chunk& chunk, uint32_t record) {
  switch (chunk.form()) {
    case Form::kFloats: return FeatureKind::kFloat;
    case Form::kDoubles: return FeatureKind::kDouble;
    case Form::kBytes: return FeatureKind::kBytes;
    case Form::kMixed: return chunk.kind_of(record);
    default: return FeatureKind::kInt64;
  }
}

// Puts value `record` of a chunk of single values at place `at`.
void AddValue(const Chunk& chunk, uint32_t record, uint32_t at, ChunkBuilder& builder) {
  switch (const FeatureKind kind = KindOf(chunk, record)) {
    case FeatureKind::kFloat: return builder.AddFloat(at, chunk.floats()[record]);
    case FeatureKind::kDouble: return builder.AddDouble(at, chunk.doubles()[record]);
    case FeatureKind::kBytes: return builder.AddBytes(at, chunk.texts()[chunk.texts().number[record]]);
    default: return builder.AddInteger(at, chunk.At(record).integer, kind);
  }
}

void AddList(const Chunk& chunk, uint32_t record, uint32_t at, ChunkBuilder& builder) {
  const Chunk::Lists& lists = chunk.lists();
  const uint32_t begin = record == 0 ? 0 : lists.ends[record - 1];
  const uint32_t end = lists.ends[record];
  const FeatureKind kind = lists.kinds.empty() ? FeatureKind::kNone : lists.kinds[lists.kinds.size() == 1 ? 0 : record];
  if (begin == end) return builder.AddNumbers(at, FeatureKind::kNone, {});
  if (kind != FeatureKind::kBytes) {
    return builder.AddNumbers(at, kind, std::span(lists.numbers).subspan(begin, end - begin));
  }
  std::vector<ByteView> texts;
  for (uint32_t i = begin; i < end; ++i) texts.push_back(chunk.texts()[chunk.texts().number[i]]);
  builder.AddTexts(at, texts);
}

uint64_t ElementCount(const Chunk& chunk, uint32_t record) {
  if (chunk.form() != Form::kLists) return 1;
  const std::vector<uint32_t>& ends = chunk.lists().ends;
  return ends[record] - (record == 0 ? 0 : ends[record - 1]);
}

// How many of `records`, from the first on, go into one chunk.
size_t FittingIn(const Chunk& chunk, std::span<const uint32_t> records) {
  const size_t most = std::min<size_t>(records.size(), kMostChunkRecords);
  uint64_t elements = 0;
  for (size_t i = 0; i < most; ++i) {
    elements += ElementCount(chunk, records[i]);
    if (elements > kMostElements && i > 0) return i;
  }
  return most;
}

Result<Chunk> Picked(const Chunk& chunk, std::span<const uint32_t> records) {
  ChunkBuilder builder;
  for (uint32_t at = 0; at < records.size(); ++at) {
    if (!BitAt(chunk.present(), records[at])) continue;
    if (chunk.form() == Form::kLists) {
      AddList(chunk, records[at], at, builder);
    } else {
      AddValue(chunk, records[at], at, builder);
    }
  }
  if (builder.too_large()) {
    return Fail(ErrorCode::kLimit, "the values of the records that were picked are too many", "pick fewer at a time");
  }
  const auto count = static_cast<uint32_t>(records.size());
  return Chunk::Decode(builder.Encode(count).data, count);
}

}  // namespace

Result<std::vector<Chunk>> PickedChunks(const Chunk& chunk, std::span<const uint32_t> records) {
  std::vector<Chunk> chunks;
  while (!records.empty()) {
    const size_t count = FittingIn(chunk, records);
    OFINDEX_ASSIGN(Chunk picked, Picked(chunk, records.first(count)));
    chunks.push_back(std::move(picked));
    records = records.subspan(count);
  }
  return chunks;
}

}  // namespace ofindex
