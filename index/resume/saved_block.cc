#include "index/resume/saved_block.h"

#include <algorithm>
#include <string>
#include <utility>

#include "index/fields/blob.h"
#include "index/fields/column_fields.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {
namespace {

void WriteChunk(const ChunkRow& chunk, BlobWriter& to) {
  to.Byte(static_cast<uint8_t>(chunk.role));
  to.Number(chunk.nulls);
  to.Number(chunk.nans);
  WriteColumnValue(chunk.min, to);
  WriteColumnValue(chunk.max, to);
  to.Blob(chunk.data);
}

ChunkRow ReadChunk(BlobReader& from) {
  ChunkRow chunk;
  chunk.role = static_cast<ColumnRole>(from.Byte(static_cast<uint8_t>(kLastRole)));
  chunk.nulls = from.Number32();
  chunk.nans = from.Number32();
  chunk.min = ReadColumnValue(from);
  chunk.max = ReadColumnValue(from);
  chunk.data = from.Bytes();
  return chunk;
}

// Number and columns of a feature are those of a dataset, not of a block.
void WriteFeature(const BlockFeature& feature, BlobWriter& to) {
  const FeatureRow& row = feature.row;
  to.Text(row.name);
  to.Byte(row.kinds);
  for (const uint64_t number :
       {row.present, row.values, uint64_t{row.values_min}, uint64_t{row.values_max}, row.largest_bytes, row.single}) {
    to.Number(number);
  }
  WriteSketch(feature.sketch, to);
  to.Number(feature.chunks.size());
  for (const ChunkRow& chunk : feature.chunks) WriteChunk(chunk, to);
}

BlockFeature ReadFeature(BlobReader& from) {
  BlockFeature feature;
  FeatureRow& row = feature.row;
  row.name = from.Text();
  row.kinds = from.Byte();
  row.present = from.Number();
  row.values = from.Number();
  row.values_min = from.Number32();
  row.values_max = from.Number32();
  row.largest_bytes = from.Number();
  row.single = from.Number();
  feature.sketch = ReadSketch(from);
  for (uint64_t left = from.Count(); left != 0 && from.sound(); --left) feature.chunks.push_back(ReadChunk(from));
  return feature;
}

// Returns whether the offsets of a block and its bad records can be used together.
bool IsUsable(const BuiltBlock& block) {
  const BlockRow& row = block.row;
  if (row.records == 0 || row.records > kBlockRecords || row.begin > row.end) return false;
  if (!PackedOffsets::Sound(row.offsets, row.records)) return false;
  if (!row.hashes.empty() && row.hashes.size() != uint64_t{row.records} * 8) return false;
  return std::all_of(block.bad.begin(), block.bad.end(), [&](uint32_t each) {
    const uint32_t reason = each >> 16;
    return (each & 0xffff) < row.records && (reason == static_cast<uint32_t>(BadReason::kPayloadCrc) ||
                                             reason == static_cast<uint32_t>(BadReason::kMalformed));
  });
}

}  // namespace

void AppendSaved(const BuiltBlock& block, std::vector<uint8_t>& bytes) {
  BlobWriter to(bytes);
  const BlockRow& row = block.row;
  for (const uint64_t number : {row.first_record, uint64_t{row.records}, row.begin, row.end, block.payload_bytes}) {
    to.Number(number);
  }
  to.Blob(row.offsets);
  to.Blob(row.hashes);
  to.Numbers(block.bad);
  const BlockColumns& columns = block.columns;
  to.Number(columns.features.size());
  for (const BlockFeature& feature : columns.features) WriteFeature(feature, to);
  to.Numbers(columns.malformed);
  to.Byte(columns.dropped ? 1 : 0);
  to.OptionalText(columns.dropped_from);
}

std::optional<BuiltBlock> ParseSavedBlock(ByteView bytes) {
  BlobReader from(bytes);
  BuiltBlock block;
  block.row.first_record = from.Number();
  block.row.records = from.Number32();
  block.row.begin = from.Number();
  block.row.end = from.Number();
  block.payload_bytes = from.Number();
  block.row.offsets = from.Bytes();
  block.row.hashes = from.Bytes();
  block.bad = from.Numbers();
  BlockColumns& columns = block.columns;
  for (uint64_t left = from.Count(); left != 0 && from.sound(); --left) columns.features.push_back(ReadFeature(from));
  columns.malformed = from.Numbers();
  columns.dropped = from.Byte(1) == 1;
  columns.dropped_from = from.OptionalText();
  if (!from.AtSoundEnd() || !IsUsable(block)) return std::nullopt;
  return block;
}

void AppendSaved(const ShardFindings& findings, std::vector<uint8_t>& bytes) {
  BlobWriter to(bytes);
  to.Number(findings.damage.size());
  for (const DamagedRange& range : findings.damage) {
    to.Number(range.begin);
    to.Number(range.end);
    to.Byte(static_cast<uint8_t>(range.reason));
    to.Byte(range.file ? 1 : 0);
    if (!range.file) continue;
    to.Number(range.file->begin);
    to.Number(range.file->end);
  }
  to.Number(findings.stream.inflated_bytes);
  to.Number(findings.stream.checkpoints.size());
  for (const StoredCheckpoint& checkpoint : findings.stream.checkpoints) {
    to.Number(checkpoint.position);
    to.Number(checkpoint.bit);
    to.Blob(checkpoint.stored);
  }
  for (const uint64_t number : {findings.walked.first, findings.walked.next, findings.walked.tested}) {
    to.Number(number);
  }
}

std::optional<ShardFindings> ParseSavedFindings(ByteView bytes) {
  BlobReader from(bytes);
  ShardFindings findings;
  for (uint64_t left = from.Count(); left != 0 && from.sound(); --left) {
    DamagedRange range;
    range.begin = from.Number();
    range.end = from.Number();
    range.reason = static_cast<DamageReason>(from.Byte(static_cast<uint8_t>(kLastDamageReason)));
    if (from.Byte(1) == 1) {
      const uint64_t begin = from.Number();
      range.file = ByteRange{begin, from.Number()};
    }
    findings.damage.push_back(range);
  }
  findings.stream.inflated_bytes = from.Number();
  for (uint64_t left = from.Count(); left != 0 && from.sound(); --left) {
    StoredCheckpoint checkpoint;
    checkpoint.position = from.Number();
    checkpoint.bit = from.Number();
    checkpoint.stored = from.Bytes();
    findings.stream.checkpoints.push_back(std::move(checkpoint));
  }
  findings.walked.first = from.Number();
  findings.walked.next = from.Number();
  findings.walked.tested = from.Number();
  if (!from.AtSoundEnd()) return std::nullopt;
  return findings;
}

}  // namespace ofindex
