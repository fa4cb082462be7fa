#include "index/scan/derived_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "index/images/header_reader.h"

namespace ofindex {
namespace {

// Returns the XXH3 of one value, read piece by piece if it is long; of nothing useful if `payload` cannot be read.
uint64_t HashOfValue(PayloadBytes& payload, PayloadRange value) {
  if (value.size == 0) return Xxh3({});
  if (value.size <= PayloadBytes::kMaxPiece) {
    const uint8_t* const bytes = payload.At(value.offset, value.size);
    return bytes == nullptr ? 0 : Xxh3({bytes, static_cast<size_t>(value.size)});
  }
  Xxh3Stream hash;
  for (uint64_t at = 0; at < value.size;) {
    const uint64_t n = std::min(value.size - at, PayloadBytes::kMaxPiece);
    const uint8_t* const bytes = payload.At(value.offset + at, n);
    if (bytes == nullptr) return 0;
    hash.Add(ByteView(bytes, static_cast<size_t>(n)));
    at += n;
  }
  return hash.Digest64();
}

uint64_t HashOfValues(PayloadBytes& payload, std::span<const PayloadRange> values) {
  if (values.size() == 1) return HashOfValue(payload, values.front());
  Xxh3Stream hash;
  for (const PayloadRange& value : values) hash.Add(HashOfValue(payload, value));
  return hash.Digest64();
}

}  // namespace

DerivedValues::DerivedValues(const std::vector<DerivedColumn>& columns) {
  for (const DerivedColumn& column : columns) {
    columns_.push_back({column.role});
    images_ = images_ || column.role == ColumnRole::kWidth;
    hashes_ = hashes_ || column.role == ColumnRole::kHash;
  }
}

void DerivedValues::Add(uint32_t record, PayloadBytes& payload, std::span<const PayloadRange> values) {
  if (values.empty()) return;
  uint64_t length = 0;
  for (const PayloadRange& value : values) length += value.size;
  AddInteger(ColumnRole::kLength, record, static_cast<int64_t>(length));
  if (images_) AddImage(record, payload, values.front());
  if (hashes_) AddInteger(ColumnRole::kHash, record, static_cast<int64_t>(HashOfValues(payload, values)));
}

void DerivedValues::AddImage(uint32_t record, PayloadBytes& payload, PayloadRange value) {
  ImageInPayload image(payload, value);
  const ImageHeader header = ReadImageHeader(image);
  if (header.width) AddInteger(ColumnRole::kWidth, record, *header.width);
  if (header.height) AddInteger(ColumnRole::kHeight, record, *header.height);
  if (header.channels) AddInteger(ColumnRole::kChannels, record, *header.channels);
  if (header.format.empty()) return;
  if (ChunkBuilder* const formats = BuilderOf(ColumnRole::kFormat)) formats->AddBytes(record, AsBytes(header.format));
}

void DerivedValues::AddInteger(ColumnRole role, uint32_t record, int64_t value) {
  if (ChunkBuilder* const builder = BuilderOf(role)) builder->AddInteger(record, value, FeatureKind::kInt64);
}

ChunkBuilder* DerivedValues::BuilderOf(ColumnRole role) {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const Values& one) { return one.role == role; });
  return found == columns_.end() ? nullptr : &found->builder;
}

void DerivedValues::Encode(uint32_t records, std::vector<ChunkRow>& chunks) {
  for (Values& one : columns_) {
    if (one.builder.empty()) continue;
    ChunkRow chunk = one.builder.Encode(records);
    chunk.role = one.role;
    chunks.push_back(std::move(chunk));
  }
}

}  // namespace ofindex
