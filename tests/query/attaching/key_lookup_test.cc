#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "query/attaching/record_lookup.h"

namespace ofindex {
namespace {

TableValue BytesKey(const std::string& bytes) { return {FeatureKind::kBytes, 0, AsBytes(bytes)}; }
TableValue NumberKey(int64_t number) { return {FeatureKind::kInt64, static_cast<uint64_t>(number), {}}; }

/// Random keys of records: bytes, integers, reals and NULL; and where each key is.
struct RandomKeys {
  KeyChunks chunks;
  std::map<std::string, std::vector<uint64_t>> bytes;
  std::map<int64_t, std::vector<uint64_t>> numbers;

  RandomKeys(uint64_t seed, const std::vector<uint32_t>& blocks, int distinct) {
    std::mt19937_64 random(seed);
    for (uint64_t block = 0; block < blocks.size(); ++block) {
      ChunkBuilder builder;
      for (uint32_t r = 0; r < blocks[block]; ++r) {
        const auto value = static_cast<int64_t>(random() % static_cast<uint64_t>(distinct));
        const uint64_t place = RecordPlace::At(block, r).packed;
        switch (random() % 8) {
          case 0: break;
          case 1: builder.AddDouble(r, static_cast<double>(value)); break;
          case 2:
          case 3:
            builder.AddInteger(r, value, FeatureKind::kInt64);
            numbers[value].push_back(place);
            break;
          default: {
            const std::string key = std::string(static_cast<size_t>(value % 40), 'x') + std::to_string(value);
            builder.AddBytes(r, AsBytes(key));
            bytes[key].push_back(place);
          }
        }
      }
      auto chunk = Chunk::Decode(builder.Encode(blocks[block]).data, blocks[block]);
      REQUIRE(chunk);
      chunks.push_back(std::make_shared<const Chunk>(std::move(*chunk)));
    }
  }
};

std::vector<uint64_t> RecordsOf(const RecordLookup& lookup, const TableValue& key) {
  std::vector<uint64_t> records;
  std::vector<RecordPlace> found(1);
  lookup.Find({&key, 1}, found);
  for (RecordPlace place = found[0]; place.is_record(); place = lookup.Next(place)) records.push_back(place.packed);
  std::sort(records.begin(), records.end());
  return records;
}

TEST_CASE("a lookup finds exactly the records with a key, however many there are") {
  for (const int distinct : {1, 7, 500, 1'000'000}) {
    const RandomKeys keys(static_cast<uint64_t>(distinct), {1, 64, 3000, 2}, distinct);
    const auto lookup = LookupByKey(keys.chunks, {});
    REQUIRE(lookup);
    for (const auto& [key, records] : keys.bytes) CHECK(RecordsOf(**lookup, BytesKey(key)) == records);
    for (const auto& [key, records] : keys.numbers) CHECK(RecordsOf(**lookup, NumberKey(key)) == records);
    for (const std::string& key : {std::string(), std::string("y"), std::string(8, '\0')}) {
      CHECK(RecordsOf(**lookup, BytesKey(key)).empty());
    }
    CHECK(RecordsOf(**lookup, NumberKey(-1)).empty());
    CHECK(RecordsOf(**lookup, {}).empty());
    CHECK(RecordsOf(**lookup, {FeatureKind::kDouble, 0, {}}).empty());
  }
}

TEST_CASE("a number and the bytes of the number are different keys") {
  ChunkBuilder builder;
  builder.AddBytes(0, AsBytes(std::string("\x05\0\0\0\0\0\0\0", 8)));
  builder.AddInteger(1, 5, FeatureKind::kInt64);
  auto chunk = Chunk::Decode(builder.Encode(2).data, 2);
  REQUIRE(chunk);
  const auto lookup = LookupByKey({std::make_shared<const Chunk>(std::move(*chunk))}, {});
  REQUIRE(lookup);
  CHECK(RecordsOf(**lookup, NumberKey(5)) == std::vector<uint64_t>{1});
  CHECK(RecordsOf(**lookup, BytesKey(std::string("\x05\0\0\0\0\0\0\0", 8))) == std::vector<uint64_t>{0});
}

TEST_CASE("a lookup of no records finds none, and a cancelled one ends") {
  const auto empty = LookupByKey({}, {});
  REQUIRE(empty);
  CHECK(RecordsOf(**empty, NumberKey(0)).empty());
  CHECK((*empty)->Example().empty());
  Progress cancelled;
  cancelled.cancel = true;
  const RandomKeys keys(1, {10}, 5);
  const auto ended = LookupByKey(keys.chunks, cancelled);
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace ofindex
