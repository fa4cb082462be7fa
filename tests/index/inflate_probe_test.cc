#include "index/inflate_probe.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/index/compressed_bytes.h"

namespace ofindex {
namespace {

std::string Inflated(Compression compression, const std::string& bytes, size_t most = 1 << 16) {
  const auto front = InflateFront(compression, AsBytes(bytes), most);
  REQUIRE(front.has_value());
  return std::string(AsText(*front));
}

TEST_CASE("a compression is known by its header, and no more is claimed than a header can tell") {
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
      {"\x78\xbb", std::nullopt},            // a preset dictionary, which nobody has
      {"\x0a\x0bhello", std::nullopt},       // a message
  };
  for (const Row& row : rows) CHECK(CompressionHeader(AsBytes(row.head)) == row.compression);
}

TEST_CASE("the front of a stream is inflated, however little of it there is") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += std::to_string(i * i) + " ";
  for (const Compression compression : {Compression::kGzip, Compression::kZlib}) {
    const std::string bytes = Compressed(compression, text);
    CHECK(Inflated(compression, bytes) == text);
    CHECK(Inflated(compression, bytes, 100) == text.substr(0, 100));
    for (size_t n = 0; n <= bytes.size(); n += 7) {
      CHECK(text.starts_with(Inflated(compression, bytes.substr(0, n))));
    }
    CHECK(Inflated(compression, bytes + "junk behind the stream") == text);
  }
}

TEST_CASE("bytes that only begin as a stream are none") {
  const std::string gzip = Compressed(Compression::kGzip, "text");
  CHECK(!InflateFront(Compression::kGzip, AsBytes("\x1f\x8b\x08\xff\xff\xff\xff\xff"), 100));
  CHECK(!InflateFront(Compression::kZlib, AsBytes(gzip), 100));
  CHECK(!InflateFront(Compression::kZlib, AsBytes(std::string("\x78\x9c\xff\xff\xff\xff")), 100));
  CHECK(!InflateFront(Compression::kGzip, AsBytes(Compressed(Compression::kZlib, "text")), 100));
}

TEST_CASE(
    "every flipped bit of a stream gives its text, a part of it, or nothing at all, and never more than asked for") {
  const std::string text(3000, 't');
  const std::string bytes = Compressed(Compression::kGzip, text);
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      const std::string flipped = WithFlippedBit(bytes, at, bit);
      const auto front = InflateFront(Compression::kGzip, AsBytes(flipped), 2000);
      if (front) CHECK(front->size() <= 2000);
    }
  }
}

}  // namespace
}  // namespace ofindex
