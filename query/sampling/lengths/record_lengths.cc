#include "query/sampling/lengths/record_lengths.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/allocation.h"
#include "base/framing.h"
#include "base/text.h"
#include "query/columns/find_column.h"
#include "query/sampling/columns/column_blocks.h"

namespace ofindex {
namespace {

// The mark of a record without a valid length: reported only when the length is asked for.
constexpr uint32_t kNull = 0xffff'ffff;
constexpr uint32_t kNoLength = 0xffff'fffe;

uint32_t LengthOf(double number) {
  const double length = std::ceil(number);
  return length >= 0 && length < kNoLength ? static_cast<uint32_t>(length) : kNoLength;
}

uint32_t LengthOf(const Chunk::Value& value) {
  switch (value.type) {
    case ColumnValue::Type::kNull: return kNull;
    case ColumnValue::Type::kInteger: return LengthOf(static_cast<double>(value.integer));
    case ColumnValue::Type::kReal: return LengthOf(value.real);
    default: return kNoLength;
  }
}

tl::unexpected<Error> Refuse(const Column& column, uint64_t ordinal, uint32_t why) {
  return Fail(ErrorCode::kUsage,
              StrCat("column '", Printable(column.name), "': record ", ordinal, " has no length: its value is ",
                     why == kNull ? "NULL" : "negative, too large, or not a number"),
              "exclude such records with --where, or use another column");
}

}  // namespace

LengthsOf LengthsOfPayloads(const RecordReader& reader) {
  // Framings by shard: neighbours in an order are not neighbours in a shard.
  std::map<uint32_t, uint64_t> framings;
  return [&reader, framings](std::span<const uint64_t> ordinals, std::span<uint64_t> lengths) mutable -> Result<void> {
    const auto outside = std::find_if(ordinals.begin(), ordinals.end(), [&](uint64_t o) { return o >= reader.size(); });
    if (outside != ordinals.end()) return tl::unexpected(reader.Locate(*outside).error());
    std::vector<OffsetMap::Place> places(ordinals.size());
    OFINDEX_TRY(reader.map().Find(ordinals, places));
    for (size_t i = 0; i < places.size(); ++i) {
      auto known = framings.find(places[i].shard);
      if (known == framings.end()) {
        OFINDEX_ASSIGN(const MapShard shard, reader.map().Shard(places[i].shard));
        known = framings.emplace(places[i].shard, FramingBytes(shard.framing)).first;
      }
      if (places[i].end - places[i].begin < known->second) {
        return Fail(ErrorCode::kIndex, StrCat("record ", ordinals[i], " lies outside its shard"));
      }
      lengths[i] = places[i].end - places[i].begin - known->second;
    }
    return {};
  };
}

Result<LengthsOf> LengthsOfColumn(ColumnStore& store, const std::string& name, const std::atomic<bool>* cancel) {
  OFINDEX_ASSIGN(const Column column, FindColumn(store, name));
  OFINDEX_TRY(CheckSingle(column, "a length"));
  std::shared_ptr<std::vector<uint32_t>> all;
  OFINDEX_TRY(WithMemory("the length of each record", [&]() -> Result<void> {
    all = std::make_shared<std::vector<uint32_t>>(store.ordinals(), kNull);
    return {};
  }));
  OFINDEX_TRY(ForEachChunk(store, column, store.ordinals(), cancel,
                           [&](uint64_t first, uint64_t count, const Chunk& chunk) -> Result<void> {
                             for (uint32_t r = 0; r < count; ++r) (*all)[first + r] = LengthOf(chunk.At(r));
                             return {};
                           }));
  return LengthsOf([all, column](std::span<const uint64_t> ordinals, std::span<uint64_t> lengths) -> Result<void> {
    for (size_t i = 0; i < ordinals.size(); ++i) {
      const uint32_t length = (*all)[ordinals[i]];
      if (length >= kNoLength) return Refuse(column, ordinals[i], length);
      lengths[i] = length;
    }
    return {};
  });
}

Result<LengthsOf> LengthsOfNumbers(std::span<const double> numbers) {
  std::shared_ptr<std::vector<uint32_t>> all;
  OFINDEX_TRY(WithMemory("the length of each record", [&]() -> Result<void> {
    all = std::make_shared<std::vector<uint32_t>>(numbers.size());
    return {};
  }));
  std::transform(numbers.begin(), numbers.end(), all->begin(), [](double number) { return LengthOf(number); });
  return LengthsOf([all](std::span<const uint64_t> ordinals, std::span<uint64_t> lengths) -> Result<void> {
    for (size_t i = 0; i < ordinals.size(); ++i) {
      const uint32_t length = ordinals[i] < all->size() ? (*all)[ordinals[i]] : kNoLength;
      if (length >= kNoLength) {
        return Fail(ErrorCode::kUsage,
                    StrCat("record ", ordinals[i], " has no length: its number is missing, negative or too large"),
                    "exclude such records, or give other lengths");
      }
      lengths[i] = length;
    }
    return {};
  });
}

}  // namespace ofindex
