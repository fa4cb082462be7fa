#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "base/zstd.h"
#include "index/chunks/chunk.h"
#include "index/chunks/integers.h"
#include "index/chunks/presence.h"
#include "index/chunks/sections/chunk_format.h"
#include "index/chunks/sections/chunk_io.h"
#include "index/chunks/sections/section.h"
#include "index/chunks/strings.h"
#include "tests/index/column_values.h"

namespace ofindex {
namespace {

struct DecodeOutcomes {
  int refused = 0;
  int read = 0;
};

void UseLists(const Chunk& chunk) {
  const Chunk::Lists& lists = chunk.lists();
  REQUIRE(lists.ends.size() == chunk.records());
  REQUIRE(std::is_sorted(lists.ends.begin(), lists.ends.end()));
  REQUIRE(lists.numbers.size() == lists.ends.back());
  REQUIRE((lists.kinds.size() == 1 || lists.kinds.size() == chunk.records()));
  for (uint32_t number : chunk.strings().number) REQUIRE(number < chunk.strings().ends.size());
}

// Runs every operation on a chunk, and checks what its readers rely on.
void UseChunk(const Chunk& chunk) {
  REQUIRE(chunk.present().size() == (size_t{chunk.records()} + 63) / 64);
  uint64_t sum = 0;
  if (chunk.form() == Chunk::Form::kLists) {
    UseLists(chunk);
  } else {
    for (uint32_t record = 0; record < chunk.records(); ++record) {
      const Chunk::Value value = chunk.At(record);
      sum += static_cast<uint64_t>(value.integer) + std::bit_cast<uint64_t>(value.real);
      for (uint8_t byte : value.bytes) sum += byte;
    }
  }
  if (chunk.form() == Chunk::Form::kBytes) REQUIRE(chunk.strings().number.size() == chunk.records());
  for (size_t n = 0; n < chunk.strings().ends.size(); ++n) {
    for (uint8_t byte : chunk.strings()[static_cast<uint32_t>(n)]) sum += byte;
  }
  static_cast<void>(sum);
}

// Decodes `bytes` in memory of exactly their size, so that the sanitizer detects every read past the end.
void Try(ByteView bytes, uint32_t records, DecodeOutcomes& outcomes) {
  const auto exact = std::make_unique<uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), exact.get());
  const Result<Chunk> chunk = Chunk::Decode(ByteView(exact.get(), bytes.size()), records);
  ++(chunk ? outcomes.read : outcomes.refused);
  if (!chunk) {
    CHECK(chunk.error().code == ErrorCode::kIndex);
    return;
  }
  // Twice the cost, because vectors overallocate.
  CHECK(chunk->memory() <= 2 * (kCostPerRecord * records + kCostPerByte * bytes.size()) + sizeof(Chunk));
  UseChunk(*chunk);
}

// Returns small chunks in every content, presence and encoding.
std::vector<std::pair<std::vector<uint8_t>, uint32_t>> SmallChunks() {
  std::vector<std::pair<std::vector<uint8_t>, uint32_t>> chunks;
  for (const Generator& generator : Generators()) {
    for (const Gaps& gaps : AllGaps()) {
      for (uint32_t records : {3U, 70U})
        chunks.emplace_back(EncodeColumn(MakeColumn(generator, gaps, records)).data, records);
    }
  }
  Random random(3);
  for (uint32_t records : {3U, 40U}) {
    for (bool one_kind : {true, false}) {
      ChunkBuilder builder;
      for (uint32_t record = 0; record < records; ++record) {
        const std::vector<uint64_t> numbers(random() % 4, random());
        const std::vector<ByteView> strings(random() % 3, AsBytes(record % 2 == 0 ? "even" : "odd"));
        if (one_kind || record % 3 != 0) builder.AddNumbers(record, FeatureKind::kDouble, numbers);
        if (!one_kind && record % 3 == 0) builder.AddStrings(record, strings);
      }
      chunks.emplace_back(builder.Encode(records).data, records);
    }
  }
  return chunks;
}

