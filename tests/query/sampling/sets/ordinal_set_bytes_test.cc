#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "query/sampling/sets/ordinal_set.h"
#include "tests/query/sampling/sets/member_lists.h"

namespace ofindex {
namespace {

// Bytes in memory of their exact size, so that the sanitizer sees every byte read beyond it.
Result<OrdinalSet> ParseExact(ByteView bytes) {
  const auto exact = std::make_unique<uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), exact.get());
  return OrdinalSet::Parse(ByteView(exact.get(), bytes.size()));
}

// Checks that any `bytes` are an error or the bytes of a set that works.
void CheckHostile(const std::vector<uint8_t>& bytes) {
  const Result<OrdinalSet> set = ParseExact(bytes);
  if (!set) {
    CHECK(set.error().code == ErrorCode::kIndex);
    return;
  }
  CHECK(set->Serialize() == bytes);
  CHECK(set->memory() <= sizeof(OrdinalSet) + 32 * bytes.size());
  if (set->size() == 0) return;
  CHECK(set->Rank(set->Select(set->size() - 1)) == set->size() - 1);
  CHECK(set->Select(set->size() - 1) < OrdinalSet::kEnd);
}

TEST_CASE("a set is read back from its bytes") {
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    const OrdinalSet set = SetOfMembers(members);
    const Result<OrdinalSet> back = ParseExact(set.Serialize());
    REQUIRE(back.has_value());
    CHECK(*back == set);
  }
}

TEST_CASE("bytes truncated at any position, or with bytes after them, are not a set") {
  std::mt19937_64 random(1);
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    std::vector<uint8_t> bytes = SetOfMembers(members).Serialize();
    const bool few = bytes.size() < 3000;
    for (size_t i = 0; i < (few ? bytes.size() : 300); ++i) {
      const size_t length = few ? i : random() % bytes.size();
      REQUIRE(!ParseExact(ByteView(bytes).first(length)).has_value());
    }
    bytes.push_back(0);
    CHECK(!ParseExact(bytes).has_value());
  }
}

TEST_CASE("bytes changed at any position are refused or are another set") {
  std::mt19937_64 random(2);
  for (const NamedMembers& shape : Shapes()) {
    CAPTURE(shape.name);
    const Members& members = shape.members;
    const std::vector<uint8_t> bytes = SetOfMembers(members).Serialize();
    for (size_t i = 0; i < std::min<size_t>(bytes.size(), 60); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::vector<uint8_t> flipped = bytes;
        flipped[i] ^= static_cast<uint8_t>(1U << bit);
        CheckHostile(flipped);
      }
    }
    for (int i = 0; i < 100; ++i) {
      std::vector<uint8_t> changed = bytes;
      for (uint64_t n = random() % 4 + 1; n > 0; --n) {
        changed[random() % changed.size()] = static_cast<uint8_t>(random());
      }
      CheckHostile(changed);
    }
  }
}

TEST_CASE("random bytes after a valid version are refused or are a set") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<uint8_t> bytes = {1};
    for (uint64_t n = random() % 12; n > 0; --n) {
      bytes.push_back(static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 6));
    }
    CheckHostile(bytes);
  }
}

TEST_CASE("the bytes of a set are unique, and every other form is refused") {
  std::vector<uint8_t> bitmap_of_few = {1, 2, 0, 0x80, 0x20};  // claims 4,096 members
  bitmap_of_few.resize(5 + 8192);
  bitmap_of_few[5] = 0b101;
  std::vector<uint8_t> bitmap_of_all = {1, 0x80, 0x80, 4, 0, 0x80, 0x80, 4};
  bitmap_of_all.resize(8 + 8192, 0xff);
  struct Row {
    std::string what;
    std::vector<uint8_t> bytes;
  };
  const std::vector<Row> rows = {
      {"ends too early", {}},
      {"unknown version", {2, 0}},
      {"ends too early", {1}},
      {"expected 1 members, got 0", {1, 1}},
      {"expected 0 members, got 3", {1, 0, 1, 5, 3}},
      {"is not in the form that its members require", {1, 0x80, 0}},  // a number longer than necessary
      {"a number is too long", {1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}},
      {"a number is too large", {1, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40}},   // more members than ordinals
      {"is not in the form that its members require", {1, 0, 1, 5, 0}},           // an empty run
      {"is not in the form that its members require", {1, 0, 0, 0}},              // an empty page
      {"is not in the form that its members require", {1, 2, 0, 2, 1, 0, 2, 0}},  // a run, as an array
      {"is not in the form that its members require", {1, 2, 1, 0xff, 0xff, 3, 1, 1, 0, 1}},  // a run, as two
      {"members are not ascending", {1, 2, 0, 2, 3, 0, 1, 0}},
      {"members are not ascending", {1, 2, 0, 2, 3, 0, 3, 0}},                // duplicates
      {"a number is too large", {1, 1, 1, 0x80, 0x80, 4, 1}},                 // a run that begins after its page
      {"a number is too large", {1, 1, 0x81, 0x80, 0x80, 0x80, 0x20, 0, 1}},  // a page after the last one
      {"a number is too large", {1, 1, 0, 0x81, 0x80, 4}},                    // more members than a page has ordinals
      {"expected 2 members",
       [&] {
         auto b = bitmap_of_few;
         b[5] = 1;
         return b;
       }()},
      {"is not in the form that its members require", bitmap_of_few},
      {"is not in the form that its members require", bitmap_of_all},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Result<OrdinalSet> set = ParseExact(row.bytes);
    REQUIRE(!set.has_value());
    CHECK(set.error().code == ErrorCode::kIndex);
    CAPTURE(set.error().message);
    CHECK(set.error().message.find(row.what) != std::string::npos);
  }
  // The last page, with nothing after it.
  std::vector<uint8_t> last = SetOfMembers({OrdinalSet::kEnd - 1}).Serialize();
  last.push_back(0);
  CHECK(ParseExact(last).error().message.find("continues after the last ordinal") != std::string::npos);
}

}  // namespace
}  // namespace ofindex
