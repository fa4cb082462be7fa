#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "index/chunks/chunk.h"
#include "tests/index/column_values.h"

namespace ofindex {
namespace {

struct GivenList {
  bool present = false;
  FeatureKind kind = FeatureKind::kNone;
  std::vector<uint64_t> numbers = {};
  std::vector<std::string> strings = {};
};

ChunkRow EncodeLists(const std::vector<GivenList>& lists) {
  ChunkBuilder builder;
  for (uint32_t record = 0; record < lists.size(); ++record) {
    const GivenList& list = lists[record];
    if (!list.present) continue;
    if (list.kind == FeatureKind::kBytes) {
      std::vector<ByteView> views;
      for (const std::string& text : list.strings) views.push_back(AsBytes(text));
      builder.AddStrings(record, views);
    } else {
      builder.AddNumbers(record, list.kind, list.numbers);
    }
  }
  return builder.Encode(static_cast<uint32_t>(lists.size()));
}

bool SameList(const Chunk& chunk, uint32_t record, const GivenList& given) {
  const Chunk::Lists& lists = chunk.lists();
  const uint32_t begin = record == 0 ? 0 : lists.ends[record - 1];
  const uint32_t length = lists.ends[record] - begin;
  const bool present = (chunk.present()[record / 64] >> (record % 64) & 1) != 0;
  if (!given.present) return !present && length == 0;
  if (!present || lists.kinds[lists.kinds.size() == 1 ? 0 : record] != given.kind) return false;
  if (length != given.numbers.size() + given.strings.size()) return false;
  for (uint32_t i = 0; i < length; ++i) {
    if (given.kind == FeatureKind::kBytes) {
      if (AsText(chunk.strings()[chunk.strings().number[begin + i]]) != given.strings[i]) return false;
    } else if (lists.numbers[begin + i] != given.numbers[i]) {
      return false;
    }
  }
  return true;
}

uint32_t CountWrongLists(const std::vector<GivenList>& lists) {
  const auto records = static_cast<uint32_t>(lists.size());
  const Chunk chunk = DecodeRow(EncodeLists(lists), records);
  REQUIRE(chunk.form() == Chunk::Form::kLists);
  uint32_t wrong = 0;
  for (uint32_t record = 0; record < records; ++record) wrong += !SameList(chunk, record, lists[record]);
  return wrong;
}

GivenList MakeList(Random& random, FeatureKind kind, size_t length) {
  GivenList list{.present = true, .kind = kind};
  for (size_t i = 0; i < length; ++i) {
    switch (kind) {
      case FeatureKind::kBytes: list.strings.push_back(std::string(random() % 4, static_cast<char>(random()))); break;
      case FeatureKind::kFloat: list.numbers.push_back(static_cast<uint32_t>(random())); break;
      case FeatureKind::kInt32: list.numbers.push_back(static_cast<uint64_t>(static_cast<int32_t>(random()))); break;
      default: list.numbers.push_back(random()); break;
    }
  }
  return list;
}

TEST_CASE("lists of every kind with 0 to 1000 values are decoded unchanged") {
  Random random(5);
  for (uint8_t kind = 1; kind <= 5; ++kind) {
    for (uint64_t most : {0U, 1U, 3U, 1000U}) {
      for (uint32_t records : {1U, 64U, 300U}) {
        std::vector<GivenList> lists(records);
        for (GivenList& list : lists) {
          if (random() % 5 != 0) list = MakeList(random, static_cast<FeatureKind>(kind), random() % (most + 1));
        }
        lists.front() = MakeList(random, static_cast<FeatureKind>(kind), most);
        CAPTURE(int{kind});
        CAPTURE(most);
        CHECK(CountWrongLists(lists) == 0);
      }
    }
  }
}

TEST_CASE("lists whose kind differs between records, or that have no kind, are decoded unchanged") {
  Random random(6);
  for (uint32_t records : {2U, 65U, 4097U}) {
    std::vector<GivenList> lists(records);
    for (GivenList& list : lists) {
      const auto kind = static_cast<FeatureKind>(random() % 6);
      if (random() % 5 != 0) list = MakeList(random, kind, kind == FeatureKind::kNone ? 0 : random() % 9);
    }
    lists[0] = MakeList(random, FeatureKind::kBytes, 2);
    lists[1] = MakeList(random, FeatureKind::kFloat, 0);
    CHECK(CountWrongLists(lists) == 0);
  }
}

TEST_CASE("a single value among lists is a list of one") {
  ChunkBuilder builder;
  builder.AddInteger(0, 5, FeatureKind::kInt64);
  builder.AddNumbers(1, FeatureKind::kInt64, std::vector<uint64_t>{6, 7});
  builder.AddInteger(3, 8, FeatureKind::kInt64);
  const Chunk chunk = DecodeRow(builder.Encode(4), 4);
  CHECK(chunk.lists().ends == std::vector<uint32_t>{1, 3, 3, 4});
  CHECK(chunk.lists().numbers == std::vector<uint64_t>{5, 6, 7, 8});
}

TEST_CASE("lists that compress to almost nothing are padded in proportion to their decoded size") {
  std::vector<GivenList> lists(2000, {.present = true, .kind = FeatureKind::kInt64});
  for (GivenList& list : lists) list.numbers.assign(2000, 3);
  const ChunkRow row = EncodeLists(lists);
  CHECK(row.data.size() > 4'000'000 * 8 / 1024);
  CHECK(row.data.size() < 4'000'000 / 50);
  CHECK(CountWrongLists(lists) == 0);
}

TEST_CASE("an empty list is decoded next to lists with values, even if the chunk has no value of its kind") {
  const std::vector<uint64_t> one = {5};
  ChunkBuilder builder;
  builder.AddNumbers(0, FeatureKind::kInt64, one);
  builder.AddStrings(1, {});
  builder.AddNumbers(2, FeatureKind::kInt64, one);
  const ChunkRow row = builder.Encode(3);
  const auto chunk = Chunk::Decode(row.data, 3);
  REQUIRE(chunk);
  CHECK(chunk->lists().ends == std::vector<uint32_t>{1, 1, 2});
  CHECK(chunk->lists().numbers == std::vector<uint64_t>{5, 5});
}

}  // namespace
}  // namespace ofindex
