#include "index/scan/block_extractor.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "tests/proto/extracting.h"
#include "tests/proto/message_bytes.h"
#include "tests/proto/random_bytes.h"

namespace ofindex {
namespace {

std::string ExampleOfEntries(const std::string& entries) { return Field(1, entries); }

/// Returns a record whose only feature is `a`.
std::string RecordOf(const std::string& feature) { return ExampleOfEntries(Entry("a", feature)); }

const std::string kShort = "xy";
const std::string kLong(kMaxAutoBytes + 1, 'l');
const std::string kTooLong(kMaxKeptBytes + 1, 't');

ColumnChoice Named(std::vector<std::string> names) { return {ColumnChoice::Mode::kNamed, std::move(names)}; }

std::string SpellBytes(ByteView bytes) {
  return bytes.size() <= 8 ? std::string(AsText(bytes)) : StrCat(bytes.size(), " bytes");
}

std::string Spell(const Chunk::Value& value) {
  switch (value.type) {
    case ColumnValue::Type::kNull: return "-";
    case ColumnValue::Type::kInteger: return StrCat(value.integer);
    case ColumnValue::Type::kReal: return std::to_string(value.real);
    default: return SpellBytes(value.bytes);
  }
}

std::string SpellList(const Chunk& chunk, uint32_t record) {
  if ((chunk.present()[record / 64] >> (record % 64) & 1) == 0) return "-";
  const Chunk::Lists& lists = chunk.lists();
  const FeatureKind kind = lists.kinds[lists.kinds.size() == 1 ? 0 : record];
  std::string text;
  for (uint32_t i = record == 0 ? 0 : lists.ends[record - 1]; i < lists.ends[record]; ++i) {
    if (!text.empty()) text += '|';
    text += kind == FeatureKind::kBytes ? SpellBytes(chunk.strings()[chunk.strings().number[i]])
                                        : StrCat(static_cast<int64_t>(lists.numbers[i]));
  }
  return StrCat("[", text, "]");
}

std::string SpellChunk(const ChunkRow& row, uint32_t records) {
  constexpr const char* kRoles[] = {"value", "count", "size", "list"};
  const Result<Chunk> chunk = Chunk::Decode(row.data, records);
  REQUIRE(chunk);
  std::string text = StrCat(" ", kRoles[static_cast<size_t>(row.role)]);
  for (uint32_t r = 0; r < records; ++r) {
    text +=
        StrCat(r == 0 ? " " : ",", chunk->form() == Chunk::Form::kLists ? SpellList(*chunk, r) : Spell(chunk->At(r)));
  }
  return text;
}

/// Returns a line for each feature: its name and all values of its chunks.
std::string SpellColumns(const BlockColumns& columns, uint32_t records) {
  std::string text;
  for (const BlockFeature& feature : columns.features) {
    text += feature.row.name;
    for (const ChunkRow& chunk : feature.chunks) text += SpellChunk(chunk, records);
    text += '\n';
  }
  return text;
}

std::string Extracted(const std::vector<std::string>& payloads, const ColumnChoice& choice = {}) {
  BlockExtractor extractor(FieldPlan::Of(PayloadKind::kExample), choice);
  const auto records = static_cast<uint32_t>(payloads.size());
  for (uint32_t r = 0; r < records; ++r) extractor.Add(r, AsBytes(payloads[r]));
  const Result<BlockColumns> columns = extractor.Finish(records);
  REQUIRE_MESSAGE(columns, columns.error().message);
  return SpellColumns(*columns, records);
}

TEST_CASE("one value per record gives a column of values; a record with an empty or longer list adds counts") {
  CHECK(Extracted({RecordOf(Int64s({7})), ExampleOfEntries(""), RecordOf(Int64s({9}))}) == "a value 7,-,9\n");
  CHECK(Extracted({RecordOf(Int64s({7})), ExampleOfEntries(""), RecordOf(Int64s({1, 2})), RecordOf(Int64s({}))}) ==
        "a value 7,-,-,- count 1,-,2,0\n");
}

TEST_CASE("one byte string that is too long turns the column into sizes, and numbers are then only counted") {
  CHECK(Extracted({RecordOf(ByteStrings({kShort})), RecordOf(ByteStrings({kLong})), RecordOf(ByteStrings({kShort}))}) ==
        "a size 2,65,2\n");
  CHECK(Extracted({RecordOf(ByteStrings({kShort})), RecordOf(Int64s({5})), RecordOf(ByteStrings({kLong}))}) ==
        "a count 1,1,1 size 2,-,65\n");
  CHECK(Extracted({RecordOf(Int64s({5})), RecordOf(ByteStrings({kShort}))}) == "a value 5,xy\n");
}

TEST_CASE("a named feature keeps whole lists after single values, empty lists or long byte strings") {
  struct Row {
    const char* what;
    std::vector<std::string> payloads;
    const char* columns;
  };
  const std::vector<Row> rows = {
      {"no list", {RecordOf(Int64s({1})), RecordOf(Int64s({}))}, "a value 1,- count 1,0\n"},
      {"a list at the end",
       {RecordOf(Int64s({1})), RecordOf(Int64s({})), RecordOf(Int64s({2, 3}))},
       "a count 1,0,2 list [1],[],[2|3]\n"},
      {"a list at first",
       {RecordOf(Int64s({2, 3})), RecordOf(Int64s({})), RecordOf(Int64s({1}))},
       "a count 2,0,1 list [2|3],[],[1]\n"},
      {"texts too long for an automatic column",
       {RecordOf(ByteStrings({kLong})), RecordOf(ByteStrings({"x"}))},
       "a value 65 bytes,x\n"},
      {"a text too long for any column",
       {RecordOf(ByteStrings({kTooLong})), RecordOf(ByteStrings({"x"}))},
       "a size 65537,1\n"},
      {"a text too long for any column, a short one, and then a list",
       {RecordOf(ByteStrings({kTooLong})), RecordOf(ByteStrings({"x"})), RecordOf(ByteStrings({"y", "z"}))},
       "a count 1,1,2 list -,[x],[y|z]\n"},
      {"a list, a text too long for any column, and then a short one",
       {RecordOf(ByteStrings({"y", "z"})), RecordOf(ByteStrings({kTooLong})), RecordOf(ByteStrings({"x"}))},
       "a count 2,1,1 list [y|z],-,[x]\n"},
      {"a text too long for any column, in a list",
       {RecordOf(ByteStrings({"y", kTooLong})), RecordOf(ByteStrings({"x", "z"}))},
       "a count 2,2 list -,[x|z]\n"},
      {"lists of several kinds",
       {RecordOf(Int64s({1, 2})), RecordOf(ByteStrings({"x"}))},
       "a count 2,1 list [1|2],[x]\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(Extracted(row.payloads, Named({"a"})) == row.columns);
  }
}

TEST_CASE("a feature that is not named is counted, and has no column") {
  BlockExtractor extractor(FieldPlan::Of(PayloadKind::kExample), Named({"b"}));
  extractor.Add(0, AsBytes(RecordOf(Int64s({1, 2}))));
  const Result<BlockColumns> columns = extractor.Finish(1);
  REQUIRE(columns);
  REQUIRE(columns->features.size() == 1);
  CHECK(columns->features[0].row.values == 2);
  CHECK(columns->features[0].chunks.empty());
}

TEST_CASE("malformed records are listed, and none of their values are kept") {
  BlockExtractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
  const std::vector<std::string> payloads = {RecordOf(Int64s({1})), RecordOf(Int64s({2})) + "\x0f",
                                             RecordOf(Int64s({3})), "\x0f"};
  for (uint32_t r = 0; r < payloads.size(); ++r) extractor.Add(r, AsBytes(payloads[r]));
  const Result<BlockColumns> columns = extractor.Finish(4);
  REQUIRE(columns);
  CHECK(columns->malformed == std::vector<uint32_t>{1, 3});
  CHECK(SpellColumns(*columns, 4) == "a value 1,-,3,-\n");
}

TEST_CASE("a block does not depend on the previous block") {
  BlockExtractor extractor(FieldPlan::Of(PayloadKind::kExample), Named({"a"}));
  const std::vector<std::string> first = {RecordOf(ByteStrings({kTooLong})), RecordOf(ByteStrings({"x", "y"})),
                                          RecordOf(ByteStrings({})), "\x0f"};
  for (uint32_t r = 0; r < first.size(); ++r) extractor.Add(r, AsBytes(first[r]));
  REQUIRE(extractor.Finish(4));
  extractor.Add(0, AsBytes(RecordOf(Int64s({4}))));
  const Result<BlockColumns> second = extractor.Finish(2);
  REQUIRE(second);
  CHECK(second->malformed.empty());
  CHECK(SpellColumns(*second, 2) == "a value 4,-\n");
}

TEST_CASE("a feature number that is reused for another name starts empty") {
  BlockExtractor extractor(FieldPlan::Of(PayloadKind::kExample), {});
  uint32_t record = 0;
  const auto add = [&](const std::string& name, int64_t value) {
    extractor.Add(record++, AsBytes(ExampleOfEntries(Entry(name, Int64s({value})))));
  };
  add("z", -1);
  for (uint32_t i = 0; i < kMaxFeatures; ++i) add(StrCat("m", 10'000 + i), i);
  add("b", 5);
  const Result<BlockColumns> columns = extractor.Finish(record);
  REQUIRE(columns);
  CHECK(columns->dropped);
  CHECK(columns->dropped_from == StrCat("m", 10'000 + kMaxFeatures - 1));
  REQUIRE(columns->features.size() == kMaxFeatures);
  for (const BlockFeature& feature : columns->features) CHECK(feature.row.present == 1);
  CHECK(columns->features[0].row.name == "b");
  CHECK(columns->features[0].chunks[0].min.integer == 5);
}

TEST_CASE("records read page by page give the same columns") {
  const std::vector<std::string> payloads = {RecordOf(Int64s({1})), RecordOf(ByteStrings({kLong})),
                                             RecordOf(ByteStrings({kTooLong, "x"})), "\x0f"};
  for (const ColumnChoice& choice : {ColumnChoice{}, Named({"a"})}) {
    BlockExtractor paged(FieldPlan::Of(PayloadKind::kExample), choice);
    for (uint32_t r = 0; r < payloads.size(); ++r) {
      SmallPages pages(payloads[r], 10);
      REQUIRE(paged.Add(r, pages, payloads[r].size()));
    }
    const Result<BlockColumns> columns = paged.Finish(4);
    REQUIRE(columns);
    CHECK(columns->malformed == std::vector<uint32_t>{3});
    CHECK(SpellColumns(*columns, 4) == Extracted(payloads, choice));
  }
}

/// Returns everything in `columns` but the sketches' place: rows, chunks, malformed records.
std::string SpellBlock(const BlockColumns& columns) {
  std::string text;
  for (const BlockFeature& feature : columns.features) {
    const FeatureRow& row = feature.row;
    text += StrCat(row.name, " kinds ", row.kinds, " present ", row.present, " values ", row.values, " single ",
                   row.single, " min ", row.values_min, " max ", row.values_max, " largest ", row.largest_bytes);
    text += StrCat(" sketch ", ToHex(feature.sketch.bytes()));
    for (const ChunkRow& chunk : feature.chunks) {
      text += StrCat(" role ", static_cast<int>(chunk.role), " ", chunk.nulls, " ", chunk.nans, " ", ToHex(chunk.data));
    }
    text += '\n';
  }
  for (const uint32_t record : columns.malformed) text += StrCat(record, " ");
  return text;
}

/// Makes records of one shape after another, with an odd one now and then.
std::vector<std::string> RandomRecords(Dice& dice) {
  const auto number = [&] { return static_cast<int64_t>(dice.Bits() >> dice.Below(64)); };
  const auto text = [&] {
    return std::string(dice.Below(dice.OneIn(50) ? 300 : 20), static_cast<char>('a' + dice.Below(3)));
  };
  const auto entry = [&](uint64_t shape) {
    switch (shape) {
      case 0: return Entry("i", Int64s({number()}));
      case 1: return Entry("f", Field(2, PackedFixed({static_cast<float>(dice.Below(9))})));
      case 2: return Entry("s", ByteStrings({text()}));
      case 3: return Entry("l", dice.OneIn(9) ? Int64s({1, number()}) : Int64s({number()}));
      case 4: return Entry("x", dice.OneIn(2) ? Int64s({number()}) : ByteStrings({text()}));
      default: return Entry("e", dice.OneIn(3) ? "" : Int64s({number()}));
    }
  };
  std::vector<std::string> records;
  while (records.size() < 3000) {
    std::vector<uint64_t> shapes;
    for (uint64_t n = dice.Below(6); n > 0; --n) shapes.push_back(dice.Below(6));
    for (uint64_t n = 1 + dice.Below(dice.OneIn(3) ? 700 : 5); n > 0; --n) {
      std::string entries;
      for (const uint64_t shape : shapes) entries += entry(shape);
      records.push_back(ExampleOfEntries(entries));
      if (dice.OneIn(40)) records.back() = Mutated(records.back(), records.front(), dice);
    }
  }
  return records;
}

TEST_CASE("runs of records with the same entries give the columns of records read one by one") {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const std::vector<std::string> payloads = RandomRecords(dice);
    const auto records = static_cast<uint32_t>(payloads.size());
    for (const ColumnChoice& choice : {ColumnChoice{}, Named({"i", "s", "x", "l"})}) {
      BlockExtractor in_memory(FieldPlan::Of(PayloadKind::kExample), choice);
      BlockExtractor paged(FieldPlan::Of(PayloadKind::kExample), choice);
      for (int block = 0; block < 2; ++block) {
        for (uint32_t r = 0; r < records; ++r) {
          const std::vector<uint8_t> overwritten_later(payloads[r].begin(), payloads[r].end());
          in_memory.Add(r, overwritten_later);
          SmallPages pages(payloads[r], 10);
          REQUIRE(paged.Add(r, pages, payloads[r].size()));
        }
        const Result<BlockColumns> some = in_memory.Finish(records);
        const Result<BlockColumns> others = paged.Finish(records);
        REQUIRE((some && others));
        CHECK((SpellBlock(*some) == SpellBlock(*others)));
      }
    }
  }
}

}  // namespace
}  // namespace ofindex
