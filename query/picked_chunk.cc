#include "query/picked_chunk.h"

#include <vector>

#include "query/bit_words.h"

namespace ofindex {
namespace {

using Form = Chunk::Form;

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

}  // namespace

Result<Chunk> PickedChunk(const Chunk& chunk, std::span<const uint32_t> records) {
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

}  // namespace ofindex
