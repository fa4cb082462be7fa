#include "index/resume/saved_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "mmap/offsets/packed_offsets.h"

namespace ofindex {
namespace {

class SavedWriter {
 public:
  explicit SavedWriter(std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  void Number(uint64_t value) {
    std::array<uint8_t, 8> le{};
    StoreLe64(le.data(), value);
    bytes_.insert(bytes_.end(), le.begin(), le.end());
  }
  void Byte(uint8_t value) { bytes_.push_back(value); }
  void Blob(ByteView blob) {
    Number(blob.size());
    bytes_.insert(bytes_.end(), blob.begin(), blob.end());
  }
  void Text(const std::string& text) { Blob(AsBytes(text)); }
  void Numbers(const std::vector<uint32_t>& numbers) {
    Number(numbers.size());
    for (const uint32_t number : numbers) Number(number);
  }
  void OptionalText(const std::optional<std::string>& text) {
    Byte(text ? 1 : 0);
    if (text) Text(*text);
  }

 private:
  std::vector<uint8_t>& bytes_;
};

// Reads what a SavedWriter wrote. After the first fault, everything is 0 or empty, and `sound` is false.
class SavedReader {
 public:
  explicit SavedReader(ByteView bytes) : bytes_(bytes) {}

  uint64_t Number() {
    const ByteView bytes = Take(8);
    return bytes.empty() ? 0 : LoadLe64(bytes.data());
  }
  uint32_t Number32() {
    const uint64_t value = Number();
    if (value > UINT32_MAX) Refuse();
    return static_cast<uint32_t>(value);
  }
  uint8_t Byte(uint8_t most = UINT8_MAX) {
    const ByteView bytes = Take(1);
    if (bytes.empty() || bytes.front() > most) Refuse();
    return sound_ ? bytes.front() : uint8_t{0};
  }
  ByteView Blob() { return Take(Number()); }
  std::vector<uint8_t> Bytes() {
    const ByteView blob = Blob();
    return {blob.begin(), blob.end()};
  }
  std::string Text() { return std::string(AsText(Blob())); }
  std::vector<uint32_t> Numbers() {
    std::vector<uint32_t> numbers;
    for (uint64_t left = Count(); left != 0 && sound_; --left) numbers.push_back(Number32());
    return numbers;
  }
  std::optional<std::string> OptionalText() { return Byte(1) == 1 ? std::optional(Text()) : std::nullopt; }

  /// Reads the size of a list, whose elements take at least a byte each.
  uint64_t Count() {
    const uint64_t count = Number();
    if (count > bytes_.size()) Refuse();
    return sound_ ? count : 0;
  }

  void Refuse() { sound_ = false; }
  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] bool AtSoundEnd() const { return sound_ && bytes_.empty(); }

 private:
  ByteView Take(uint64_t n) {
    if (n > bytes_.size()) Refuse();
    if (!sound_) return {};
    const ByteView taken = bytes_.first(n);
    bytes_ = bytes_.subspan(n);
    return taken;
  }

  ByteView bytes_;
  bool sound_ = true;
};

// In a small block most registers are 0: then the others are saved with their numbers.
void WriteSketch(const DistinctSketch& sketch, SavedWriter& to) {
  const ByteView registers = sketch.bytes();
  const auto used = registers.size() - static_cast<size_t>(std::count(registers.begin(), registers.end(), uint8_t{0}));
  const bool sparse = used < DistinctSketch::kRegisters / 4;
  to.Byte(sparse ? 1 : 0);
  if (!sparse) return to.Blob(registers);
  std::vector<uint8_t> pairs;
  for (size_t i = 0; i < registers.size(); ++i) {
    if (registers[i] == 0) continue;
    for (const size_t byte : {i & 0xff, i >> 8, size_t{registers[i]}}) pairs.push_back(static_cast<uint8_t>(byte));
  }
  to.Blob(pairs);
}

DistinctSketch ReadSketch(SavedReader& from) {
  DistinctSketch sketch;
  const bool sparse = from.Byte(1) == 1;
  const ByteView blob = from.Blob();
  std::array<uint8_t, DistinctSketch::kRegisters> registers{};
  if (sparse && blob.size() % 3 != 0) from.Refuse();
  for (size_t i = 0; sparse && from.sound() && i < blob.size(); i += 3) {
    const uint16_t number = LoadLe16(blob.data() + i);
    if (number >= registers.size()) from.Refuse();
    if (from.sound()) registers[number] = blob[i + 2];
  }
  if (from.sound() && !sketch.Load(sparse ? ByteView(registers) : blob)) from.Refuse();
  return sketch;
}

void WriteValue(const ColumnValue& value, SavedWriter& to) {
  to.Byte(static_cast<uint8_t>(value.type));
  to.Number(static_cast<uint64_t>(value.integer));
  to.Number(std::bit_cast<uint64_t>(value.real));
  to.Text(value.bytes);
}

ColumnValue ReadValue(SavedReader& from) {
  ColumnValue value;
  value.type = static_cast<ColumnValue::Type>(from.Byte(static_cast<uint8_t>(ColumnValue::Type::kBlob)));
  value.integer = static_cast<int64_t>(from.Number());
  value.real = std::bit_cast<double>(from.Number());
  value.bytes = from.Text();
  return value;
}

void WriteChunk(const ChunkRow& chunk, SavedWriter& to) {
  to.Byte(static_cast<uint8_t>(chunk.role));
  to.Number(chunk.nulls);
  to.Number(chunk.nans);
  WriteValue(chunk.min, to);
  WriteValue(chunk.max, to);
  to.Blob(chunk.data);
}

ChunkRow ReadChunk(SavedReader& from) {
  ChunkRow chunk;
  chunk.role = static_cast<ColumnRole>(from.Byte(static_cast<uint8_t>(kLastRole)));
  chunk.nulls = from.Number32();
  chunk.nans = from.Number32();
  chunk.min = ReadValue(from);
  chunk.max = ReadValue(from);
  chunk.data = from.Bytes();
  return chunk;
}

// Number and columns of a feature are those of a dataset, not of a block.
void WriteFeature(const BlockFeature& feature, SavedWriter& to) {
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

BlockFeature ReadFeature(SavedReader& from) {
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
  SavedWriter to(bytes);
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
  SavedReader from(bytes);
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
  SavedWriter to(bytes);
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
  SavedReader from(bytes);
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
