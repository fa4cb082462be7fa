#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "mmap/offsets/offset_map.h"
#include "tests/mmap/offsets/holed_map.h"
#include "tests/mmap/offsets/opened_map.h"
#include "tests/support/files.h"
#include "tests/support/sanitizers.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

// Returns the number of records for which the map's answer is not the expected one.
uint64_t WrongAnswers(const HoledMap& holed, const OffsetMap& map) {
  uint64_t wrong = 0;
  for (int time = 0; time < 2; ++time) {
    for (const uint64_t ordinal : holed.Ordinals()) wrong += !holed.Right(ordinal, map.Find(ordinal));
  }
  return wrong;
}

TEST_CASE("a record in a hole is gone, and all other records are found") {
  for (const HoleCase& each : HoleCases()) {
    for (const uint64_t copied_bytes : {uint64_t{0}, kCopiedMapBytes}) {
      CAPTURE(each.what);
      CAPTURE(copied_bytes);
      const HoledMap holed(each.pieces, each.block_records);
      const OffsetMap map = OpenedMap(holed.path(), copied_bytes);
      CHECK(map.records() == holed.records());
      CHECK(map.live() == holed.live());
      CHECK(WrongAnswers(holed, map) == 0);
      const auto checked = map.CheckAll();
      CHECK_MESSAGE(checked, checked.error().message);
    }
  }
}

TEST_CASE("many records are found at once unless one of them is gone, which the error names") {
  for (const HoleCase& each : HoleCases()) {
    CAPTURE(each.what);
    const HoledMap holed(each.pieces, each.block_records);
    const OffsetMap map = OpenedMap(holed.path());
    std::vector<uint64_t> live, gone;
    for (const uint64_t ordinal : holed.Ordinals()) (holed.At(ordinal).gone ? gone : live).push_back(ordinal);
    std::vector<OffsetMap::Place> places(live.size() + 1);
    REQUIRE(map.Find(live, places));
    for (size_t i = 0; i < live.size(); ++i) CHECK(holed.Right(live[i], places[i]));
    for (const size_t at : {size_t{0}, live.size() / 2, live.size()}) {
      if (gone.empty()) continue;
      std::vector<uint64_t> all = live;
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), gone[at % gone.size()]);
      const auto found = map.Find(all, places);
      REQUIRE_FALSE(found);
      CHECK(found.error().code == ErrorCode::kOutOfRange);
      CHECK(found.error().message.starts_with("record " + std::to_string(all[at]) + " is gone: "));
    }
  }
}

TEST_CASE("random holes: each record is found, or is gone, as in the model") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const uint64_t largest = round % 10 == 0 ? 150'000 : 40;
    const auto block_records = static_cast<uint32_t>(round % 10 == 0 ? kBlockRecords : 1 + random() % 20);
    std::vector<Piece> pieces(random() % 8);
    for (Piece& piece : pieces) piece = {.records = random() % largest, .gone = random() % 2 == 0};
    const HoledMap holed(pieces, block_records);
    const OffsetMap map = OpenedMap(holed.path(), random() % 2 == 0 ? kCopiedMapBytes : 0);
    CHECK(WrongAnswers(holed, map) == 0);
    CHECK(map.CheckAll());
  }
}

TEST_CASE("the error of a record that is gone names the shard that held it and what brings it back") {
  const HoledMap holed({{3}, {0}, {2, kHole}, {0, kHole}, {4, kHole}, {3}});
  const OffsetMap map = OpenedMap(holed.path());
  const auto message = [&](uint64_t ordinal) { return map.Find(ordinal).error().message; };
  CHECK(message(3) == "record 3 is gone: its shard data/2 was removed or changed");
  CHECK(message(4) == "record 4 is gone: its shard data/2 was removed or changed");
  CHECK(message(5) == "record 5 is gone: its shard data/4 was removed or changed");
  CHECK(message(8) == "record 8 is gone: its shard data/4 was removed or changed");
  CHECK(map.Find(8).error().hint.text() ==
        "restore the shard and run `ofindex update`; `ofindex info` lists what is gone");
}

