#include "index/column_chunk_sketch.h"

#include "index/column_chunk.h"
#include "index/column_chunk_groups.h"

namespace ofindex {
namespace {

void SketchTexts(const Chunk::Texts& texts, DistinctSketch& sketch) {
  for (uint32_t n = 0; n < texts.ends.size(); ++n) sketch.AddBytes(texts[n]);
}

void SketchNumber(FeatureKind kind, uint64_t bits, SketchFilter& filter) {
  switch (GroupOf(kind)) {
    case ValueGroup::kIntegers: return filter.AddInteger(static_cast<int64_t>(bits));
    case ValueGroup::kFloats: return filter.AddReal(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case ValueGroup::kDoubles: return filter.AddReal(std::bit_cast<double>(bits));
    default: return;
  }
}

void SketchLists(const Chunk& chunk, SketchFilter& filter) {
  const Chunk::Lists& lists = chunk.lists();
  uint32_t value = 0;
  for (uint32_t record = 0; record < chunk.records(); ++record) {
    const FeatureKind kind = lists.kinds[lists.kinds.size() == 1 ? 0 : record];
    for (; value < lists.ends[record]; ++value) SketchNumber(kind, lists.numbers[value], filter);
  }
}

void SketchRecords(const Chunk& chunk, SketchFilter& filter) {
  for (uint32_t record = 0; record < chunk.records(); ++record) {
    const Chunk::Value value = chunk.At(record);
    if (value.type == ColumnValue::Type::kInteger) filter.AddInteger(value.integer);
    if (value.type == ColumnValue::Type::kReal) filter.AddReal(value.real);
  }
}

}  // namespace

void SketchChunk(const Chunk& chunk, DistinctSketch& sketch) {
  SketchFilter filter(sketch);
  SketchTexts(chunk.texts(), sketch);
  if (chunk.form() == Chunk::Form::kLists) return SketchLists(chunk, filter);
  if (chunk.form() != Chunk::Form::kBytes) SketchRecords(chunk, filter);
}

}  // namespace ofindex
