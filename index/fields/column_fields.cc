#include "index/fields/column_fields.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace ofindex {

// In a small block most registers are 0: then the others are saved with their numbers.
void WriteSketch(const DistinctSketch& sketch, BlobWriter& to) {
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

DistinctSketch ReadSketch(BlobReader& from) {
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

void WriteColumnValue(const ColumnValue& value, BlobWriter& to) {
  to.Byte(static_cast<uint8_t>(value.type));
  to.Number(static_cast<uint64_t>(value.integer));
  to.Number(std::bit_cast<uint64_t>(value.real));
  to.Text(value.bytes);
}

ColumnValue ReadColumnValue(BlobReader& from) {
  ColumnValue value;
  value.type = static_cast<ColumnValue::Type>(from.Byte(static_cast<uint8_t>(ColumnValue::Type::kBlob)));
  value.integer = static_cast<int64_t>(from.Number());
  value.real = std::bit_cast<double>(from.Number());
  value.bytes = from.Text();
  return value;
}

}  // namespace ofindex