TEST_CASE("a record is gone even if the map's shards do not tell which of them held it") {
  const HoledMap holed({{3}, {4, kHole}, {3}});
  const uint64_t shards_at = OpenedMap(holed.path()).header().shards_at;
  FlipBit(holed.path(), shards_at + kMapShardBytes + 30, 0);
  const auto place = OpenedMap(holed.path()).Find(4);
  REQUIRE_FALSE(place);
  CHECK(place.error().message == "record 4 is gone: its shard was removed or changed");
}

// Returns the number of answers that are neither right nor the error `refusal`.
uint64_t WrongUnless(ErrorCode refusal, const HoledMap& holed, const OffsetMap& map,
                     const std::vector<uint64_t>& ordinals) {
  uint64_t wrong = 0;
  for (const uint64_t ordinal : ordinals) {
    const auto place = map.Find(ordinal);
    wrong += !holed.Right(ordinal, place) && (place || place.error().code != refusal);
  }
  return wrong;
}

// Maps of few bytes with holes in a cell, over cells, and at both ends.
const std::vector<std::vector<Piece>> kSmallMaps = {
    {{5, kHole}, {9}, {6, kHole}, {3}, {4, kHole}, {8}, {5, kHole}},
    {{70'000, kHole}, {10}, {2 * kJumpRecords, kHole}, {15}, {100'000, kHole}, {4}, {1, kHole}},
    {{3}, {kJumpRecords, kHole}, {2}},
    {{7, kHole}},
};

TEST_CASE("every flipped bit of a map with holes gives an error or the right answer, and no live record is gone") {
  for (const std::vector<Piece>& pieces : kSmallMaps) {
    const HoledMap holed(pieces);
    const uint64_t bytes = ReadFile(holed.path()).size();
    const std::vector<uint64_t> ordinals = holed.Ordinals();
    uint64_t refused = 0;
    uint64_t in_header = 0;
    for (uint64_t i = 0; i < 8 * bytes; i += kCaseStep) {
      const uint64_t at = i / 8;
      const int bit = static_cast<int>(i % 8);
      CAPTURE(at);
      CAPTURE(bit);
      FlipBit(holed.path(), at, bit);
      const auto map = OffsetMap::Open(holed.path());
      in_header += at < kMapHeaderBytes;
      refused += !map;
      if (map) CHECK(WrongUnless(ErrorCode::kIndex, holed, *map, ordinals) == 0);
      FlipBit(holed.path(), at, bit);
    }
    CHECK(refused == in_header);
  }
}

TEST_CASE("a forged jump makes no live record gone") {
  for (const std::vector<Piece>& pieces : kSmallMaps) {
    const HoledMap holed(pieces);
    const MapHeader header = OpenedMap(holed.path()).header();
    const std::string bytes = ReadFile(holed.path());
    for (uint64_t jump = 0; jump < JumpCount(header.records); ++jump) {
      for (uint32_t block = 0; block < header.blocks + 2; ++block) {
        CAPTURE(jump);
        CAPTURE(block);
        std::string forged = bytes;
        forged.replace(header.jumps_at + 4 * jump, 4, Le32(block));
        WriteFile(holed.path(), forged);
        const OffsetMap map = OpenedMap(holed.path());
        CHECK(WrongUnless(ErrorCode::kIndex, holed, map, holed.Ordinals()) == 0);
        CHECK((forged == bytes) == map.CheckAll().has_value());
      }
    }
  }
}

TEST_CASE("blocks that were copied while another map was in the file make no live record gone") {
  for (const uint64_t copied_bytes : {uint64_t{0}, kCopiedMapBytes}) {
    for (const bool warm : {false, true}) {
      CAPTURE(copied_bytes);
      CAPTURE(warm);
      const HoledMap holed({{20}, {5, kHole}, {20}}), other({{5, kHole}, {20}, {13, kHole}, {7}});
      const std::string bytes = ReadFile(holed.path());
      const OffsetMap map = OpenedMap(holed.path(), copied_bytes);
      WaitForNextMtime();
      if (warm) REQUIRE(map.Find(10));
      WriteFile(holed.path(), ReadFile(other.path()));
      for (uint64_t block = 0; block < map.header().blocks; ++block) static_cast<void>(map.Block(block));
      WriteFile(holed.path(), bytes);
      WaitForNextMtime();
      CHECK(WrongUnless(ErrorCode::kStale, holed, map, holed.Ordinals()) == 0);
    }
  }
}

