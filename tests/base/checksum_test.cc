#include "base/checksum.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <random>
#include <string>

#include "base/text.h"
#include "tests/support/random_bytes.h"
#include "tests/support/shard_bytes.h"

namespace ofindex {
namespace {

std::string Ascending(int first, int step) {
  std::string bytes;
  for (int i = 0; i < 32; ++i) bytes.push_back(static_cast<char>(first + i * step));
  return bytes;
}

TEST_CASE("CRC-32C matches the values published in its standard") {
  struct Row {
    std::string bytes;
    uint32_t crc;
  };
  const Row rows[] = {
      {"", 0},                                // nothing
      {"123456789", 0xe3069283},              // the check value of CRC-32/ISCSI in Greg Cook's catalogue of CRCs
      {std::string(32, '\0'), 0x8a9136aa},    // RFC 3720, B.4: 32 bytes of zeroes
      {std::string(32, '\xff'), 0x62a8ab43},  // RFC 3720, B.4: 32 bytes of ones
      {Ascending(0, 1), 0x46dd794e},          // RFC 3720, B.4: 32 bytes of incrementing 00..1f
      {Ascending(31, -1), 0x113fdb5c},        // RFC 3720, B.4: 32 bytes of decrementing 1f..00
      {std::string("\x01\xc0\0\0"
                   "\0\0\0\0"
                   "\0\0\0\0"
                   "\0\0\0\0"
                   "\x14\0\0\0"
                   "\0\0\x04\0"
                   "\0\0\0\x14"
                   "\0\0\0\x18"
                   "\x28\0\0\0"
                   "\0\0\0\0"
                   "\x02\0\0\0"
                   "\0\0\0\0",
                   48),
       0xd9963a56},  // RFC 3720, B.4: an iSCSI SCSI Read (10) command PDU
  };
  for (const Row& row : rows) {
    CAPTURE(ToHex(AsBytes(row.bytes)));
    CHECK(Crc32c(AsBytes(row.bytes)) == row.crc);
    CHECK(SlowCrc32c(row.bytes) == row.crc);  // the tests' own implementation, with which all their shards are made
  }
}

TEST_CASE("CRC-32C is the same whether it is computed in one piece, in two pieces, or bit by bit") {
  for (size_t n : std::initializer_list<size_t>{1, 2, 7, 8, 9, 63, 64, 65, 255, 256, 257, 1024, 4099}) {
    const std::string bytes = RandomBytes(n, n);
    const uint32_t whole = Crc32c(AsBytes(bytes));
    CHECK(whole == SlowCrc32c(bytes));
    for (size_t cut = 0; cut <= n; cut += 1 + n / 17) {
      CHECK(Crc32c(AsBytes(bytes).subspan(cut), Crc32c(AsBytes(bytes).first(cut))) == whole);
    }
  }
}

TEST_CASE("the CRC of a number is that of its eight bytes, with and without the processor's CRC instruction") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 10'000; ++i) {
    // Numbers of every width, since lengths are small numbers.
    const uint64_t value = random() >> (i % 64);
    const uint32_t expected = SlowCrc32c(Le64(value));
    CHECK(Crc32cOf(value) == expected);
    CHECK(Crc32c(AsBytes(Le64(value))) == expected);
#if defined(__x86_64__)
    CHECK(checksum_internal::Crc32cOfPortable(value) == expected);
#endif
  }
}

TEST_CASE("masked CRCs match the TFRecord format: an empty record has 16 known bytes") {
  // Derived from the format alone: the masked CRCs of eight zero bytes and of no bytes.
  CHECK(ToHex(AsBytes(RecordBytes(Framing::kTfRecord, ""))) ==
        "0000000000000000"
        "29039807"
        "d8ea82a2");
  CHECK(MaskCrc(Crc32cOf(0)) == 0x07980329);
  CHECK(MaskCrc(Crc32c({})) == 0xa282ead8);
  CHECK(MaskCrc(0xffffffff) == 0xa282ead7);  // the sum wraps
}

TEST_CASE("XXH3 matches the values published by its authors") {
  CHECK(Xxh3({}) == 0x2d06800538d394c2);  // xxHash, xxhsum.c: BMK_testXXH3, length 0, seed 0
  Xxh3Stream empty;
  CHECK(ToHex(empty.Digest()) == "99aa06d3014798d86001c324468d497f");  // the same: BMK_testXXH128, length 0, seed 0
}

TEST_CASE("a digest computed in pieces equals the digest of all the bytes at once") {
  for (size_t n :
       std::initializer_list<size_t>{0, 1, 3, 8, 16, 17, 128, 129, 240, 241, 255, 256, 257, 1023, 1024, 1025, 70'000}) {
    const std::string bytes = RandomBytes(n, n + 1);
    Xxh3Stream whole;
    whole.Add(AsBytes(bytes));
    CHECK(whole.Digest64() == Xxh3(AsBytes(bytes)));
    for (size_t cut = 0; cut <= n; cut += 1 + n / 11) {
      Xxh3Stream pieces;
      pieces.Add(AsBytes(bytes).first(cut));
      static_cast<void>(pieces.Digest());  // an intermediate digest changes nothing
      pieces.Add(AsBytes(bytes).subspan(cut));
      CHECK(pieces.Digest64() == whole.Digest64());
      CHECK(pieces.Digest() == whole.Digest());
    }
  }
}

TEST_CASE("a number is hashed as its eight little-endian bytes") {
  Xxh3Stream number, bytes;
  number.Add(uint64_t{0x0102030405060708});
  bytes.Add(AsBytes("\x08\x07\x06\x05\x04\x03\x02\x01"));
  CHECK(number.Digest() == bytes.Digest());
}

TEST_CASE("a stream that was reset or moved behaves like a new one") {
  Xxh3Stream stream;
  stream.Add(AsBytes("something else"));
  stream.Reset();
  stream.Add(AsBytes("abc"));
  const Xxh3Stream moved = std::move(stream);
  CHECK(moved.Digest64() == Xxh3(AsBytes("abc")));
}

}  // namespace
}  // namespace ofindex
