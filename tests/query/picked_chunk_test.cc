#include "query/picked_chunk.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace ofindex {
namespace {

using Form = Chunk::Form;

constexpr uint32_t kRecords = 200;

Chunk Made(const std::function<void(ChunkBuilder&, uint32_t)>& add) {
  ChunkBuilder builder;
  for (uint32_t r = 0; r < kRecords; ++r) add(builder, r);
  Result<Chunk> chunk = Chunk::Decode(builder.Encode(kRecords).data, kRecords);
  REQUIRE(chunk.has_value());
  return std::move(*chunk);
}

ByteView Bytes(const std::string& text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

// The list of `record`, as text; "null" if it has none.
std::string ListAt(const Chunk& chunk, uint32_t record) {
  if ((chunk.present()[record / 64] >> (record % 64) & 1) == 0) return "null";
  const Chunk::Lists& lists = chunk.lists();
  std::string shown = "[";
  for (uint32_t i = record == 0 ? 0 : lists.ends[record - 1]; i < lists.ends[record]; ++i) {
    const FeatureKind kind = lists.kinds[lists.kinds.size() == 1 ? 0 : record];
    if (kind == FeatureKind::kBytes) {
      const ByteView text = chunk.texts()[chunk.texts().number[i]];
      shown += std::string(text.begin(), text.end()) + " ";
    } else {
      shown += std::to_string(static_cast<int>(kind)) + ":" + std::to_string(lists.numbers[i]) + " ";
    }
  }
  return shown + "]";
}

// The one chunk that `records` make.
Chunk PickedOne(const Chunk& chunk, const std::vector<uint32_t>& records) {
  Result<std::vector<Chunk>> picked = PickedChunks(chunk, records);
  REQUIRE(picked.has_value());
  REQUIRE(picked->size() == 1);
  return std::move(picked->front());
}

// Of every form; each misses some records.
std::vector<Chunk> EveryForm() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Chunk> chunks;
  chunks.push_back(Made([](ChunkBuilder&, uint32_t) {}));
  chunks.push_back(Made([](ChunkBuilder& b, uint32_t r) {
    if (r % 3 != 0) b.AddInteger(r, int64_t{r} * 1'000'000'007 - 5, FeatureKind::kInt64);
  }));
  chunks.push_back(Made([](ChunkBuilder& b, uint32_t r) {
    if (r % 3 != 0) b.AddFloat(r, static_cast<float>(r) / 8);
  }));
  chunks.push_back(Made([&](ChunkBuilder& b, uint32_t r) { b.AddDouble(r, r % 4 == 0 ? nan : r / 10.0); }));
  chunks.push_back(Made([](ChunkBuilder& b, uint32_t r) {
    if (r % 3 != 0) b.AddBytes(r, Bytes("text " + std::to_string(r % 7)));
  }));
  chunks.push_back(Made([](ChunkBuilder& b, uint32_t r) {
    if (r % 5 == 0) b.AddInteger(r, r, FeatureKind::kInt32);
    if (r % 5 == 1) b.AddFloat(r, 0.5F);
    if (r % 5 == 2) b.AddBytes(r, Bytes("mixed"));
    if (r % 5 == 3) b.AddDouble(r, 0.25);
  }));
  chunks.push_back(Made([](ChunkBuilder& b, uint32_t r) {
    const std::vector<uint64_t> values(r % 4, r);
    if (r % 3 != 0) b.AddNumbers(r, FeatureKind::kInt64, values);
  }));
  chunks.push_back(Made([](ChunkBuilder& b, uint32_t r) {
    const std::string text = "w" + std::to_string(r % 9);
    const std::vector<ByteView> words(r % 3, Bytes(text));
    const std::vector<uint64_t> numbers(r % 3, r);
    if (r % 2 == 0) b.AddTexts(r, words);
    if (r % 4 == 1) b.AddNumbers(r, FeatureKind::kFloat, numbers);
  }));
  return chunks;
}

TEST_CASE("a picked chunk has the values of the records that were picked, in their order and as often") {
  std::vector<std::vector<uint32_t>> picks = {{0}, {199}, {5, 3, 3, 199, 0, 64, 63}};
  picks.emplace_back();
  for (uint32_t r = 0; r < kRecords; ++r) picks.back().push_back(kRecords - 1 - r);
  picks.emplace_back(3 * kRecords, 7);
  size_t forms = 0;
  for (const Chunk& chunk : EveryForm()) {
    forms |= size_t{1} << static_cast<size_t>(chunk.form());
    for (const std::vector<uint32_t>& records : picks) {
      const Chunk picked = PickedOne(chunk, records);
      REQUIRE(picked.records() == records.size());
      for (uint32_t i = 0; i < records.size(); ++i) {
        CAPTURE(records[i]);
        if (chunk.form() == Form::kLists) {
          if (picked.form() == Form::kLists) {
            CHECK(ListAt(picked, i) == ListAt(chunk, records[i]));
          } else {
            CHECK(picked.form() == Form::kEmpty);
            CHECK(ListAt(chunk, records[i]) == "null");
          }
        } else {
          const Chunk::Value is = picked.At(i);
          const Chunk::Value was = chunk.At(records[i]);
          CHECK(is.type == was.type);
          CHECK(is.integer == was.integer);
          CHECK(is.real == was.real);
          CHECK(std::string(is.bytes.begin(), is.bytes.end()) == std::string(was.bytes.begin(), was.bytes.end()));
        }
      }
    }
  }
  CHECK(forms == 0x7F);  // each of them
}

TEST_CASE("records may be picked more often than a chunk has records: they come in as many chunks as it takes") {
  for (const Chunk& chunk : EveryForm()) {
    for (const size_t count : {size_t{0}, size_t{65'535}, size_t{65'536}, size_t{65'537}, size_t{200'001}}) {
      CAPTURE(count);
      std::vector<uint32_t> records;
      for (size_t i = 0; i < count; ++i) records.push_back(static_cast<uint32_t>(i * 7 % kRecords));
      const Result<std::vector<Chunk>> picked = PickedChunks(chunk, records);
      REQUIRE(picked.has_value());
      CHECK(picked->size() == (count + 65'535) / 65'536);
      size_t first = 0;
      for (const Chunk& part : *picked) {
        for (uint32_t i = 0; i < part.records(); i += 997) {
          const uint32_t record = records[first + i];
          if (part.form() != Form::kLists) {
            CHECK(part.At(i).integer == chunk.At(record).integer);
            CHECK(part.At(i).type == chunk.At(record).type);
          } else {
            CHECK(ListAt(part, i) == ListAt(chunk, record));
          }
        }
        first += part.records();
      }
      CHECK(first == count);
    }
  }
}

TEST_CASE("long lists that repeat are no more than a chunk may hold") {
  const std::vector<uint64_t> values(1 << 20, 5);
  const Chunk chunk = Made([&](ChunkBuilder& b, uint32_t r) {
    if (r < 2) b.AddNumbers(r, FeatureKind::kInt64, values);
  });
  std::vector<uint32_t> records(70, 1);  // a chunk may hold 64 of them
  records[10] = 7;
  const Result<std::vector<Chunk>> picked = PickedChunks(chunk, records);
  REQUIRE(picked.has_value());
  size_t lists = 0;
  size_t count = 0;
  for (const Chunk& part : *picked) {
    count += part.records();
    if (part.form() == Form::kLists) lists += part.lists().numbers.size() / values.size();
  }
  CHECK(count == records.size());
  CHECK(lists == 69);
}

}  // namespace
}  // namespace ofindex
