#include "query/sampling/columns/split.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "query/columns/value_order.h"
#include "query/sampling/columns/value_key.h"
#include "query/sampling/orders/interleave.h"
#include "query/sampling/orders/sample_key.h"
#include "tests/query/columns_in_memory.h"
#include "tests/query/sampling/chi_square.h"

namespace ofindex {
namespace {

const std::vector<SplitPart> kThree = {{"train", 0.8}, {"val", 0.1}, {"test", 0.1}};

// Blocks of 700 records; every third record of a user is NULL in `user`, and `label` gets a new value now and then.
struct Data {
  ColumnStore store;

  explicit Data(uint32_t records) : store(Make(records), ColumnStoreOptions{}) {}

  static std::unique_ptr<ColumnsInMemory> Make(uint32_t records) {
    FeatureInMemory user{"user", {}}, label{"label", {}}, pair{"pair", {}};
    for (uint32_t i = 0; i < records; ++i) {
      const int64_t number = i * 7919 % 500;
      user.cells.emplace_back(i % 3 == 0   ? std::optional<Cell>()
                              : i % 2 == 0 ? Ints({number})
                                           : Doubles({static_cast<double>(number)}));
      label.cells.emplace_back(i % 11 == 0 ? std::optional<Cell>() : Strings({"class " + std::to_string(LabelOf(i))}));
      pair.cells.emplace_back(Ints({1, 2}));
    }
    std::vector<uint32_t> blocks(records / 700, 700);
    if (records % 700 != 0) blocks.push_back(records % 700);
    return std::make_unique<ColumnsInMemory>(
        std::vector{user, label, pair}, blocks,
        ColumnChoice{.mode = ColumnChoice::Mode::kNamed, .names = {"label", "pair", "user"}});
  }

  static uint64_t LabelOf(uint64_t i) { return i % 7 < 4 ? 0 : i % 7 < 6 ? 1 : 2 + i / 1000; }

  [[nodiscard]] Column column(const std::string& name) const {
    for (const Column& one : store.columns()) {
      if (one.name == name) return one;
    }
    return {};
  }

  std::vector<uint32_t> Parts(uint64_t records, const SplitOptions& options) {
    std::vector<uint32_t> all;
    const auto done = ForEachPart(store, records, options, [&](uint64_t first, std::span<const uint32_t> parts) {
      CHECK(first == all.size());
      all.insert(all.end(), parts.begin(), parts.end());
    });
    REQUIRE_MESSAGE(done.has_value(), done.error().message);
    CHECK(all.size() == records);
    return all;
  }

