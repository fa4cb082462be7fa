#include "proto/wire/varint.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/wire/wire.h"
#include "tests/proto/message_bytes.h"
#include "tests/proto/random_bytes.h"

namespace ofindex {
namespace {

using PackedNumbers = std::optional<std::vector<int64_t>>;  // none if the list is malformed

/// Reads a packed list with the reader of messages, one varint at a time.
PackedNumbers ReadOneByOne(const std::string& packed) {
  Malformed malformed;
  WireReader reader(AsBytes(packed), &malformed);
  std::vector<int64_t> values;
  for (uint64_t value = 0; reader.NextVarint(&value);) values.push_back(static_cast<int64_t>(value));
  return reader.ok() ? PackedNumbers(values) : std::nullopt;
}

PackedNumbers ReadAtOnce(const std::string& packed) {
  // In a block of exactly its size, so that a sanitizer sees each byte read beyond.
  const std::vector<uint8_t> chunk(packed.begin(), packed.end());
  std::vector<int64_t> values(chunk.size());
  const std::optional<size_t> count = ReadVarints(chunk, values.data());
  if (!count) return std::nullopt;
  values.resize(*count);
  return values;
}

/// A varint of `size` bytes, whose last ones may be zeros.
std::string RandomVarint(Dice& dice, uint64_t size) {
  std::string varint;
  for (uint64_t i = 1; i < size; ++i) varint += static_cast<char>(dice.Bits() | 0x80);
  return varint + static_cast<char>(dice.Bits() & 0x7f);
}

TEST_CASE("a packed list read at once gives the values, and the verdict, of one read varint by varint") {
  Dice dice(1);
  uint64_t malformed = 0;
  for (int round = 0; round < 20'000; ++round) {
    const uint64_t widest = 1 + dice.Below(11);  // one byte more than a varint may have
    const uint64_t count = dice.Below(40);
    std::string packed;
    for (uint64_t i = 0; i < count; ++i) packed += RandomVarint(dice, 1 + dice.Below(widest));
    if (!packed.empty() && dice.OneIn(4)) packed.resize(dice.Below(packed.size()));
    const PackedNumbers expected = ReadOneByOne(packed);
    const PackedNumbers values = ReadAtOnce(packed);
    const bool same = values == expected;
    REQUIRE_MESSAGE(same, "round ", round, " of ", widest);
    const uint64_t counted = CountVarints(AsBytes(packed));
    REQUIRE_MESSAGE(counted == (expected ? expected->size() : 0), "round ", round, " of ", widest);
    if (!expected) ++malformed;
  }
  CHECK(malformed > 2'000);
  CHECK(malformed < 18'000);
}

}  // namespace
}  // namespace ofindex
