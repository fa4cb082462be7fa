#include "index/columns/feature_totals.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "proto/wire/varint.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxCount = INT64_MAX;

auto FeatureFields(const FeatureRow& row) {
  return std::tuple(row.kinds, row.present, row.values, row.values_min, row.values_max, row.single, row.largest_bytes);
}

bool AreEqual(const FeatureTotals& a, const FeatureTotals& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && FeatureFields(x.second) == FeatureFields(y.second);
  });
}

FeatureRow RowOf(uint8_t kinds, uint64_t present, uint64_t values, uint32_t least, uint32_t most, uint64_t single,
                 uint64_t largest) {
  return {.kinds = kinds,
          .present = present,
          .values = values,
          .values_min = least,
          .values_max = most,
          .largest_bytes = largest,
          .single = single};
}

// Totals of a shard of 1,000 records, with numbers of every size.
FeatureTotals SomeTotals() {
  return {{0, RowOf(1 << 5, 1000, 1000, 1, 1, 1000, 0)},
          {1, RowOf(1 << 1, 7, 300, 0, 200, 1, 70'000)},
          {300, RowOf(63, 1, 0, 0, 0, 0, 0)},
          {UINT32_MAX - 1, RowOf(0, 999, kMaxCount, 128, UINT32_MAX, 998, kMaxCount)}};
}

std::vector<uint8_t> Varints(const std::vector<uint64_t>& values) {
  std::vector<uint8_t> bytes(values.size() * kMaxVarintBytes);
  uint8_t* end = bytes.data();
  for (const uint64_t value : values) end = WriteVarint(value, end);
  bytes.resize(static_cast<size_t>(end - bytes.data()));
  return bytes;
}

TEST_CASE("totals that were written are read back") {
  for (const FeatureTotals& totals : {FeatureTotals(), FeatureTotals{{5, RowOf(2, 1, 1, 1, 1, 1, 3)}}, SomeTotals()}) {
    const auto parsed = ParseTotals(TotalsBytes(totals), 1000);
    REQUIRE(parsed);
    CHECK(AreEqual(*parsed, totals));
  }
  CHECK(TotalsBytes({}).empty());
}

TEST_CASE("random totals are read back, and take a few bytes for each feature of few records") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    FeatureTotals totals;
    for (size_t i = random() % 20; i > 0; --i) {
      const uint64_t present = random() % 100;
      const auto least = static_cast<uint32_t>(random() % 3);
      totals.emplace(static_cast<uint32_t>(random() % 100),
                     RowOf(static_cast<uint8_t>(random() % 64), present, random() % 128, least, least + 2,
                           present == 0 ? 0 : random() % present, random() % 128));
    }
    const std::vector<uint8_t> bytes = TotalsBytes(totals);
    CHECK(bytes.size() == 8 * totals.size());
    const auto parsed = ParseTotals(bytes, 100);
    REQUIRE(parsed);
    CHECK(AreEqual(*parsed, totals));
  }
}

// Returns whether bytes are refused, or are exactly those of the totals that are read from them.
bool AreRefusedOrExact(const std::vector<uint8_t>& bytes, uint64_t records) {
  const auto parsed = ParseTotals(bytes, records);
  if (!parsed) return true;
  for (const auto& [number, row] : *parsed) {
    if (row.present > records || row.single > row.present || row.values_min > row.values_max || row.kinds >= 64 ||
        row.values > kMaxCount || row.largest_bytes > kMaxCount || number == UINT32_MAX) {
      return false;
    }
  }
  return TotalsBytes(*parsed) == bytes;
}

TEST_CASE("bytes with any value at any place are refused, or are those of other totals that are possible") {
  const std::vector<uint8_t> bytes = TotalsBytes(SomeTotals());
  int refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      CAPTURE(at);
      CAPTURE(value);
      std::vector<uint8_t> changed = bytes;
      changed[at] = static_cast<uint8_t>(value);
      CHECK(AreRefusedOrExact(changed, 1000));
      refused += !ParseTotals(changed, 1000);
    }
  }
  CHECK(refused > static_cast<int>(bytes.size()) * 64);
}