TEST_CASE("a chunk with any flipped bit is refused or read, and never crashes") {
  DecodeOutcomes outcomes;
  for (const auto& [bytes, records] : SmallChunks()) {
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      std::vector<uint8_t> flipped = bytes;
      flipped[bit / 8] = static_cast<uint8_t>(flipped[bit / 8] ^ (1U << bit % 8));
      Try(flipped, records, outcomes);
    }
  }
  CHECK(outcomes.refused > 10'000);
  CHECK(outcomes.read > 10'000);
}

TEST_CASE("a chunk cut at any length is refused") {
  DecodeOutcomes outcomes;
  for (const auto& [bytes, records] : SmallChunks()) {
    for (size_t size = 0; size < bytes.size(); ++size) Try(ByteView(bytes).first(size), records, outcomes);
  }
  CHECK(outcomes.refused > 10'000);
  CHECK(outcomes.read == 0);
}

TEST_CASE("a chunk with several changed bytes, or with the end of another chunk, is refused or read") {
  Random random(8);
  const auto chunks = SmallChunks();
  DecodeOutcomes outcomes;
  for (int i = 0; i < 20'000; ++i) {
    auto [bytes, records] = chunks[random() % chunks.size()];
    for (uint64_t changes = random() % 6; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 8);
    if (i % 4 == 0) {
      const std::vector<uint8_t>& other = chunks[random() % chunks.size()].first;
      bytes.resize(random() % bytes.size());
      bytes.insert(bytes.end(), other.end() - static_cast<ptrdiff_t>(random() % other.size()), other.end());
    }
    Try(bytes, records, outcomes);
  }
  CHECK(outcomes.refused > 1000);
  CHECK(outcomes.read > 1000);
}

TEST_CASE("a chunk is not read with a different number of records, nor with more than a block holds") {
  for (const auto& [bytes, records] : SmallChunks()) {
    DecodeOutcomes outcomes;
    for (uint32_t other : {0U, records - 1, records + 1, 65'537U, ~0U}) Try(bytes, other, outcomes);
    CHECK(outcomes.read == 0);
  }
}

TEST_CASE("an unknown encoding is refused with an error that gives its number") {
  ChunkRow row = EncodeColumn({Int64(1), Int64(2)});
  struct Row {
    size_t at;
    const char* what;
  };
  for (const Row& field :
       {Row{0, "version"}, Row{1, "content"}, Row{3, "presence encoding"}, Row{4, "integer encoding"}}) {
    std::vector<uint8_t> bytes = row.data;
    bytes[field.at] = 99;
    const Result<Chunk> chunk = Chunk::Decode(bytes, 2);
    REQUIRE(!chunk.has_value());
    CHECK(chunk.error().code == ErrorCode::kIndex);
    CHECK(chunk.error().message.find(std::string("unknown ") + field.what + " 99") != std::string::npos);
  }
}

// Returns the start of a chunk with the most records allowed, all present.
ChunkWriter Head(ChunkContent content) {
  ChunkWriter out;
  out.Byte(kChunkVersion);
  out.Byte(static_cast<uint8_t>(content));
  out.Varint(kMaxChunkRecords);
  out.Byte(static_cast<uint8_t>(PresenceEncoding::kAll));
  return out;
}

void CheckChunkRefused(ChunkWriter out) {
  const Result<Chunk> chunk = Chunk::Decode(out.Take(kMaxChunkRecords), kMaxChunkRecords);
  REQUIRE(!chunk.has_value());
  CHECK(chunk.error().code == ErrorCode::kIndex);
}

TEST_CASE("a few bytes that claim enormous lists are refused") {
  for (int64_t length : {int64_t{1000}, int64_t{1} << 26, int64_t{1} << 32, int64_t{1} << 62, int64_t{-1}}) {
    CAPTURE(length);
    ChunkWriter out = Head(ChunkContent::kLists);
    const auto constant = [&](int64_t value) {
      out.Byte(static_cast<uint8_t>(IntegerEncoding::kConstant));
      out.Signed(value);
    };
    constant(static_cast<int64_t>(FeatureKind::kInt64));
    constant(length);
    constant(7);
    CheckChunkRefused(std::move(out));
  }
}

TEST_CASE("values that share ever longer prefixes with the previous one are refused") {
  ChunkWriter out = Head(ChunkContent::kBytes);
  out.Byte(static_cast<uint8_t>(BytesEncoding::kDictionary));
  out.Varint(kMaxChunkRecords);
  std::vector<int64_t> shared;
  for (int64_t i = 0; i < kMaxChunkRecords; ++i) shared.push_back(i);
  WriteIntegers(shared, out);  // the i-th value has i + 1 bytes, 2 GiB in total
  WriteIntegers(std::vector<int64_t>(kMaxChunkRecords, 1), out);
  CheckChunkRefused(std::move(out));
}

TEST_CASE("a sound section that inflates to more than its chunk may cost is refused") {
  const std::vector<uint8_t> zeros(1 << 20);
  const std::vector<uint8_t> frame = ZstdCompress(zeros, 1, zeros.size());
  ChunkWriter out;
  out.Byte(static_cast<uint8_t>(SectionEncoding::kZstd));
  out.Varint(frame.size());
  out.Bytes(frame);
  const std::vector<uint8_t> small = out.Take(0);
  REQUIRE(small.size() * kCostPerByte < zeros.size());
  ChunkReader poor(small, 0);
  CHECK_FALSE(Section::Read(poor, zeros.size()));
  ChunkReader rich(small, 1 << 20);
  CHECK(Section::Read(rich, zeros.size()));
}

TEST_CASE("a dictionary of more values than are used is refused") {
  for (const uint64_t size : {uint64_t{2}, uint64_t{3}}) {
    ChunkWriter out;
    out.Byte(static_cast<uint8_t>(IntegerEncoding::kDictionary));
    out.Varint(size);
    out.Byte(static_cast<uint8_t>(IntegerEncoding::kConstant));
    out.Signed(7);
    out.Byte(static_cast<uint8_t>(SectionEncoding::kPlain));
    out.Byte(0);  // the numbers of two values
    const std::vector<uint8_t> bytes = out.Take(2);
    ChunkReader in(bytes, 2);
    CHECK(ReadIntegers(in, 2).has_value() == (size == 2));
  }
}

TEST_CASE("a section that claims to be far larger than its stored bytes is refused") {
  ChunkWriter out = Head(ChunkContent::kBytes);
  out.Byte(static_cast<uint8_t>(BytesEncoding::kDictionary));
  out.Varint(1);
  WriteIntegers(std::vector<int64_t>{0}, out);
  WriteIntegers(std::vector<int64_t>{int64_t{500} << 20}, out);
  out.Byte(static_cast<uint8_t>(SectionEncoding::kZstd));
  out.Varint(20);
  out.Bytes(std::vector<uint8_t>(20));
  CheckChunkRefused(std::move(out));
}

TEST_CASE("records listed twice, out of order or beyond the last are refused") {
  for (const std::vector<int64_t>& listed : {std::vector<int64_t>{5, 5}, {5, 4}, {0, 65'536}, {-1, 3}}) {
    ChunkWriter out;
    out.Byte(kChunkVersion);
    out.Byte(static_cast<uint8_t>(ChunkContent::kIntegers));
    out.Varint(kMaxChunkRecords);
    out.Byte(static_cast<uint8_t>(PresenceEncoding::kPresent));
    out.Varint(listed.size());
    WriteIntegers(listed, out);
    WriteIntegers(std::vector<int64_t>(2, 1), out);
    CheckChunkRefused(std::move(out));
  }
}

TEST_CASE("a dictionary out of order, or with more values than records, is refused") {
  const auto chunk_of = [](std::vector<ByteView> values, std::vector<uint32_t> numbers) {
    ChunkWriter out;
    out.Byte(kChunkVersion);
    out.Byte(static_cast<uint8_t>(ChunkContent::kBytes));
    out.Varint(2);
    out.Byte(static_cast<uint8_t>(PresenceEncoding::kAll));
    WriteStrings(values, numbers, out);
    return Chunk::Decode(out.Take(2), 2);
  };
  const ByteView a = AsBytes("a"), b = AsBytes("b"), c = AsBytes("c");
  CHECK(chunk_of({a, b}, {0, 1}).has_value());
  CHECK(!chunk_of({b, a}, {0, 1}).has_value());
  CHECK(!chunk_of({a, a}, {0, 1}).has_value());
  CHECK(!chunk_of({a, b, c}, {0, 1}).has_value());
  CHECK(!chunk_of({a, b}, {0, 2}).has_value());
  CHECK(!chunk_of({a, b}, {0, 0xffff'ffff}).has_value());
}

}  // namespace
}  // namespace ofindex
