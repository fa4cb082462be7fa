#include "mmap/batch/fast_copy.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "mmap/offsets/offset_map_writer.h"
#include "tests/mmap/reading.h"
#include "tests/support/files.h"
#include "tests/support/mapped_dataset.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

using Ordinals = std::vector<uint64_t>;

// A map with open shards, and a hot-block cache of the blocks that the test adds ("ready" blocks).
class Warm {
 public:
  explicit Warm(const std::string& map_path, const std::string& folder, IoMode io = IoMode::kMmap,
                uint64_t copied_bytes = kCopiedMapBytes)
      : map_(OffsetMap::Open(map_path, {}, copied_bytes).value()), blocks_(map_) {
    for (uint64_t i = 0; i < map_.shards(); ++i) {
      const MapShard shard = map_.Shard(i).value();
      shards_.push_back(
          OpenShard::Open(folder + "/" + std::string(shard.path), shard.framing, shard.identity, {.io = io}).value());
    }
  }

  explicit Warm(const MappedDataset& dataset, IoMode io = IoMode::kMmap, uint64_t copied_bytes = kCopiedMapBytes)
      : Warm(dataset.map_path(), dataset.folder(), io, copied_bytes) {}

  // Adds the block of record `ordinal`, which lies in shard `shard`, to the cache if permitted.
  void Add(uint64_t ordinal, uint32_t shard, bool allow_bad = false) {
    const auto place = map_.Find(ordinal);
    // Forged maps, in which no record may be found, have one block.
    blocks_.Add(map_, ordinal, place ? place->block : 0, *shards_[shard], allow_bad);
  }

  // Adds the blocks of all records to the cache, except records for which `except` returns true.
  template <typename Except>
  void AddAllBut(const MappedDataset& dataset, Except&& except) {
    for (uint64_t i = 0; i < map_.records(); ++i) {
      if (!except(i)) Add(i, dataset.locations()[i].shard);
    }
  }
  void AddAll(const MappedDataset& dataset) {
    AddAllBut(dataset, [](uint64_t) { return false; });
  }

  [[nodiscard]] bool Ready(uint64_t ordinal) const {
    HotBlockCache::Locator locator;
    return blocks_.Locate(ordinal, locator);
  }

  [[nodiscard]] bool Finds(uint64_t ordinal) const {
    HotBlockCache::Locator locator;
    HotBlockCache::Record record;
    return blocks_.Locate(ordinal, locator) && HotBlockCache::Find(locator, record);
  }

  // Returns the payloads of `ordinals`, copied to `room` bytes; nullopt if the slow path is needed.
  [[nodiscard]] std::optional<std::vector<std::string>> Copy(const Ordinals& ordinals, size_t room) {
    std::vector<uint8_t> bytes(room);
    std::vector<uint64_t> ends(ordinals.size());
    shards_read_.assign(1, 0);
    if (!CopyFast(blocks_, ordinals, {.bytes = bytes, .ends = ends, .shards_read = shards_read_})) {
      return std::nullopt;
    }
    std::vector<std::string> payloads;
    for (uint64_t begin = 0; uint64_t end : ends) {
      payloads.push_back(Text(ByteView(bytes).subspan(begin, end - begin)));
      begin = end;
    }
    return payloads;
  }

  // Returns views of `ordinals` up to the first that is not ready, as payloads.
  [[nodiscard]] std::vector<std::string> View(
      const Ordinals& ordinals, const std::function<bool(uint32_t)>& unchanged = [](uint32_t) { return true; }) {
    std::vector<ByteView> views(ordinals.size());
    in_map_ = false;
    const size_t n = ViewFast(blocks_, ordinals, views, unchanged, in_map_);
    std::vector<std::string> payloads;
    for (size_t i = 0; i < n; ++i) payloads.push_back(Text(views[i]));
    return payloads;
  }

  // Returns one bit for each shard that the last copy read.
  [[nodiscard]] uint64_t shards_read() const { return shards_read_[0]; }

  // Returns whether the last views needed the map.
  [[nodiscard]] bool in_map() const { return in_map_; }

 private:
  OffsetMap map_;
  HotBlockCache blocks_;
  std::vector<std::unique_ptr<OpenShard>> shards_;
  std::vector<uint64_t> shards_read_;
  bool in_map_ = false;
};

size_t BytesOf(const std::vector<std::string>& payloads) {
  size_t bytes = 0;
  for (const std::string& payload : payloads) bytes += payload.size();
  return bytes;
}

TEST_CASE("a copied record is whole if its last byte is not zero; a zero may be that of a file that was cut") {
  for (const uint16_t footer : {uint16_t{0}, uint16_t{4}}) {
    for (int last = 0; last < 256; ++last) {
      std::string bytes = Le64(7) + "payload" + std::string(footer, 'f');
      bytes.back() = static_cast<char>(last);
      const HotBlockCache::Record record{.framed = AsBytes(bytes).data(),
                                         .length = 7,
                                         .header = 8,
                                         .framing = static_cast<uint16_t>(8 + footer),
                                         .shard = 0};
      std::string out(7, '?');
      CAPTURE(last);
      CHECK(CopyOneFast(record, reinterpret_cast<uint8_t*>(out.data())) ==
            (last != 0 ? FastCopy::kComplete : FastCopy::kCopied));
      CHECK(out == bytes.substr(8, 7));
    }
  }
}

