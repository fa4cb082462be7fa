#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "index/chunks/chunk.h"

namespace ofindex {

/// One value of a record, before it is encoded in a column. kNone: the record has none.
struct Given {
  FeatureKind kind = FeatureKind::kNone;
  uint64_t bits = 0;
  std::string bytes = {};
};

using GivenColumn = std::vector<Given>;
using Random = std::mt19937_64;

inline Given Int64(int64_t value) { return {FeatureKind::kInt64, static_cast<uint64_t>(value)}; }
inline Given Int32(int32_t value) { return {FeatureKind::kInt32, static_cast<uint64_t>(int64_t{value})}; }
inline Given Float(float value) { return {FeatureKind::kFloat, std::bit_cast<uint32_t>(value)}; }
inline Given Double(double value) { return {FeatureKind::kDouble, std::bit_cast<uint64_t>(value)}; }
inline Given Bytes(std::string value) { return {FeatureKind::kBytes, 0, std::move(value)}; }

inline float AsFloat(const Given& given) { return std::bit_cast<float>(static_cast<uint32_t>(given.bits)); }
inline double AsDouble(const Given& given) { return std::bit_cast<double>(given.bits); }

/// Returns true for well-formed UTF-8 without NUL, by decoding: a different method than IsText's.
inline bool DecodesAsText(const std::string& bytes) {
  size_t at = 0;
  const auto byte = [&](size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U; };
  while (at < bytes.size()) {
    const unsigned lead = byte(at);
    const size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (length == 0) return false;
    uint32_t code = length == 1 ? lead : lead & (0x7fU >> length);
    for (size_t i = 1; i < length; ++i) {
      if (byte(at + i) >> 6 != 2) return false;
      code = code << 6 | (byte(at + i) & 63);
    }
    constexpr uint32_t kMin[] = {0, 1, 0x80, 0x800, 0x10000};
    if (code < kMin[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    at += length;
  }
  return true;
}

/// Returns the value as in SQL.
inline ColumnValue InSql(const Given& given) {
  const auto real = [](double value) {
    return std::isnan(value) ? ColumnValue{} : ColumnValue{.type = ColumnValue::Type::kReal, .real = value};
  };
  switch (given.kind) {
    case FeatureKind::kNone: return {};
    case FeatureKind::kFloat: return real(AsFloat(given));
    case FeatureKind::kDouble: return real(AsDouble(given));
    case FeatureKind::kInt32:
    case FeatureKind::kInt64: return {.type = ColumnValue::Type::kInteger, .integer = static_cast<int64_t>(given.bits)};
    case FeatureKind::kBytes: break;
  }
  const auto type = DecodesAsText(given.bytes) ? ColumnValue::Type::kText : ColumnValue::Type::kBlob;
  return {.type = type, .bytes = given.bytes};
}

inline void AddTo(ChunkBuilder& builder, uint32_t record, const Given& given) {
  switch (given.kind) {
    case FeatureKind::kNone: return;
    case FeatureKind::kFloat: return builder.AddFloat(record, AsFloat(given));
    case FeatureKind::kDouble: return builder.AddDouble(record, AsDouble(given));
    case FeatureKind::kBytes: return builder.AddBytes(record, AsBytes(given.bytes));
    default: return builder.AddInteger(record, static_cast<int64_t>(given.bits), given.kind);
  }
}

inline ChunkRow EncodeColumn(const GivenColumn& column) {
  ChunkBuilder builder;
  for (uint32_t record = 0; record < column.size(); ++record) AddTo(builder, record, column[record]);
  return builder.Encode(static_cast<uint32_t>(column.size()));
}

/// Returns the chunk of `row`. Ends the test if it does not decode.
inline Chunk DecodeRow(const ChunkRow& row, uint32_t records) {
  Result<Chunk> chunk = Chunk::Decode(row.data, records);
  if (!chunk) FAIL(chunk.error().message);
  return std::move(*chunk);
}

/// A generator of values, one for each record.
struct Generator {
  const char* what;
  std::function<Given(Random&, uint32_t)> make;
};

inline std::vector<Generator> Generators() {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const auto signed_bits = [](uint64_t bits) { return static_cast<int64_t>(bits); };
  return {
      {"one integer", [](Random&, uint32_t) { return Int64(-7); }},
      {"labels", [](Random& random, uint32_t) { return Int32(static_cast<int32_t>(random() % 1000)); }},
      {"skewed labels", [](Random& random, uint32_t) { return Int64(std::countr_zero(random())); }},
      {"ids in order", [](Random&, uint32_t i) { return Int64(int64_t{123'456'789'012} + i); }},
      {"ids in falling order", [](Random&, uint32_t i) { return Int64(-int64_t{i} * 1000); }},
      {"timestamps",
       [=](Random& random, uint32_t i) { return Int64(1'700'000'000'000 + i * 1000 + signed_bits(random() % 200)); }},
      {"labels in order", [](Random&, uint32_t i) { return Int64(i / 1300 * 1'000'003); }},
      {"few large numbers", [=](Random& random, uint32_t) { return Int64(signed_bits(random() % 40 * (~0ULL / 41))); }},
      {"extremes", [=](Random& random, uint32_t) { return Int64(random() % 2 == 0 ? kMin : kMax); }},
      {"any integers", [=](Random& random, uint32_t) { return Int64(signed_bits(random())); }},
      {"integers of every magnitude",
       [=](Random& random, uint32_t) { return Int64(signed_bits(random()) >> (random() % 64)); }},
      {"rare large ones",
       [=](Random& random, uint32_t i) { return Int64(i % 997 == 0 ? signed_bits(random()) : i % 5); }},
      {"one float", [](Random&, uint32_t) { return Float(0.1F); }},
      {"floats", [](Random& random, uint32_t) { return Float(static_cast<float>(random() % 100'000) / 7); }},
      {"any float bits",
       [](Random& random, uint32_t) {
         return Given{FeatureKind::kFloat, static_cast<uint32_t>(random())};
       }},
      {"whole floats and minus zero",
       [](Random& random, uint32_t) { return Float(random() % 9 == 0 ? -0.0F : static_cast<float>(random() % 9)); }},
      {"NaN with payloads",
       [](Random& random, uint32_t) {
         return Given{FeatureKind::kFloat, 0x7f800000U | (random() & 0x803fffffU)};
       }},
      {"whole doubles", [](Random& random, uint32_t) { return Double(static_cast<double>(random() % 1000) - 500); }},
      {"floats as doubles", [](Random& random, uint32_t) { return Double(static_cast<float>(random() % 1000) / 3); }},
      {"doubles", [](Random& random, uint32_t) { return Double(static_cast<double>(random()) / 3e9); }},
      {"any double bits",
       [](Random& random, uint32_t) {
         return Given{FeatureKind::kDouble, random()};
       }},
      {"double specials",
       [](Random& random, uint32_t) {
         constexpr uint64_t kBits[] = {
             0, uint64_t{1} << 63, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0xfff0000000000007,
             1, 0x43f0000000000000};
         return Given{FeatureKind::kDouble, kBits[random() % 8]};
       }},
      {"one text", [](Random&, uint32_t) { return Bytes("validation"); }},
      {"empty texts", [](Random&, uint32_t) { return Bytes(""); }},
      {"class names", [](Random& random, uint32_t) { return Bytes("class " + std::to_string(random() % 20)); }},
      {"names of files",
       [](Random&, uint32_t i) {
         return Bytes("train/class_" + std::to_string(i / 700) + "/img_" + std::to_string(i * 7919 % 65'537) + ".jpg");
       }},
      {"any bytes",
       [](Random& random, uint32_t) {
         std::string bytes(random() % 12, '\0');
         for (char& byte : bytes) byte = static_cast<char>(random() % 4 == 0 ? random() : 'a' + random() % 3);
         return Bytes(bytes);
       }},
      {"mixed kinds",
       [=](Random& random, uint32_t i) {
         switch (random() % 6) {
           case 0: return Int32(static_cast<int32_t>(random()));
           case 1: return Float(static_cast<float>(i) / 2);
           case 2: return Double(static_cast<double>(random() % 100) - 0.5);
           case 3: return Bytes(std::to_string(random() % 100));
           case 4: return Double(std::numeric_limits<double>::quiet_NaN());
           default: return Int64(signed_bits(random()));
         }
       }},
      {"integers and doubles near the limits of both",
       [=](Random& random, uint32_t) {
         const int shift = random() % 2 == 0 ? 53 : 62;
         const int64_t near = (int64_t{1} << shift) + signed_bits(random() % 5) - 2;
         if (random() % 2 == 0) return Int64(random() % 9 == 0 ? kMax : near);
         return Double(random() % 9 == 0 ? 9223372036854775808.0 : static_cast<double>(near));
       }},
  };
}

inline Generator GeneratorOf(std::string_view what) {
  for (Generator& generator : Generators()) {
    if (generator.what == what) return generator;
  }
  return {};
}

/// A pattern of records without a value.
struct Gaps {
  const char* what;
  std::function<bool(Random&, uint32_t)> has;
};

inline std::vector<Gaps> AllGaps() {
  return {
      {"none left out", [](Random&, uint32_t) { return true; }},
      {"all left out", [](Random&, uint32_t) { return false; }},
      {"some left out", [](Random& random, uint32_t) { return random() % 3 != 0; }},
      {"a few left out", [](Random& random, uint32_t) { return random() % 100 != 0; }},
      {"nearly all left out", [](Random& random, uint32_t) { return random() % 100 == 0; }},
      {"every other left out", [](Random&, uint32_t i) { return i % 2 == 0; }},
      {"the first ones left out", [](Random&, uint32_t i) { return i >= 60; }},
  };
}

inline GivenColumn MakeColumn(const Generator& generator, const Gaps& gaps, uint32_t records, uint64_t seed = 1) {
  Random random(seed);
  GivenColumn column(records);
  for (uint32_t i = 0; i < records; ++i) {
    Given given = generator.make(random, i);
    if (gaps.has(random, i)) column[i] = std::move(given);
  }
  return column;
}

}  // namespace ofindex
