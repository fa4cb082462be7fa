#include <bit>
#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/files/file_checks.h"
#include "fuzz/input.h"
#include "index/chunks/chunk.h"

namespace ofindex {
namespace {

constexpr uint32_t kMostRecords = 4096;

bool IsPresent(const Chunk& chunk, uint32_t record) { return (chunk.present()[record / 64] >> record % 64 & 1) != 0; }

FeatureKind KindOfList(const Chunk::Lists& lists, uint32_t record) {
  return lists.kinds.size() == 1 ? lists.kinds[0] : lists.kinds[record];
}

// Returns all values as text, each by its bits. A chunk of several kinds may turn out to have one only, so the kinds of
// single values are left out.
std::string SpellChunk(const Chunk& chunk) {
  std::string text;
  const Chunk::Lists& lists = chunk.lists();
  for (uint32_t r = 0; r < chunk.records(); ++r) {
    if (!IsPresent(chunk, r)) continue;
    text += StrCat(r, ":");
    if (chunk.form() != Chunk::Form::kLists) {
      const Chunk::Value value = chunk.At(r);
      text += StrCat(static_cast<int>(value.type), " ", value.integer, " ", std::bit_cast<uint64_t>(value.real), " ",
                     AsText(value.bytes), "\n");
      continue;
    }
    text += StrCat(Name(KindOfList(lists, r)), " ");
    const FeatureKind kind = KindOfList(lists, r);
    for (uint32_t v = r == 0 ? 0 : lists.ends[r - 1]; v < lists.ends[r]; ++v) {
      text += kind == FeatureKind::kBytes ? StrCat(AsText(chunk.strings()[chunk.strings().number[v]]), ",")
                                          : StrCat(lists.numbers[v], ",");
    }
    text += "\n";
  }
  return text;
}

void AddListOf(const Chunk& chunk, uint32_t record, ChunkBuilder& builder) {
  const Chunk::Lists& lists = chunk.lists();
  const uint32_t begin = record == 0 ? 0 : lists.ends[record - 1];
  const uint32_t count = lists.ends[record] - begin;
  const FeatureKind kind = KindOfList(lists, record);
  if (kind != FeatureKind::kBytes) {
    return builder.AddNumbers(record, kind, std::span(lists.numbers).subspan(begin, count));
  }
  std::vector<ByteView> strings;
  for (uint32_t v = begin; v < begin + count; ++v) strings.push_back(chunk.strings()[chunk.strings().number[v]]);
  builder.AddStrings(record, strings);
}

void AddValueOf(const Chunk& chunk, uint32_t record, ChunkBuilder& builder) {
  switch (chunk.form()) {
    case Chunk::Form::kIntegers: return builder.AddInteger(record, chunk.At(record).integer, FeatureKind::kInt64);
    case Chunk::Form::kFloats: return builder.AddFloat(record, chunk.floats()[record]);
    case Chunk::Form::kDoubles: return builder.AddDouble(record, chunk.doubles()[record]);
    case Chunk::Form::kBytes: return builder.AddBytes(record, chunk.At(record).bytes);
    case Chunk::Form::kLists: return AddListOf(chunk, record, builder);
    default: break;
  }
  // Mixed: what is NULL in SQL was NaN.
  const Chunk::Value value = chunk.At(record);
  switch (chunk.kind_of(record)) {
    case FeatureKind::kBytes: return builder.AddBytes(record, value.bytes);
    case FeatureKind::kFloat: return builder.AddFloat(record, static_cast<float>(value.real));
    case FeatureKind::kDouble: return builder.AddDouble(record, value.real);
    default: return builder.AddInteger(record, value.integer, chunk.kind_of(record));
  }
}

bool HasNan(const Chunk& chunk) {
  for (uint32_t r = 0; chunk.form() == Chunk::Form::kMixed && r < chunk.records(); ++r) {
    if (IsPresent(chunk, r) && chunk.At(r).type == ColumnValue::Type::kNull) return true;
  }
  return false;
}

}  // namespace

void CheckChunk(ByteView bytes) {
  FuzzInput input(bytes);
  const auto records = static_cast<uint32_t>(input.Number(2) % (kMostRecords + 1));
  const ByteView rest = input.Rest();
  const std::vector<uint8_t> data(rest.begin(), rest.end());
  const Result<Chunk> chunk = Chunk::Decode(data, records);
  if (!IsThere(chunk)) return;
  Expect(chunk->records() == records, "a chunk of ", chunk->records(), " records, expected ", records);
  // A zstd frame may hold some 20,000 bytes for each of its own; a dictionary is stored once.
  Expect(chunk->memory() <= 64 * uint64_t{records} + (data.size() << 16) + 4096, "a chunk of ", data.size(),
         " bytes takes ", chunk->memory());
  const std::string text = SpellChunk(*chunk);
  if (HasNan(*chunk)) return;
  ChunkBuilder builder;
  for (uint32_t r = 0; r < records; ++r) {
    if (IsPresent(*chunk, r)) AddValueOf(*chunk, r, builder);
  }
  if (builder.empty()) return;
  const ChunkRow row = builder.Encode(records);
  const Result<Chunk> again = Chunk::Decode(row.data, records);
  Expect(again.has_value(), "an encoded chunk does not decode: ", again ? "" : again.error().message);
  ExpectSame(text, SpellChunk(*again), "a chunk decoded, and decoded again");
}

}  // namespace ofindex
