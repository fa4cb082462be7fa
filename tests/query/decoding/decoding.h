#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "query/decoding/batch_decoder.h"
#include "query/decoding/cast.h"
#include "tests/proto/message_bytes.h"

namespace ofindex {

using Form = FeatureSpec::Form;

/// Payloads in memory, each in its own heap block of exact size, so that AddressSanitizer sees any byte read beyond it.
class Payloads {
 public:
  Payloads(PayloadKind kind, const std::vector<std::string>& payloads) {
    for (const std::string& payload : payloads) bytes_.emplace_back(payload.begin(), payload.end());
    for (const auto& bytes : bytes_) views_.emplace_back(bytes);
    source_ = std::make_unique<MemoryPayloads>(views_, kind);
  }

  [[nodiscard]] const PayloadSource& source() const { return *source_; }
  [[nodiscard]] std::vector<uint64_t> all() const {
    std::vector<uint64_t> ordinals(views_.size());
    for (size_t i = 0; i < ordinals.size(); ++i) ordinals[i] = i;
    return ordinals;
  }

 private:
  std::vector<std::vector<uint8_t>> bytes_;
  std::vector<ByteView> views_;
  std::unique_ptr<MemoryPayloads> source_;
};

/// Returns items [begin, end) of `array` as text: 1 2 3, or "a" "b".
inline std::string SpellItems(const FeatureArray& array, uint64_t begin, uint64_t end) {
  std::string text;
  for (uint64_t i = begin; i < end; ++i) {
    if (i != begin) text += " ";
    if (array.type == DataType::kBytes) {
      const auto from = static_cast<size_t>(array.offsets[i]);
      const ByteView string(array.values.data() + from, static_cast<size_t>(array.offsets[i + 1]) - from);
      text += '"' + std::string(AsText(string)) + '"';
      continue;
    }
    text += WithItem(array.type, [&](auto item) {
      std::memcpy(&item, array.values.data() + i * sizeof item, sizeof item);
      std::string number;
      if constexpr (kIsHalf<decltype(item)>) {
        number = std::to_string(FloatOf(item));
      } else {
        number = std::to_string(item);
      }
      if (number.find('.') == std::string::npos) return number;
      number.erase(number.find_last_not_of('0') + 1);
      return number.ends_with('.') ? number + "0" : number;
    });
  }
  return text;
}

/// Returns one array as text: all items of a record in brackets.
inline std::string Spell(const FeatureArray& array, uint64_t records) {
  std::string text;
  const uint64_t each = records == 0 ? 0 : array.count / records;
  for (uint64_t i = 0; i < records; ++i) {
    const bool ragged = array.form == Form::kRagged;
    const uint64_t begin = ragged ? static_cast<uint64_t>(array.rows[i]) : i * each;
    const uint64_t end = ragged ? static_cast<uint64_t>(array.rows[i + 1]) : begin + each;
    text += "[" + SpellItems(array, begin, end) + "]";
  }
  return text;
}

/// Returns the arrays of a batch, or its error.
inline std::string Spell(const Result<DecodedBatch>& batch) {
  if (!batch) return "error " + batch.error().message;
  std::string text;
  for (const FeatureArray& array : batch->arrays) text += (text.empty() ? "" : " ") + Spell(array, batch->records);
  return text;
}

inline BatchDecoder DecoderOf(std::vector<FeatureSpec> specs) {
  auto decoder = BatchDecoder::Of(std::move(specs));
  REQUIRE_MESSAGE(decoder.has_value(), decoder.error().message);
  return std::move(*decoder);
}

/// Decodes the records `payloads` with `spec`.
inline Result<DecodedBatch> Decoded(const FeatureSpec& spec, PayloadKind kind,
                                    const std::vector<std::string>& payloads) {
  const Payloads records(kind, payloads);
  return DecoderOf({spec}).Decode(records.source(), records.all());
}

/// Leaves memory that is not zero where the next buffers of about `bytes` bytes, kPooledBytes or more, take theirs.
inline void LeaveUsedMemory(uint64_t bytes) {
  std::vector<Buffer> used(8);
  for (Buffer& buffer : used) {
    REQUIRE(buffer.Extend(bytes));
    std::memset(buffer.data(), 7, buffer.size());
  }
}

inline std::string Example(const std::string& features) { return Field(1, features); }

// Map entries, by kind. The numbers of the last two are OFRecord's.
inline std::string Strings(std::string_view name, std::initializer_list<std::string_view> values) {
  return Entry(name, Field(1, BytesList(values)));
}
inline std::string Floats(std::string_view name, std::initializer_list<float> values) {
  return Entry(name, Field(2, PackedFixed(values)));
}
inline std::string Ints(std::string_view name, std::initializer_list<int64_t> values) {
  return Entry(name, Field(3, PackedVarints(values)));
}
inline std::string Doubles(std::string_view name, std::initializer_list<double> values) {
  return Entry(name, Field(3, PackedFixed(values)));
}
inline std::string Int32s(std::string_view name, std::initializer_list<int64_t> values) {
  return Entry(name, Field(4, PackedVarints(values)));
}

}  // namespace ofindex