TEST_CASE("a batch of any size is copied and viewed in the requested order if its blocks are in the hot-block cache") {
  const MappedDataset dataset(MixedShards());
  for (const uint64_t copied_bytes : {uint64_t{0}, uint64_t{500}, kCopiedMapBytes}) {
    Warm warm(dataset, IoMode::kMmap, copied_bytes);
    warm.AddAll(dataset);
    std::mt19937_64 random(5);
    for (size_t size : kBatchSizes) {
      CAPTURE(size);
      const Ordinals ordinals = RandomOrdinals(random, dataset.payloads().size(), size);
      const std::vector<std::string> expected = Chosen(dataset.payloads(), ordinals);
      CHECK(warm.Copy(ordinals, BytesOf(expected)) == expected);
      CHECK(warm.View(ordinals) == expected);
      if (copied_bytes == kCopiedMapBytes) CHECK_FALSE(warm.in_map());
      if (copied_bytes == 0 && size > 0) CHECK(warm.in_map());
    }
  }
}

TEST_CASE("a batch of views ends at the first block that is not in the cache, and a copy fails") {
  const MappedDataset dataset(MixedShards());
  Warm warm(dataset);
  constexpr uint64_t kUnready = 10;  // in the second block, of records 7 to 13
  warm.AddAllBut(dataset, [](uint64_t i) { return i >= 7 && i < 14; });
  REQUIRE_FALSE(warm.Ready(kUnready));
  for (size_t size : {size_t{1}, size_t{19}, size_t{33}, size_t{70}}) {
    for (size_t at = 0; at < size; ++at) {
      CAPTURE(size);
      CAPTURE(at);
      Ordinals ordinals(size);
      for (size_t i = 0; i < size; ++i) ordinals[i] = 100 + i;
      ordinals[at] = kUnready;
      CHECK_FALSE(warm.Copy(ordinals, 1 << 20));
      const Ordinals before(ordinals.data(), ordinals.data() + at);
      CHECK(warm.View(ordinals) == Chosen(dataset.payloads(), before));
    }
  }
}

TEST_CASE("a copy succeeds exactly if the buffer has room for all payloads") {
  const MappedDataset dataset(MixedShards());
  Warm warm(dataset);
  warm.AddAll(dataset);
  const Ordinals requests[] = {{1}, {0, 1}, {1, 0}, {5, 100, 3, 257, 3}, Ordinals(33, 2)};
  for (const Ordinals& ordinals : requests) {
    const std::vector<std::string> expected = Chosen(dataset.payloads(), ordinals);
    const size_t bytes = BytesOf(expected);
    CHECK(warm.Copy(ordinals, bytes) == expected);
    CHECK(warm.Copy(ordinals, bytes + 1) == expected);
    CHECK_FALSE(warm.Copy(ordinals, bytes - 1));
    CHECK_FALSE(warm.Copy(ordinals, 0));
  }
  CHECK(warm.Copy({0, 0, 101}, 0) == std::vector<std::string>(3));  // empty records need no room
}

TEST_CASE("a copy marks exactly the shards that it has read") {
  const MappedDataset dataset(MixedShards());  // records 0 to 99, 100, none, 101 to 220, 221 to 257
  Warm warm(dataset);
  warm.AddAll(dataset);
  const auto marked = [&](const Ordinals& ordinals) {
    REQUIRE(warm.Copy(ordinals, 1 << 20));
    return warm.shards_read();
  };
  CHECK(marked({}) == 0);
  CHECK(marked({7}) == 0b1);
  CHECK(marked({257, 7, 257}) == 0b10001);
  CHECK(marked({100, 101, 0}) == 0b1011);
}

TEST_CASE("a header that differs from the index is left to the slow path, and does not affect other records") {
  for (size_t shard : {size_t{0}, size_t{3}}) {
    const MappedDataset dataset(MixedShards());
    Warm warm(dataset);
    warm.AddAll(dataset);
    const uint64_t rewritten = shard == 0 ? 50 : 150;
    const uint64_t length = dataset.payloads()[rewritten].size();
    for (const uint64_t other : {length + 1, length - 1, uint64_t{0}, ~uint64_t{0}}) {
      OverwriteAt(dataset.shard_path(shard), dataset.locations()[rewritten].offset, Le64(other));
      CHECK_FALSE(warm.Copy({rewritten}, 1 << 20));
      CHECK_FALSE(warm.Copy({0, 1, rewritten, 2}, 1 << 20));
      CHECK(warm.Copy({rewritten - 1, rewritten + 1}, 1 << 20));
    }
  }
}

TEST_CASE("a shard truncated under its map fails the copy instead of ending the process") {
  const MappedDataset dataset(MixedShards());
  Warm warm(dataset);
  warm.AddAll(dataset);
  TruncateTo(dataset.shard_path(3), 0);
  for (size_t at = 0; at < 33; ++at) {
    Ordinals ordinals(33, 5);
    ordinals[at] = 150;
    CHECK_FALSE(warm.Copy(ordinals, 1 << 20));
  }
  CHECK(warm.Copy({5, 257}, 1 << 20) == Chosen(dataset.payloads(), {5, 257}));
}