TEST_CASE("bytes of every shorter length are refused unless they end after a feature, and so are longer ones") {
  const FeatureTotals totals = SomeTotals();
  const std::vector<uint8_t> bytes = TotalsBytes(totals);
  std::vector<size_t> ends = {0};  // of the features
  FeatureTotals first;
  for (const auto& one : totals) {
    first.insert(one);
    ends.push_back(TotalsBytes(first).size());
  }
  for (size_t size = 0; size <= bytes.size(); ++size) {
    CAPTURE(size);
    const auto parsed = ParseTotals(ByteView(bytes).first(size), 1000);
    const bool at_end = std::find(ends.begin(), ends.end(), size) != ends.end();
    CHECK(parsed.has_value() == at_end);
    CHECK(AreRefusedOrExact({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}, 1000));
  }
  for (int value = 0; value < 256; ++value) {
    std::vector<uint8_t> longer = bytes;
    longer.push_back(static_cast<uint8_t>(value));
    CHECK_FALSE(ParseTotals(longer, 1000));
  }
}

TEST_CASE("random bytes are refused, or are those of totals") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<uint8_t> bytes(random() % 40);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random() & (round % 2 == 0 ? 0xff : 0x83));
    CHECK(AreRefusedOrExact(bytes, random() % 200));
  }
}

TEST_CASE("totals that no shard has are refused") {
  struct Row {
    const char* what;
    std::vector<uint64_t> values;  // number, kinds, present, values, values_min, values_max, single, largest_bytes
    bool sound = false;
  };
  const std::vector<uint64_t> one = {0, 2, 9, 9, 1, 1, 9, 3};
  const auto with = [&](size_t at, uint64_t value) {
    std::vector<uint64_t> values = one;
    values[at] = value;
    return values;
  };
  const auto twice = [&](uint64_t distance) {
    std::vector<uint64_t> values = with(0, 5);
    values.insert(values.end(), one.begin(), one.end());
    values[8] = distance;
    return values;
  };
  const Row rows[] = {
      {"nothing is wrong", one, true},
      {"the greatest number", with(0, UINT32_MAX - 1), true},
      {"a number that stands for none", with(0, UINT32_MAX)},
      {"a number of more than 32 bits", with(0, uint64_t{1} << 32)},
      {"a kind that does not exist", with(1, 64)},
      {"kinds of more than a byte", with(1, 258)},
      {"as many records as the shard", with(2, 10), true},
      {"more records than the shard", with(2, 11)},
      {"2^64 - 1 records", with(2, UINT64_MAX)},
      {"more values than SQLite can count", with(3, kMaxCount + 1)},
      {"fewest values above most values", with(4, 2)},
      {"fewest values of more than 32 bits", with(4, uint64_t{1} << 32)},
      {"most values of more than 32 bits", with(5, uint64_t{1} << 32)},
      {"more records with one value than records", with(6, 10)},
      {"a largest value of more bytes than SQLite can count", with(7, kMaxCount + 1)},
      {"the next feature", twice(0), true},
      {"the last feature after it", twice(UINT32_MAX - 1 - 6), true},
      {"a feature after the last one", twice(UINT32_MAX - 6)},
      {"a distance that would lead back to the same feature", twice(UINT64_MAX)},
      {"a distance that would lead back to a feature before", twice(UINT64_MAX - 3)},
      {"a distance that would lead back in 32 bits", twice(UINT32_MAX)},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(ParseTotals(Varints(row.values), 10).has_value() == row.sound);
  }
}

TEST_CASE("a varint that is longer than it must be is refused") {
  std::vector<uint8_t> bytes = TotalsBytes({{3, RowOf(2, 9, 9, 1, 1, 9, 3)}});
  bytes[0] |= 0x80;
  bytes.insert(bytes.begin() + 1, 0);
  CHECK_FALSE(ParseTotals(bytes, 10));
}

TEST_CASE("merged totals are those of all records") {
  FeatureRow all;
  MergeTotals(RowOf(2, 3, 12, 2, 7, 0, 5), all);
  CHECK(FeatureFields(all) == FeatureFields(RowOf(2, 3, 12, 2, 7, 0, 5)));
  MergeTotals(RowOf(0, 0, 0, 0, 0, 0, 0), all);  // of records that do not have the feature: no minimum
  CHECK(FeatureFields(all) == FeatureFields(RowOf(2, 3, 12, 2, 7, 0, 5)));
  MergeTotals(RowOf(32, 4, 5, 1, 2, 3, 0), all);
  CHECK(FeatureFields(all) == FeatureFields(RowOf(34, 7, 17, 1, 7, 3, 5)));
}

}  // namespace
}  // namespace ofindex
