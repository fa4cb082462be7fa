#include "index/scan/derived_values.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/text.h"
#include "index/scan/block_extractor.h"
#include "tests/index/images/encoded_images.h"
#include "tests/proto/extracting.h"
#include "tests/proto/message_bytes.h"

namespace ofindex {
namespace {

// An image whose header is not in the first page of a large record.
const std::string kFarJpeg =
    encoded_images::Jpeg({encoded_images::Segment(0xe1, std::string(60'000, 'e')),
                          encoded_images::Frame(0xc0, 640, 480, 3), std::string(100'000, 'p')});
const std::string kGif = "GIF89a" + encoded_images::U16(7) + encoded_images::U16(8) + "rest";

std::string RecordWithA(const std::string& feature) { return Field(1, Entry("a", feature)); }

std::string ShownValue(const Chunk::Value& value) {
  switch (value.type) {
    case ColumnValue::Type::kNull: return "-";
    case ColumnValue::Type::kInteger: return StrCat(value.integer);
    default: return std::string(AsText(value.bytes));
  }
}

// Returns "role value,value,..." for each derived column of feature `a`.
std::vector<std::string> DerivedIn(const Result<BlockColumns>& columns, uint32_t records) {
  REQUIRE_MESSAGE(columns, columns.error().message);
  std::vector<std::string> found;
  for (const BlockFeature& feature : columns->features) {
    for (const ChunkRow& row : feature.chunks) {
      if (!IsDerived(row.role)) continue;
      const Result<Chunk> chunk = Chunk::Decode(row.data, records);
      REQUIRE(chunk);
      std::string text(Name(row.role));
      for (uint32_t r = 0; r < records; ++r) text += StrCat(r == 0 ? " " : ",", ShownValue(chunk->At(r)));
      found.push_back(std::move(text));
    }
  }
  return found;
}

ColumnChoice Deriving(const std::vector<std::string>& arguments) {
  ColumnChoice choice;
  choice.derived = Derivations::Of(arguments).value();
  return choice;
}

const ColumnChoice kDeriveAll = Deriving({"a:image", "a:hash", "a:length"});

std::vector<std::string> DerivedFromMemory(const std::vector<std::string>& payloads,
                                           const ColumnChoice& choice = kDeriveAll,
                                           PayloadKind kind = PayloadKind::kExample) {
  BlockExtractor extractor(FieldPlan::Of(kind), choice);
  const auto records = static_cast<uint32_t>(payloads.size());
  for (uint32_t r = 0; r < records; ++r) extractor.Add(r, AsBytes(payloads[r]));
  return DerivedIn(extractor.Finish(records), records);
}

// Reads each payload in small pieces, each of which is freed when the next one is asked for.
std::vector<std::string> DerivedFromPages(const std::vector<std::string>& payloads,
                                          const ColumnChoice& choice = kDeriveAll,
                                          PayloadKind kind = PayloadKind::kExample) {
  BlockExtractor extractor(FieldPlan::Of(kind), choice);
  const auto records = static_cast<uint32_t>(payloads.size());
  for (uint32_t r = 0; r < records; ++r) {
    SmallPages pages(payloads[r], r % 7);
    REQUIRE(extractor.Add(r, pages, payloads[r].size()));
  }
  return DerivedIn(extractor.Finish(records), records);
}

std::string SignedText(uint64_t hash) { return StrCat(static_cast<int64_t>(hash)); }

}  // namespace

TEST_CASE("image, hash and length are derived from bytes, in memory and in pages alike") {
  const std::vector<std::string> payloads = {RecordWithA(ByteStrings({kFarJpeg})), RecordWithA(ByteStrings({kGif})),
                                             RecordWithA(ByteStrings({"no image"})), RecordWithA(ByteStrings({""})),
                                             RecordWithA(ByteStrings({kFarJpeg.substr(0, 60'000)}))};
  const std::vector<std::string> expected = {
      "width 640,7,-,-,-",
      "height 480,8,-,-,-",
      "channels 3,3,-,-,-",
      "format jpeg,gif,-,-,jpeg",
      StrCat("hash ", SignedText(Xxh3(AsBytes(kFarJpeg))), ",", SignedText(Xxh3(AsBytes(kGif))), ",",
             SignedText(Xxh3(AsBytes("no image"))), ",", SignedText(Xxh3({})), ",",
             SignedText(Xxh3(AsBytes(kFarJpeg).first(60'000)))),
      StrCat("length ", kFarJpeg.size(), ",", kGif.size(), ",8,0,60000")};
  CHECK(DerivedFromMemory(payloads) == expected);
  CHECK(DerivedFromPages(payloads) == expected);
}

TEST_CASE("the first of several values is the image, their hashes are hashed, and their lengths added") {
  const std::vector<std::string> payloads = {RecordWithA(ByteStrings({kGif, kFarJpeg})),
                                             RecordWithA(ByteStrings({"", kGif})), RecordWithA(ByteStrings({}))};
  const std::string hashes =
      Fixed(Xxh3(AsBytes(kGif))) + Fixed(Xxh3(AsBytes(kFarJpeg)));  // 8 bytes each, little-endian
  const std::string others = Fixed(Xxh3({})) + Fixed(Xxh3(AsBytes(kGif)));
  const std::vector<std::string> expected = {
      "width 7,-,-",
      "height 8,-,-",
      "channels 3,-,-",
      "format gif,-,-",
      StrCat("hash ", SignedText(Xxh3(AsBytes(hashes))), ",", SignedText(Xxh3(AsBytes(others))), ",-"),
      StrCat("length ", kGif.size() + kFarJpeg.size(), ",", kGif.size(), ",-")};
  CHECK(DerivedFromMemory(payloads) == expected);
  CHECK(DerivedFromPages(payloads) == expected);
}

TEST_CASE("the steps of a feature list are its values, and a list of several kinds has none") {
  const auto sequence = [](const std::vector<std::string>& steps) {
    std::string list;
    for (const std::string& step : steps) list += Field(1, step);
    return Field(2, Entry("f", list));
  };
  const std::vector<std::string> payloads = {sequence({ByteStrings({kGif}), ByteStrings({"x"})}),
                                             sequence({ByteStrings({kGif})}),
                                             sequence({ByteStrings({kGif}), Int64s({1})}), sequence({})};
  const ColumnChoice choice = Deriving({"f[]:image", "f[]:length"});
  const std::vector<std::string> expected = {"width 7,7,-,-", "height 8,8,-,-", "channels 3,3,-,-",
                                             "format gif,gif,-,-",
                                             StrCat("length ", kGif.size() + 1, ",", kGif.size(), ",-,-")};
  CHECK(DerivedFromMemory(payloads, choice, PayloadKind::kSequenceExample) == expected);
  CHECK(DerivedFromPages(payloads, choice, PayloadKind::kSequenceExample) == expected);
}

TEST_CASE("numbers have no derived columns, nor has a block without a value") {
  CHECK(DerivedFromMemory({RecordWithA(Int64s({7})), RecordWithA(Int64s({1, 2}))}).empty());
  CHECK(DerivedFromMemory({RecordWithA(ByteStrings({"text"}))}, Deriving({"a:image"})).empty());
  CHECK(DerivedFromMemory({RecordWithA(Int64s({7})), RecordWithA(ByteStrings({"text"}))}, Deriving({"a:length"})) ==
        std::vector<std::string>{"length -,4"});
}

TEST_CASE("runs of records that are alike give what each record alone gives") {
  std::vector<std::string> payloads;
  for (int i = 0; i < 600; ++i) {
    const std::string image = i % 5 == 0 ? std::string(static_cast<size_t>(i), 'x') : kGif + std::string(1, 'a');
    payloads.push_back(Field(1, Entry("a", ByteStrings({image})) + Entry("b", Int64s({i}))));
    if (i % 97 == 0) payloads.push_back(RecordWithA(ByteStrings({})));
  }
  const std::vector<std::string> expected = DerivedFromPages(payloads);
  CHECK(expected.size() == 6);
  CHECK(DerivedFromMemory(payloads) == expected);
  ColumnChoice alone = kDeriveAll;
  alone.mode = ColumnChoice::Mode::kNone;
  CHECK(DerivedFromMemory(payloads, alone) == expected);
}

TEST_CASE("only the pages with the header of an image are read, and one that cannot be read fails the record") {
  const std::string payload = RecordWithA(ByteStrings({kFarJpeg}));
  const ColumnChoice images = Deriving({"a:image"});
  uint64_t pieces = 0;
  {
    BlockExtractor extractor(FieldPlan::Of(PayloadKind::kExample), images);
    SmallPages pages(payload, 0);
    REQUIRE(extractor.Add(0, pages, payload.size()));
    CHECK(pages.bytes() < 200);
    pieces = pages.served();
  }
  for (uint64_t most = 0; most < pieces; ++most) {
    CAPTURE(most);
    BlockExtractor extractor(FieldPlan::Of(PayloadKind::kExample), kDeriveAll);
    SmallPages pages(payload, 0);
    pages.FailAfter(most);
    CHECK_FALSE(extractor.Add(0, pages, payload.size()));
  }
}

}  // namespace ofindex