TEST_CASE("an ordinal past the last record is never found in the cache") {
  const MappedDataset dataset(MixedShards());
  Warm warm(dataset);
  warm.AddAll(dataset);
  CHECK(warm.Ready(257));
  for (uint64_t ordinal : {uint64_t{258}, uint64_t{1} << 32, uint64_t{1} << 63, ~uint64_t{0}}) {
    CHECK_FALSE(warm.Ready(ordinal));
    CHECK_FALSE(warm.Copy({0, ordinal}, 1 << 20));
  }
  const MappedDataset empty({});
  CHECK_FALSE(Warm(empty).Ready(0));
}

TEST_CASE("a block with a bad record is cached only if bad records are allowed") {
  const MappedDataset dataset(
      {{.path = "p", .framing = Framing::kTfRecord, .payloads = SomePayloads(20, 50), .bad = {4, 15}}});
  Warm warm(dataset);
  warm.AddAll(dataset);
  for (uint64_t i = 0; i < 20; ++i) CHECK(warm.Ready(i) == (i >= 7 && i < 14));
  warm.Add(4, 0, true);
  for (uint64_t i = 0; i < 20; ++i) CHECK(warm.Ready(i) == (i < 14));
}

TEST_CASE("no block of an unmapped shard is cached") {
  const MappedDataset dataset(MixedShards());
  Warm warm(dataset, IoMode::kPread);
  warm.AddAll(dataset);
  for (uint64_t i = 0; i < dataset.payloads().size(); ++i) CHECK_FALSE(warm.Ready(i));
}

TEST_CASE("a record in a hole is never in the cache, even if all blocks are ready") {
  const MappedDataset dataset({{.path = "0", .payloads = SomePayloads(5, 20), .gone = true},
                               {.path = "1", .payloads = SomePayloads(20, 20)},
                               {.path = "2", .payloads = SomePayloads(9, 20), .gone = true},
                               {.path = "3", .payloads = SomePayloads(3, 20)},
                               {.path = "4", .payloads = SomePayloads(4, 20), .gone = true}});
  const auto gone = [&](uint64_t ordinal) { return dataset.gone(dataset.locations()[ordinal].shard); };
  Warm warm(dataset);
  warm.AddAllBut(dataset, gone);
  for (uint64_t i = 0; i < dataset.payloads().size(); ++i) CHECK(warm.Ready(i) == !gone(i));
}

TEST_CASE("a block with a wrong checksum is never cached") {
  const MappedDataset dataset(MixedShards());
  const OffsetMap map = OffsetMap::Open(dataset.map_path()).value();
  FlipBit(dataset.map_path(), map.Block(2)->block.packed_at + 30, 0);
  Warm warm(dataset);
  warm.AddAll(dataset);
  for (uint64_t i = 0; i < 100; ++i) CHECK(warm.Ready(i) == (i < 14 || i >= 21));
}

// A map of one block over an OFRecord shard of 1,000 bytes, with valid checksums.
struct Forged {
  Forged(const MapBlock& block, const std::vector<uint64_t>& boundaries) {
    WriteFile(dir / "s", std::string(1000, '\0'));
    auto writer = OffsetMapWriter::Begin(OutputFile::Create(dir / "map").value());
    REQUIRE(writer);
    REQUIRE(writer->AddBlock(block, PackOffsets(boundaries), {}));
    writer->AddShard({.path = "s",
                      .framing = Framing::kOfRecord,
                      .identity = IdentifyShard(File::OpenRead(dir / "s").value()).value(),
                      .records = block.records});
    REQUIRE(writer->Finish({}));
  }

  TempDir dir;
};

TEST_CASE("forged offsets with a correct checksum locate no record outside the block or the shard") {
  struct Row {
    const char* what;
    MapBlock block;
    std::vector<uint64_t> boundaries;
    bool first, second;  // whether each record is found
  };
  const Row rows[] = {
      {"as it should be", {.begin = 100, .end = 300, .records = 2}, {100, 200, 300}, true, true},
      {"begins after its first record", {.begin = 101, .end = 300, .records = 2}, {100, 200, 300}, false, true},
      {"ends before its last record", {.begin = 100, .end = 299, .records = 2}, {100, 200, 300}, true, false},
      {"ends after the shard", {.begin = 0, .end = 1001, .records = 2}, {100, 200, 1001}, false, false},
      {"descends", {.begin = 0, .end = 1000, .records = 2}, {500, 400, 600}, false, true},
      {"no room for a header", {.begin = 0, .end = 1000, .records = 2}, {100, 107, 115}, false, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Forged forged(row.block, row.boundaries);
    Warm warm(forged.dir / "map", forged.dir.path());
    warm.Add(0, 0);
    CHECK(warm.Finds(0) == row.first);
    CHECK(warm.Finds(1) == row.second);
  }
}

}  // namespace
}  // namespace ofindex
