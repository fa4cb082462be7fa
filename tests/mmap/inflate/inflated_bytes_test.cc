#include "mmap/inflate/inflated_bytes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "tests/mmap/inflate/inflated_stream.h"
#include "tests/support/files.h"

namespace ofindex {
namespace {

TEST_CASE("bytes at any position equal those of the stream, however small the cache and however rare the checkpoints") {
  const std::string text = Numbers(3'000'000);
  std::mt19937_64 random(5);
  for (const size_t every : {size_t{1}, size_t{7}, size_t{1'000'000}}) {
    const InflatedStream stream(text, every);
    for (const uint64_t cache_bytes : {uint64_t{1}, uint64_t{64} << 20}) {
      SpanCache cache(cache_bytes);
      const InflatedBytes bytes = stream.Through(cache);
      for (int i = 0; i < 200; ++i) {
        const size_t n = random() % 3 == 0 ? random() % 300'000 : random() % 200;
        REQUIRE(ReadsRight(bytes, text, random() % (text.size() + 1000), n));
      }
      CHECK(ReadsRight(bytes, text, 0, text.size()));
      CHECK(ReadsRight(bytes, text, text.size(), 1));
    }
  }
}

TEST_CASE("pieces between distant checkpoints can be read in any order") {
  const std::string text(30 << 20, 'z');
  const InflatedStream stream(text, 1'000'000);
  SpanCache cache(uint64_t{10} << 20);
  const InflatedBytes bytes = stream.Through(cache);
  for (const uint64_t offset : {uint64_t{25} << 20, uint64_t{3} << 20, uint64_t{17} << 20}) {
    CHECK(ReadsRight(bytes, text, offset, 100));
  }
  CHECK(ReadsRight(bytes, text, 0, text.size()));
}

TEST_CASE("a checkpoint with a flipped bit is an error, never other bytes") {
  const std::string text = Numbers(200'000);
  InflatedStream stream(text, 1);
  REQUIRE(stream.kept().size() > 1);
  CheckpointList::One& second = stream.kept().list[1];
  const uint64_t position = second.position;
  for (size_t bit = 0; bit < 8 * std::min<size_t>(second.stored.size(), 40); ++bit) {
    second.stored[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    SpanCache cache(1 << 20);
    std::vector<uint8_t> out(100);
    const auto got = stream.Through(cache).ReadAt(position, out);
    REQUIRE(!got.has_value());
    CHECK(got.error().code == ErrorCode::kIndex);
    second.stored[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
  }
  second.bit += 1;
  SpanCache cache(1 << 20);
  std::vector<uint8_t> out(100);
  CHECK(stream.Through(cache).ReadAt(position, out).error().code == ErrorCode::kIndex);
}

TEST_CASE("a file that no longer inflates to the indexed bytes is stale") {
  const std::string text = Numbers(2'000'000);
  const InflatedStream stream(text, 1);
  TruncateTo(stream.path(), 1000);
  SpanCache cache(1 << 20);
  std::vector<uint8_t> out(100);
  const auto got = stream.Through(cache).ReadAt(1'000'000, out);
  REQUIRE(!got.has_value());
  CHECK(got.error().code == ErrorCode::kStale);
  CHECK(got.error().message.find("/stream@") != std::string::npos);
}

TEST_CASE("a file whose stream ends before the indexed bytes is stale, even if the file has its size") {
  const std::string text = Numbers(2'000'000);
  const InflatedStream stream(text, 1'000'000);
  const size_t size = ReadFile(stream.path()).size();
  std::string shorter = Compressed(Compression::kGzip, text.substr(0, 1'000'000), 9);
  shorter.resize(size);
  WriteFile(stream.path(), shorter);
  SpanCache cache(uint64_t{64} << 20);
  const InflatedBytes bytes = stream.Through(cache);
  CHECK(ReadsRight(bytes, text, 0, 500'000));
  std::vector<uint8_t> out(1'900'000);
  const auto got = bytes.ReadAt(0, out);
  REQUIRE(!got.has_value());
  CHECK(got.error().code == ErrorCode::kStale);
}

// Reads what zlib inflates of the first `size` bytes of a file: its second half, and its last byte.
void CheckCut(const std::string& whole, size_t size, Compression compression) {
  CAPTURE(size);
  const TempDir dir;
  WriteFile(dir / "stream", whole.substr(0, size));
  const InflatedFile all = InflateAll(dir / "stream", compression);
  if (all.bytes.empty()) return;
  const CompressedFacts facts{.compression = compression, .file_bytes = size, .inflated_bytes = all.bytes.size()};
  SpanCache cache(1 << 20);
  const InflatedBytes bytes(std::make_shared<const File>(std::move(*File::OpenRead(dir / "stream"))), facts,
                            all.checkpoints, cache, 0);
  const size_t half = all.bytes.size() / 2;
  REQUIRE(ReadsRight(bytes, all.bytes, half, all.bytes.size() - half));
  REQUIRE(ReadsRight(bytes, all.bytes, all.bytes.size() - 1, 1));
}

TEST_CASE("all bytes that zlib inflates of a file that was cut anywhere can be read") {
  for (const std::string& text : {Numbers(2000), std::string(20'000, 'a')}) {
    for (const Compression compression : {Compression::kGzip, Compression::kDeflate}) {
      const std::string whole = Compressed(compression, text, 9);
      for (size_t size = 1; size <= whole.size(); ++size) CheckCut(whole, size, compression);
    }
  }
  // The codes of its last symbols, each for 258 bytes, have one bit; isa-l waits for more.
  const std::string ones = "\xec\xc1\x01\x0d" + std::string(3, '\0') + "\xc2\xa0\xf7\x4f\x6d\x0f\x07\x14\x42";
  for (size_t size = 1; size <= ones.size(); ++size) CheckCut(ones, size, Compression::kDeflate);
}

TEST_CASE("spans that were inflated in one state of a file are not used in another") {
  const std::string text = Numbers(100'000);
  const InflatedStream stream(text, 1);
  SpanCache cache(uint64_t{64} << 20);
  REQUIRE(ReadsRight(stream.Through(cache, uint64_t{1}), text, 0, text.size()));
  const std::string other(100'000, 'z');
  WriteFile(stream.path(), Compressed(Compression::kGzip, other, 9) + std::string(100'000, '\0'));
  CHECK(ReadsRight(stream.Through(cache, uint64_t{1}), text, 0, 1000));
  CHECK(ReadsRight(stream.Through(cache, uint64_t{2}), other, 0, 1000));
}

/// One checkpoint, which is another one after it was read for the first time: its map is being rewritten.
class RewrittenCheckpoint final : public Checkpoints {
 public:
  RewrittenCheckpoint(Checkpoint before, Checkpoint after) : before_(before), after_(after) {}

  [[nodiscard]] size_t size() const override { return 1; }
  [[nodiscard]] Result<Checkpoint> At(size_t /*i*/) const override { return reads_++ == 0 ? before_ : after_; }

 private:
  const Checkpoint before_;
  const Checkpoint after_;
  mutable int reads_ = 0;
};

TEST_CASE("a checkpoint that changes while it is used, to one behind the bytes, is an error") {
  constexpr uint64_t kOffset = uint64_t{10} << 20;
  InflatedStream stream(std::string(2 * kOffset, 'z'), 1'000'000);
  const Checkpoint first = *stream.kept().At(0);
  const std::vector<uint8_t> window = StoreWindow(kOffset + 1, first.bit, {});
  const RewrittenCheckpoint rewritten(first, {.position = kOffset + 1, .bit = first.bit, .stored = window});
  SpanCache cache(uint64_t{64} << 20);
  std::vector<uint8_t> out(100);
  const auto got = stream.Through(cache, rewritten).ReadAt(kOffset, out);
  REQUIRE(!got.has_value());
  CHECK(got.error().code == ErrorCode::kIndex);
}

TEST_CASE("the most recently used spans stay in the cache, within its limit") {
  SpanCache cache(2 * SpanCache::kOverheadBytes + 100);
  const auto first = cache.Get({0, 0, 0}, 60);
  CHECK(cache.Get({0, 0, 0}, 60) == first);
  const auto second = cache.Get({1, 0, 0}, 40);
  CHECK(cache.Find({0, 0, 0}) == first);
  CHECK(cache.Find({0, 1, 0}) == nullptr);  // for another state of the file
  const auto third = cache.Get({0, 0, 60}, 70);
  CHECK(cache.Find({1, 0, 0}) == nullptr);
  CHECK(cache.Find({0, 0, 0}) == first);
  CHECK(cache.Find({0, 0, 60}) == third);
  // A span larger than the whole cache is kept, alone.
  const auto large = cache.Get({7, 0, 0}, uint64_t{1} << 30);
  CHECK(cache.Find({7, 0, 0}) == large);
  CHECK(cache.Find({0, 0, 60}) == nullptr);
}

TEST_CASE("a span that could not be read, because the file was truncated for a while, is read correctly later") {
  const std::string text = Numbers(2'000'000);
  const InflatedStream stream(text, 1'000'000);
  const std::string whole = ReadFile(stream.path());
  for (const size_t cut : {whole.size() - 100'000, size_t{100'000}, size_t{70'000}}) {
    SpanCache cache(uint64_t{64} << 20);
    const InflatedBytes bytes = stream.Through(cache);
    REQUIRE(ReadsRight(bytes, text, 0, 1000));
    TruncateTo(stream.path(), cut);
    std::vector<uint8_t> out(text.size());
    const auto got = bytes.ReadAt(0, out);
    REQUIRE(!got.has_value());
    CHECK(got.error().code == ErrorCode::kStale);
    OverwriteAt(stream.path(), cut, whole.substr(cut));
    REQUIRE(ReadsRight(bytes, text, 10'000, 300'000));
    REQUIRE(ReadsRight(bytes, text, text.size() - 1000, 1000));
    REQUIRE(ReadsRight(bytes, text, 0, text.size()));
  }
}

TEST_CASE("pieces between distant checkpoints can be read in sequence, however small the cache") {
  const std::string text = Numbers(1'000'000) + std::string(60 << 20, 'z');
  const InflatedStream stream(text, 1'000'000);
  SpanCache small(1);
  const InflatedBytes bytes = stream.Through(small);
  std::vector<uint8_t> out(1 << 20);
  for (uint64_t at = 0; at < text.size(); at += out.size()) {
    const auto got = bytes.ReadAt(at, out);
    REQUIRE(got.has_value());
    REQUIRE(AsText(ByteView(out).first(*got)) == std::string_view(text).substr(at, out.size()));
  }
}

}  // namespace
}  // namespace ofindex