  SplitOptions ByOrdinal(uint64_t seed = 1) const { return {.parts = kThree, .seed = seed, .key = {}, .stratify = {}}; }
  SplitOptions ByUser(uint64_t seed = 1) const {
    return {.parts = kThree, .seed = seed, .key = column("user"), .stratify = {}};
  }
  SplitOptions ByBoth(uint64_t seed = 1) const {
    return {.parts = kThree, .seed = seed, .key = column("user"), .stratify = column("label")};
  }
  SplitOptions ByLabel(uint64_t seed = 1) const {
    return {.parts = kThree, .seed = seed, .key = {}, .stratify = column("label")};
  }
};

std::vector<uint64_t> CountsOfParts(const std::vector<uint32_t>& parts, size_t count) {
  std::vector<uint64_t> counts(count + 1);
  for (const uint32_t part : parts) ++counts[part == kNoPart ? count : part];
  return counts;
}

TEST_CASE("the parts have the requested fractions of the records") {
  Data data(20'000);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    CHECK(ChiSquareDeviations(CountsOfParts(data.Parts(20'000, data.ByOrdinal(seed)), 3), {0.8, 0.1, 0.1, 0}) < 4.5);
  }
  SplitOptions some = data.ByOrdinal();
  some.parts = {{"a", 0.25}, {"b", 0.001}, {"c", 0.5}};
  CHECK(ChiSquareDeviations(CountsOfParts(data.Parts(20'000, some), 3), {0.25, 0.001, 0.5, 0.249}) < 4.5);
}

TEST_CASE("leftover records are in no part, and there are none if the fractions sum to 1") {
  Data data(20'000);
  const struct {
    std::vector<double> fractions;
    bool rest;
  } cases[] = {
      {{1}, false},
      {{0.8, 0.1, 0.1}, false},
      {{0.1, 0.2, 0.3, 0.4}, false},
      {std::vector<double>(1000, 0.001), false},
      {{1.0 / 3, 1.0 / 3, 1.0 / 3}, false},
      {{0.5, 0.5 + 5e-10}, false},
      {{0.5}, true},
      {{0.9, 0.09}, true},
  };
  for (const auto& c : cases) {
    for (SplitOptions options : {data.ByOrdinal(), data.ByUser(), data.ByLabel(), data.ByBoth()}) {
      options.parts.clear();
      for (const double fraction : c.fractions) {
        options.parts.push_back({"part " + std::to_string(options.parts.size()), fraction});
      }
      CHECK((CountsOfParts(data.Parts(20'000, options), c.fractions.size()).back() > 0) == c.rest);
    }
  }
}

TEST_CASE("the split of the first records does not change when records are appended") {
  Data all(9'100);
  for (const uint32_t records : std::vector<uint32_t>{1, 699, 700, 701, 4000, 9099}) {
    CAPTURE(records);
    Data some(records);
    for (const auto& [of_all, of_some] :
         {std::pair{all.ByOrdinal(), some.ByOrdinal()}, std::pair{all.ByUser(), some.ByUser()},
          std::pair{all.ByLabel(), some.ByLabel()}}) {
      std::vector<uint32_t> parts = all.Parts(9'100, of_all);
      parts.resize(records);
      CHECK(some.Parts(records, of_some) == parts);
      CHECK(all.Parts(records, of_all) == parts);
    }
  }
}

TEST_CASE("records with the same key are in the same part, and records without a key are split one by one") {
  Data data(20'000);
  const std::vector<uint32_t> parts = data.Parts(20'000, data.ByUser());
  const std::vector<uint32_t> by_ordinal = data.Parts(20'000, data.ByOrdinal());
  std::map<uint64_t, uint32_t> part_of;
  for (uint64_t i = 0; i < parts.size(); ++i) {
    if (i % 3 == 0) {
      CHECK(parts[i] == by_ordinal[i]);
    } else {
      CHECK(part_of.emplace(i * 7919 % 500, parts[i]).first->second == parts[i]);
    }
  }
  std::vector<uint32_t> of_keys;
  for (const auto& [key, part] : part_of) of_keys.push_back(part);
  CHECK(of_keys.size() == 500);
  CHECK(ChiSquareDeviations(CountsOfParts(of_keys, 3), {0.8, 0.1, 0.1, 0}) < 4.5);
}

TEST_CASE("the records of each value are split in proportion, exactly at the end of each cycle") {
  Data data(20'000);
  const std::vector<uint32_t> parts = data.Parts(20'000, data.ByLabel());
  std::map<std::string, std::vector<uint32_t>> of_label;
  for (uint64_t i = 0; i < parts.size(); ++i) {
    of_label[i % 11 == 0 ? "" : std::to_string(Data::LabelOf(i))].push_back(parts[i]);
  }
  CHECK(of_label.size() == 23);
  for (auto& entry : of_label) {
    CAPTURE(entry.first);
    std::vector<uint32_t>& own = entry.second;
    while (own.size() % 10 != 0) own.pop_back();
    CHECK(CountsOfParts(own, 3) == std::vector<uint64_t>{own.size() / 10 * 8, own.size() / 10, own.size() / 10, 0});
  }
}

TEST_CASE("groups stay whole and each class has its shares, to within the records of one group in each class") {
  Data data(20'000);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<uint32_t> parts = data.Parts(20'000, data.ByBoth(seed));
    std::map<uint64_t, uint32_t> part_of;
    std::map<std::string, std::vector<double>> of_label;
    std::map<std::pair<uint64_t, std::string>, double> of_group;
    for (uint64_t i = 0; i < parts.size(); ++i) {
      const std::string label = i % 11 == 0 ? "" : std::to_string(Data::LabelOf(i));
      auto& counts = of_label[label];
      counts.resize(4);
      ++counts[parts[i] == kNoPart ? 3 : parts[i]];
      if (i % 3 == 0) continue;  // without a key
      ++of_group[{i * 7919 % 500, label}];
      CHECK(part_of.emplace(i * 7919 % 500, parts[i]).first->second == parts[i]);
    }
    double most = 0;
    for (const auto& [group, count] : of_group) most = std::max(most, count);
    for (const auto& entry : of_label) {
      CAPTURE(entry.first);  // clang 14 captures no structured binding
      const auto& counts = entry.second;
      const double all = counts[0] + counts[1] + counts[2];
      CHECK(counts[3] == 0);
      for (uint32_t p = 0; p < 3; ++p) CHECK(std::abs(counts[p] - kThree[p].fraction * all) <= most + 2);
    }
  }
}

TEST_CASE("groups whose classes differ are divided much closer to the shares than by their hashes") {
  // Group g has 1 + g % 40 records, most of them of one class.
  FeatureInMemory user{"user", {}}, label{"label", {}};
  for (int64_t g = 0; g < 300; ++g) {
    for (int64_t i = 0; i <= g % 40; ++i) {
      user.cells.emplace_back(Ints({g}));
      label.cells.emplace_back(Ints({i % 9 == 8 ? 3 : g % 3}));
    }
  }
  const auto records = static_cast<uint32_t>(user.cells.size());
  ColumnStore store(std::make_unique<ColumnsInMemory>(std::vector{user, label}, std::vector{records}), {});
  const auto deviation = [&](const SplitOptions& options) {
    const auto sets = Split(store, records, options).value();
    double sum = 0;
    for (size_t p = 0; p < sets.size(); ++p) {
      for (int64_t c = 0; c < 4; ++c) {
        double all = 0, own = 0;
        for (uint64_t i = 0; i < records; ++i) {
          if (CellValue(*label.cells[i], 0).integer != c) continue;
          ++all;
          if (sets[p].Contains(i)) ++own;
        }
        sum += std::abs(own - options.parts[p].fraction * all);
      }
    }
    return sum / records;
  };
  const auto column = [&](const char* name) {
    for (const Column& one : store.columns()) {
      if (one.name == name) return one;
    }
    return Column{};
  };
  for (uint64_t seed = 0; seed < 5; ++seed) {
    SplitOptions options{.parts = kThree, .seed = seed, .key = column("user"), .stratify = column("label")};
    const double both = deviation(options);
    options.stratify.reset();
    CHECK(both < 0.01);
    CHECK(both < deviation(options) / 3);
  }
}

TEST_CASE("the parts have their shares of the records even if each group has a class of its own") {
  FeatureInMemory user{"user", {}};
  for (int64_t i = 0; i < 10'000; ++i) user.cells.emplace_back(Ints({i % 100}));
  ColumnStore store(std::make_unique<ColumnsInMemory>(std::vector{user}, std::vector{10'000U}), {});
  const Column column = store.columns()[4];
  REQUIRE(column.name == "user");
  const auto sets = Split(store, 10'000, {.parts = kThree, .seed = 3, .key = column, .stratify = column}).value();
  CHECK(sets[0].size() == 8000);
  CHECK(sets[1].size() == 1000);
  CHECK(sets[2].size() == 1000);
}

TEST_CASE("the records of each value are interleaved with a separate key") {
  Data data(20'000);
  const std::vector<uint32_t> parts = data.Parts(20'000, data.ByLabel());
  std::vector<uint32_t> first, second;
  for (uint64_t i = 0; i < parts.size(); ++i) {
    if (i % 11 != 0 && Data::LabelOf(i) < 2) (Data::LabelOf(i) == 0 ? first : second).push_back(parts[i]);
  }
  uint64_t same = 0;
  for (size_t i = 0; i < second.size(); ++i) same += first[i] == second[i] ? 1U : 0U;
  CHECK(std::abs(static_cast<double>(same) / static_cast<double>(second.size()) - 0.66) < 0.03);
}

TEST_CASE("a different seed gives a different split") {
  Data data(5'000);
  CHECK(data.Parts(5'000, data.ByOrdinal(1)) == data.Parts(5'000, data.ByOrdinal(1)));
  CHECK(data.Parts(5'000, data.ByOrdinal(1)) != data.Parts(5'000, data.ByOrdinal(2)));
  CHECK(data.Parts(5'000, data.ByUser(1)) != data.Parts(5'000, data.ByUser(2)));
  CHECK(data.Parts(5'000, data.ByLabel(1)) != data.Parts(5'000, data.ByLabel(2)));
  CHECK(data.Parts(5'000, data.ByBoth(1)) == data.Parts(5'000, data.ByBoth(1)));
  CHECK(data.Parts(5'000, data.ByBoth(1)) != data.Parts(5'000, data.ByBoth(2)));
}

TEST_CASE("the sets of a split hold the records of the parts") {
  Data data(9'100);
  for (SplitOptions options : {data.ByOrdinal(), data.ByUser(), data.ByLabel(), data.ByBoth()}) {
    options.parts.pop_back();
    const std::vector<uint32_t> parts = data.Parts(9'000, options);
    const auto sets = Split(data.store, 9'000, options);
    REQUIRE(sets.has_value());
    REQUIRE(sets->size() == 2);
    for (uint32_t part = 0; part < 2; ++part) {
      std::vector<uint64_t> members, expected;
      (*sets)[part].ForEach([&](uint64_t ordinal) {
        members.push_back(ordinal);
        return true;
      });
      for (uint64_t i = 0; i < parts.size(); ++i) {
        if (parts[i] == part) expected.push_back(i);
      }
      CHECK(members == expected);
    }
  }
}

TEST_CASE("invalid splits are errors") {
  Data data(1'000);
  const struct {
    std::string what;
    void (*change)(const Data& data, SplitOptions& options);
    std::string message;
  } cases[] = {
      {"no part", [](const Data&, SplitOptions& o) { o.parts.clear(); }, "a split into 0 parts; expected 1 to 1000"},
      {"too many",
       [](const Data&, SplitOptions& o) {
         o.parts.assign(1001, {"a", 1e-4});
       },
       "a split into 1,001 parts; expected 1 to 1000"},
      {"no name", [](const Data&, SplitOptions& o) { o.parts[1].name = ""; }, "part '': expected a name"},
      {"one name twice", [](const Data&, SplitOptions& o) { o.parts[2].name = "val"; },
       "part 'val': named twice; expected each name once"},
      {"nothing", [](const Data&, SplitOptions& o) { o.parts[0].fraction = 0; },
       "part 'train': expected a fraction above 0 and at most 1"},
      {"less than nothing", [](const Data&, SplitOptions& o) { o.parts[1].fraction = -0.5; },
       "part 'val': expected a fraction above 0 and at most 1"},
      {"no number", [](const Data&, SplitOptions& o) { o.parts[1].fraction = std::nan(""); },
       "part 'val': expected a fraction above 0 and at most 1"},
      {"too much at once", [](const Data&, SplitOptions& o) { o.parts[1].fraction = 1.5; },
       "part 'val': expected a fraction above 0 and at most 1"},
      {"too much in all", [](const Data&, SplitOptions& o) { o.parts[1].fraction = 0.11; },
       "the fractions of 3 parts sum up to more than 1; expected at most 1"},
      {"a key of lists, stratified",
       [](const Data& d, SplitOptions& o) {
         o.key = d.column("pair");
         o.stratify = d.column("label");
       },
       "column 'pair' has lists; a key needs one value per record"},
      {"a key of lists", [](const Data& d, SplitOptions& o) { o.key = d.column("pair"); },
       "column 'pair' has lists; a key needs one value per record"},
      {"strata of lists", [](const Data& d, SplitOptions& o) { o.stratify = d.column("pair"); },
       "column 'pair' has lists; a stratum needs one value per record"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    SplitOptions options = data.ByOrdinal();
    c.change(data, options);
    const auto sets = Split(data.store, 1'000, options);
    REQUIRE(!sets.has_value());
    CHECK(sets.error().code == ErrorCode::kUsage);
    CHECK(sets.error().message == c.message);
  }
  for (const SplitOptions& options : {data.ByOrdinal(), data.ByUser(), data.ByLabel(), data.ByBoth()}) {
    const auto sets = Split(data.store, 1'001, options);
    REQUIRE(!sets.has_value());
    CHECK(sets.error().code == ErrorCode::kOutOfRange);
  }
}

TEST_CASE("a split can be cancelled") {
  Data data(1'000);
  const std::atomic<bool> cancel{true};
  for (SplitOptions options : {data.ByOrdinal(), data.ByUser(), data.ByLabel(), data.ByBoth()}) {
    options.cancel = &cancel;
    const auto sets = Split(data.store, 1'000, options);
    REQUIRE(!sets.has_value());
    CHECK(sets.error().code == ErrorCode::kInterrupted);
  }
}

TEST_CASE("two values have the same key exactly if they are equal in SQL") {
  const std::vector<ColumnValue> values = {
      {},
      CellValue(Ints({0}), 0),
      CellValue(Ints({1}), 0),
      CellValue(Ints({-1}), 0),
      CellValue(Doubles({0.0}), 0),
      CellValue(Doubles({-0.0}), 0),
      CellValue(Doubles({1.0}), 0),
      CellValue(Doubles({0.5}), 0),
      CellValue(Doubles({-0x1p63}), 0),
      CellValue(Ints({std::numeric_limits<int64_t>::min()}), 0),
      CellValue(Ints({std::numeric_limits<int64_t>::max()}), 0),
      CellValue(Doubles({0x1p63}), 0),
      CellValue(Doubles({std::numeric_limits<double>::infinity()}), 0),
      CellValue(Strings({""}), 0),
      CellValue(Strings({"1"}), 0),
      CellValue(Strings({"a"}), 0),
      CellValue(Strings({"\xff"}), 0),
  };
  for (const ColumnValue& a : values) {
    for (const ColumnValue& b : values) {
      CHECK((ValueKey(ViewOf(a)) == ValueKey(ViewOf(b))) == (CompareValues(a, b) == 0));
    }
  }
}

TEST_CASE("keys of values never change") {
  CHECK(ValueKey({}) == 5197578548964807871U);
  CHECK(ValueKey(ViewOf(CellValue(Ints({1}), 0))) == 13348605231272514382U);
  CHECK(ValueKey(ViewOf(CellValue(Doubles({0.5}), 0))) == 4059137903693352066U);
  CHECK(ValueKey(ViewOf(CellValue(Strings({"cat"}), 0))) == 11190819452860339023U);
  CHECK(ValueKey(ViewOf(CellValue(Strings({"\xff"}), 0))) == 5000166006196689759U);
}

TEST_CASE("splits never change") {
  Data data(700);
  const auto shown = [&](const SplitOptions& options) {
    std::string parts;
    for (const uint32_t part : data.Parts(60, options)) parts += part == kNoPart ? "-" : std::to_string(part);
    return parts;
  };
  SplitOptions some = data.ByOrdinal();
  some.parts = {{"a", 0.3}, {"b", 0.3}};
  CHECK(shown(some) == "010-00100----01--10-1-1----11-01-00----11-10110-00--10--00--");
  some.key = data.column("user");
  CHECK(shown(some) == "010-0-100--0-----1011-01-1-10-01100--111111001110-1----0-011");
  some.key.reset();
  some.stratify = data.column("label");
  CHECK(shown(some) == "01-0--01--0-101-0011---1100-10-0-11--11-0--1---0-0--0-11001-");
  some.key = data.column("user");
  CHECK(shown(some) == "011101010----0-000---1---1001--1--1100-10-1-1-----00111000-0");
}

}  // namespace
}  // namespace ofindex
