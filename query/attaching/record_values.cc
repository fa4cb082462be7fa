#include "query/attaching/record_values.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "proto/extract/extracted_feature.h"

namespace ofindex {

Result<void> RecordValues::Set(uint64_t record, const TableValue& value) {
  kinds_[record] = value.kind;
  if (value.kind != FeatureKind::kBytes) {
    bits_[record] = value.bits;
    return {};
  }
  if (value.bytes.size() > kMaxKeptBytes) {
    return Fail(
        ErrorCode::kLimit,
        StrCat("a value of ", FormatCount(value.bytes.size()), " bytes; expected at most ", FormatCount(kMaxKeptBytes)),
        "leave the column out with --columns");
  }
  bits_[record] = strings_.Add(value.bytes);
  return {};
}

bool RecordValues::Has(uint64_t record, const TableValue& value) const {
  if (kinds_[record] != value.kind) return false;
  const uint64_t bits = bits_[record];
  switch (value.kind) {
    case FeatureKind::kNone: return true;
    case FeatureKind::kBytes: return AsText(strings_[static_cast<uint32_t>(bits)]) == AsText(value.bytes);
    case FeatureKind::kFloat: {
      const auto own = std::bit_cast<float>(static_cast<uint32_t>(bits));
      const auto other = std::bit_cast<float>(static_cast<uint32_t>(value.bits));
      return own == other || (own != own && other != other);
    }
    case FeatureKind::kDouble: {
      const auto own = std::bit_cast<double>(bits);
      const auto other = std::bit_cast<double>(value.bits);
      return own == other || (own != own && other != other);
    }
    default: return bits == value.bits;
  }
}

Result<ChunkRow> RecordValues::Encode(uint64_t first, uint32_t records, AttachedColumn& column) {
  for (uint32_t r = 0; r < records; ++r) {
    const FeatureKind kind = kinds_[first + r];
    const uint64_t bits = bits_[first + r];
    column.kinds = static_cast<uint8_t>(column.kinds | (kind == FeatureKind::kNone ? 0 : BitOf(kind)));
    switch (kind) {
      case FeatureKind::kNone: break;
      case FeatureKind::kFloat: builder_.AddFloat(r, std::bit_cast<float>(static_cast<uint32_t>(bits))); break;
      case FeatureKind::kDouble: builder_.AddDouble(r, std::bit_cast<double>(bits)); break;
      case FeatureKind::kBytes: {
        const ByteView bytes = strings_[static_cast<uint32_t>(bits)];
        column.largest_bytes = std::max<uint64_t>(column.largest_bytes, bytes.size());
        (IsText(bytes) ? column.has_text : column.has_blob) = true;
        builder_.AddBytes(r, bytes);
        break;
      }
      default: builder_.AddInteger(r, static_cast<int64_t>(bits), kind);
    }
  }
  if (builder_.empty()) return ChunkRow{.nulls = records, .data = {}};
  if (builder_.too_large()) {
    return Fail(ErrorCode::kLimit,
                StrCat("column '", Printable(column.name), "': the values of ", FormatCount(records),
                       " neighbouring records exceed 512 MiB"),
                "leave the column out with --columns");
  }
  return builder_.Encode(records, &column.sketch);
}

}  // namespace ofindex