// Replaces the header of a map, with a correct checksum.
void ForgeHeader(const HoledMap& holed, const MapHeader& header) {
  std::string bytes(kMapHeaderBytes, '\0');
  header.Encode(reinterpret_cast<uint8_t*>(bytes.data()));
  OverwriteAt(holed.path(), 0, bytes);
}

TEST_CASE("ordinals without a record are damage in a map that claims no holes, or records but no blocks") {
  const HoledMap holed({{3}, {4, kHole}, {3}});
  const MapHeader header = OpenedMap(holed.path()).header();
  const auto code_with = [&](uint64_t live, uint64_t blocks) {
    MapHeader forged = header;
    forged.live = live;
    forged.blocks = blocks;
    ForgeHeader(holed, forged);
    return OpenedMap(holed.path()).Find(4).error().code;
  };
  CHECK(code_with(6, 2) == ErrorCode::kOutOfRange);
  CHECK(code_with(10, 2) == ErrorCode::kIndex);
  CHECK(code_with(6, 0) == ErrorCode::kIndex);
  CHECK(code_with(0, 0) == ErrorCode::kOutOfRange);
}

TEST_CASE("a map that claims more records than ordinals is refused") {
  const HoledMap holed({{3}, {4, kHole}});
  MapHeader header = OpenedMap(holed.path()).header();
  header.live = 8;
  ForgeHeader(holed, header);
  const auto map = OffsetMap::Open(holed.path());
  REQUIRE_FALSE(map);
  CHECK(map.error().code == ErrorCode::kIndex);
}

// Exchanges two entries of a table.
void Swap(const HoledMap& holed, uint64_t at, uint64_t entry_bytes) {
  const std::string two = ReadFile(holed.path()).substr(at, 2 * entry_bytes);
  OverwriteAt(holed.path(), at, two.substr(entry_bytes) + two.substr(0, entry_bytes));
}

TEST_CASE("a check of the whole map finds holes that do not add up") {
  struct Row {
    const char* what;
    void (*forge)(const HoledMap& holed, MapHeader header);
    const char* error;
  };
  const Row rows[] = {
      {"fewer live records",
       [](const HoledMap& holed, MapHeader header) {
         --header.live;
         ForgeHeader(holed, header);
       },
       "the blocks and the header differ in the number of records"},
      {"fewer ordinals than records",
       [](const HoledMap& holed, MapHeader header) {
         header.records = 9;
         ForgeHeader(holed, header);
       },
       "the block does not follow the one before it"},
      {"a hole at the end that no shard had",
       [](const HoledMap& holed, MapHeader header) {
         ++header.records;
         ForgeHeader(holed, header);
       },
       "the shards and the header differ in the number of records"},
      {"blocks in another order",
       [](const HoledMap& holed, MapHeader header) { Swap(holed, header.blocks_at, kMapEntryBytes); },
       "the block does not follow the one before it"},
      {"shards in another order",
       [](const HoledMap& holed, MapHeader header) { Swap(holed, header.shards_at, kMapShardBytes); },
       "the shard does not follow the one before it"},
      {"a shard that is not gone, but has no blocks",
       [](const HoledMap& holed, MapHeader header) {
         const MapShard shard{
             .path = "data/1", .framing = Framing::kOfRecord, .identity = {}, .first_record = 3, .records = 4};
         std::string entry(kMapShardBytes, '\0');
         EncodeMapShard(shard, 6, reinterpret_cast<uint8_t*>(entry.data()));
         OverwriteAt(holed.path(), header.shards_at + kMapShardBytes, entry);
       },
       "the shards and the header differ in the number of records"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const HoledMap holed({{3}, {4, kHole}, {3}});
    row.forge(holed, OpenedMap(holed.path()).header());
    const auto checked = OpenedMap(holed.path()).CheckAll();
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::kIndex);
    CHECK_MESSAGE(checked.error().message.ends_with(row.error), checked.error().message);
  }
}

TEST_CASE("the shards of a map tell which of them are gone") {
  const HoledMap holed({{3}, {4, kHole}, {0, kHole}, {3}});
  const OffsetMap map = OpenedMap(holed.path());
  for (uint64_t shard = 0; shard < 4; ++shard) CHECK(map.Shard(shard)->gone == (shard == 1 || shard == 2));
}

}  // namespace
}  // namespace ofindex
