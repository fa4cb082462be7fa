#include "mmap/inflate/inflater.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "mmap/inflate/compression_header.h"
#include "mmap/inflate/span_inflater.h"
#include "tests/support/checkpointed.h"
#include "tests/support/compressed_bytes.h"
#include "tests/support/files.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temp_dir.h"

namespace ofindex {
namespace {

constexpr Compression kAll[] = {Compression::kGzip, Compression::kZlib, Compression::kDeflate};

// Returns `bytes` bytes of compressible text.
std::string CompressibleText(size_t bytes, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::string text;
  while (text.size() < bytes) text += std::to_string(random() % 5000) + (random() % 9 == 0 ? text.substr(0, 50) : " ");
  text.resize(bytes);
  return text;
}

InflatedFile InflateBytes(const std::string& stream, Compression compression, size_t at_once = 1 << 16) {
  const TempDir dir;
  WriteFile(dir / "stream", stream);
  return InflateAll(dir / "stream", compression, at_once);
}

TEST_CASE("a compression is recognised by its header") {
  struct Row {
    std::string head;
    std::optional<Compression> compression;
  };
  const std::vector<Row> rows = {
      {"", std::nullopt},                    // nothing
      {"\x1f\x8b", std::nullopt},            // gzip's magic, without a method
      {"\x1f\x8b\x08", Compression::kGzip},  // and with it
      {"\x1f\x8b\x07", std::nullopt},        // another method than deflate
      {"\x78", std::nullopt},                // half a zlib header
      {"\x78\x01", Compression::kZlib},      // level 0
      {"\x78\x5e", Compression::kZlib},      // level 5
      {"\x78\x9c", Compression::kZlib},      // the default level
      {"\x78\xda", Compression::kZlib},      // the best
      {"\x18\x19", Compression::kZlib},      // a window of 512 bytes
      {"\x78\x9d", std::nullopt},            // not a multiple of 31
      {"\x79\x9b", std::nullopt},            // another method
      {"\x88\x1c", std::nullopt},            // a window of 64 KiB
      {"\x78\xbb", std::nullopt},            // a preset dictionary, which is not available
      {"\x0a\x0bhello", std::nullopt},       // a message
  };
  for (const Row& row : rows) CHECK(CompressionHeader(AsBytes(row.head)) == row.compression);
}

TEST_CASE("streams of every compression and level inflate to the original, whatever the buffer sizes") {
  const std::string text = CompressibleText(300'000);
  for (const Compression compression : kAll) {
    for (const int level : {0, 1, 6, 9}) {
      for (const size_t at_once : {size_t{1} << 20, size_t{4096}, size_t{997}}) {
        const InflatedFile all = InflateBytes(Compressed(compression, text, level), compression, at_once);
        CHECK(all.bytes == text);
        CHECK(all.damage.empty());
        CHECK(all.checkpoints.list.size() > 1);
      }
    }
    CHECK(InflateBytes(Compressed(compression, ""), compression).bytes.empty());
  }
}

TEST_CASE("inflating can resume at every block of every member") {
  const std::string text = CompressibleText(400'000);
  const TempDir dir;
  for (const Compression compression : kAll) {
    for (const int level : {0, 1, 9}) {
      std::string stream = Compressed(compression, text.substr(0, 150'000), level);
      if (compression == Compression::kGzip) {
        stream += Compressed(compression, "") + Compressed(compression, text.substr(150'000), level);
      } else {
        stream = Compressed(compression, text, level);
      }
      WriteFile(dir / "stream", stream);
      const InflatedFile all = InflateAll(dir / "stream", compression);
      REQUIRE(all.bytes == text);
      const File file = std::move(*File::OpenRead(dir / "stream"));
      for (size_t i = 0; i < all.checkpoints.size(); ++i) {
        const Checkpoint checkpoint = *all.checkpoints.At(i);
        const auto window = WindowOf(checkpoint);
        REQUIRE(window.has_value());
        SpanInflater inflater(file, stream.size(), compression, checkpoint.bit, *window);
        std::vector<uint8_t> rest(text.size());
        const auto got = inflater.Read(file, rest);
        REQUIRE(got.has_value());
        if (AsText(ByteView(rest).first(*got)) != std::string_view(text).substr(checkpoint.position)) {
          FAIL("checkpoint ", i, " of ", Name(compression), ", level ", level);
        }
      }
    }
  }
}

// Returns a gzip member with every optional header field.
std::string MemberWithFields(const std::string& text) {
  const std::string plain = Compressed(Compression::kGzip, text);
  const std::string fields = std::string("\x05\x00", 2) + "extra" + std::string("name\0comment\0\x12\x34", 15);
  return plain.substr(0, 3) + '\x1e' + plain.substr(4, 6) + fields + plain.substr(10);
}

TEST_CASE("gzip headers may have every optional field") {
  const InflatedFile all = InflateBytes(MemberWithFields("one ") + MemberWithFields("two"), Compression::kGzip);
  CHECK(all.bytes == "one two");
  CHECK(all.damage.empty());
}

TEST_CASE("each fault of a stream is reported with its positions in the file and in the inflated bytes") {
  const std::string text = CompressibleText(5000);
  const std::string gzip = Compressed(Compression::kGzip, text);
  const std::string zlib = Compressed(Compression::kZlib, text);
  const std::string bare = Compressed(Compression::kDeflate, text);
  const auto flipped = [](std::string bytes, size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    return bytes;
  };
  const uint64_t end = text.size();
  const uint64_t gz = gzip.size(), zl = zlib.size(), df = bare.size();
  struct Row {
    const char* what;
    std::string stream;
    Compression compression;
    std::vector<StreamDamage> damage;
  };
  const std::vector<Row> rows = {
      {"a wrong CRC32", flipped(gzip, gz - 8), Compression::kGzip, {{StreamFault::kBadChecksum, end, gz - 8, gz}}},
      {"a wrong length", flipped(gzip, gz - 1), Compression::kGzip, {{StreamFault::kBadChecksum, end, gz - 8, gz}}},
      {"a wrong Adler-32", flipped(zlib, zl - 1), Compression::kZlib, {{StreamFault::kBadChecksum, end, zl - 4, zl}}},
      {"a wrong CRC32, and another member",
       flipped(gzip, gz - 8) + Compressed(Compression::kGzip, ""),
       Compression::kGzip,
       {{StreamFault::kBadChecksum, end, gz - 8, gz}}},
      {"half a trailer", gzip.substr(0, gz - 3), Compression::kGzip, {{StreamFault::kTruncated, end, gz - 8, gz - 3}}},
      {"no trailer", zlib.substr(0, zl - 4), Compression::kZlib, {{StreamFault::kTruncated, end, zl - 4, zl - 4}}},
      {"text behind it", gzip + "text", Compression::kGzip, {{StreamFault::kTrailingBytes, end, gz, gz + 4}}},
      {"a zero byte behind it",
       gzip + std::string(1, '\0'),
       Compression::kGzip,
       {{StreamFault::kTrailingBytes, end, gz, gz + 1}}},
      {"a member with a reserved flag behind it",
       gzip + gzip.substr(0, 3) + '\x20' + gzip.substr(4),
       Compression::kGzip,
       {{StreamFault::kTrailingBytes, end, gz, 2 * gz}}},
      {"half a header behind it",
       gzip + gzip.substr(0, 5),
       Compression::kGzip,
       {{StreamFault::kTruncated, end, gz, gz + 5}}},
      {"text behind it", zlib + "text", Compression::kZlib, {{StreamFault::kTrailingBytes, end, zl, zl + 4}}},
      {"a second stream", zlib + zlib, Compression::kZlib, {{StreamFault::kSecondStream, end, zl, 2 * zl}}},
      {"text behind it", bare + "text", Compression::kDeflate, {{StreamFault::kTrailingBytes, end, df, df + 4}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const InflatedFile all = InflateBytes(row.stream, row.compression);
    CHECK(all.bytes == text);
    CHECK(all.damage == row.damage);
  }
}

TEST_CASE("a stream truncated at any byte gives the bytes before the cut, and is reported as truncated") {
  const std::string text = CompressibleText(3000);
  for (const Compression compression : kAll) {
    const std::string stream = Compressed(compression, text);
    for (size_t n = 1; n < stream.size(); ++n) {
      const InflatedFile all = InflateBytes(stream.substr(0, n), compression);
      CHECK(text.starts_with(all.bytes));
      REQUIRE(all.damage.size() == 1);
      CHECK(all.damage[0].fault == StreamFault::kTruncated);
      CHECK(all.damage[0].file_end == n);
    }
  }
}

TEST_CASE("reading a span of a stream with flipped bits succeeds, perhaps with fewer bytes, and never crashes") {
  const std::string text = CompressibleText(60'000);
  const std::string stream = Compressed(Compression::kGzip, text, 9) + Compressed(Compression::kGzip, text, 1);
  const TempDir dir;
  WriteFile(dir / "stream", stream);
  const InflatedFile all = InflateAll(dir / "stream", Compression::kGzip);
  std::mt19937_64 random(8);
  std::vector<uint8_t> rest(2 * text.size() + 1000);
  for (int i = 0; i < 3000 / kCaseStep; ++i) {
    std::string bytes = stream;
    for (uint64_t flips = 1 + random() % 4; flips > 0; --flips) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    }
    WriteFile(dir / "flipped", bytes);
    const File file = std::move(*File::OpenRead(dir / "flipped"));
    const Checkpoint checkpoint = *all.checkpoints.At(random() % all.checkpoints.size());
    SpanInflater inflater(file, bytes.size(), Compression::kGzip, checkpoint.bit, *WindowOf(checkpoint));
    const auto got = inflater.Read(file, std::span(rest).first(random() % rest.size()));
    REQUIRE(got.has_value());
  }
}

TEST_CASE("every flipped bit of a stream with a checksum is noticed") {
  const std::string text = CompressibleText(2000);
  for (const Compression compression : {Compression::kGzip, Compression::kZlib}) {
    const std::string stream = Compressed(compression, text);
    std::mt19937_64 random(7);
    for (int i = 0; i < 5000 / kCaseStep; ++i) {
      std::string bytes = stream;
      bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
      const InflatedFile all = InflateBytes(bytes, compression);
      // Time and system in a gzip header are not data.
      if (all.damage.empty() && all.bytes != text) FAIL("flip ", i);
    }
  }
}

}  // namespace
}  // namespace ofindex
