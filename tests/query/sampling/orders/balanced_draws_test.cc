#include "query/sampling/orders/balanced_draws.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "query/columns/value_order.h"
#include "query/sampling/columns/column_classes.h"
#include "query/sampling/orders/sample_key.h"
#include "tests/query/columns_in_memory.h"
#include "tests/query/sampling/chi_square.h"

namespace ofindex {
namespace {

const uint64_t kKey = SampleKey(42, 0, SampleUse::kDraws);
constexpr uint32_t kNone = BalancedClasses::kNone;

Result<std::shared_ptr<const BalancedClasses>> Make(const std::vector<uint32_t>& class_of, uint32_t classes,
                                                    double temperature) {
  return BalancedClasses::Make(classes, temperature, [&](const BalancedClasses::Take& take) -> Result<void> {
    const auto half = class_of.size() / 2;
    take(std::span(class_of).first(half));
    take(std::span(class_of).subspan(half));
    return {};
  });
}

BalancedDraws Draws(const std::vector<uint32_t>& class_of, uint32_t classes, double temperature) {
  auto made = Make(class_of, classes, temperature);
  REQUIRE_MESSAGE(made.has_value(), made.error().message);
  return {*made, kKey};
}

// Returns the classes of items, with the given counts, in no particular order.
std::vector<uint32_t> Mixed(const std::vector<uint64_t>& counts) {
  std::vector<uint32_t> class_of;
  for (uint32_t c = 0; c < counts.size(); ++c) class_of.insert(class_of.end(), counts[c], c);
  for (size_t i = class_of.size(); i > 1; --i) std::swap(class_of[i - 1], class_of[Below(Mix64(i), i)]);
  return class_of;
}

std::vector<uint64_t> Drawn(const BalancedDraws& draws, size_t count) {
  std::vector<uint64_t> drawn(count);
  draws.Fill(0, 1, drawn);
  return drawn;
}

TEST_CASE("all classes are drawn equally often, and no member again before all of its class") {
  const std::vector<uint64_t> counts = {1, 5, 0, 100, 17};
  const std::vector<uint32_t> class_of = Mixed(counts);
  const BalancedDraws draws = Draws(class_of, 5, kInfiniteTemperature);
  std::vector<uint64_t> of_class(5);
  std::vector<uint64_t> of_item(class_of.size());
  for (const uint64_t item : Drawn(draws, 4000)) {
    const uint32_t c = class_of[item];
    REQUIRE(of_item[item] == of_class[c] / counts[c]);  // the earlier passes
    ++of_item[item];
    ++of_class[c];
  }
  CHECK(of_class == std::vector<uint64_t>{1000, 1000, 0, 1000, 1000});
}

TEST_CASE("a temperature of 1 draws every item once before any a second time") {
  const std::vector<uint32_t> class_of = Mixed({3, 50, 12, 400});
  const BalancedDraws draws = Draws(class_of, 4, 1);
  std::vector<uint64_t> drawn = Drawn(draws, class_of.size());
  std::sort(drawn.begin(), drawn.end());
  std::vector<uint64_t> all(class_of.size());
  std::iota(all.begin(), all.end(), 0);
  CHECK(drawn == all);
}

TEST_CASE("temperatures in between draw in proportion to roots of the counts") {
  const std::vector<uint64_t> counts = {1, 16, 81, 10'000};
  const std::vector<uint32_t> class_of = Mixed(counts);
  for (const double temperature : {1.5, 2.0, 3.0, 5.0, 100.0}) {
    CAPTURE(temperature);
    const auto classes = Make(class_of, 4, temperature);
    REQUIRE(classes.has_value());
    const Deal& deal = (*classes)->deal();
    CHECK(deal.cycle() == uint64_t{1} << 20);
    double total = 0;
    for (const uint64_t count : counts) total += std::pow(static_cast<double>(count), 1 / temperature);
    for (uint32_t c = 0; c < 4; ++c) {
      const double due = std::pow(static_cast<double>(counts[c]), 1 / temperature) / total * 1048576;
      CHECK(std::abs(static_cast<double>(deal.slots(c)) - due) < 1.01);
    }
  }
}

TEST_CASE("integer roots equal those of floating point") {
  std::vector<uint64_t> counts = {1, 2, 3, 1000, 999'999, 123'456'789, uint64_t{1} << 32, (uint64_t{1} << 48) - 1};
  for (const double temperature : {1.25, 2.0, 3.0, 7.5, 1e6}) {
    CAPTURE(temperature);
    const std::vector<uint64_t> weights = ClassWeights(counts, temperature);
    const auto greatest = static_cast<long double>(counts.back());
    for (size_t c = 0; c < counts.size(); ++c) {
      const long double share =
          std::pow(static_cast<long double>(counts[c]) / greatest,
                   std::nearbyint(4294967296.0L / static_cast<long double>(temperature)) / 4294967296.0L);
      CHECK(static_cast<double>(std::abs(static_cast<long double>(weights[c]) / 1099511627776.0L - share)) <
            static_cast<double>(share) * 0x1p-30 + 0x1p-40);
    }
  }
}

TEST_CASE("class weights never change") {
  const std::vector<uint64_t> counts = {0, 1, 2, 10, 1000};
  CHECK(ClassWeights(counts, 1) == counts);
  CHECK(ClassWeights(counts, kInfiniteTemperature) == std::vector<uint64_t>{0, 1, 1, 1, 1});
  CHECK(ClassWeights(counts, 2) == std::vector<uint64_t>{0, 34769610576, 49171654835, 109951162777, 1099511627776});
  CHECK(ClassWeights(counts, 3.7) == std::vector<uint64_t>{0, 169976552159, 204997457149, 316708183945, 1099511627776});
  CHECK(ClassWeights(std::vector<uint64_t>{0, 0}, 2) == std::vector<uint64_t>{0, 0});
}

TEST_CASE("each pass of a class has its own order") {
  const std::vector<uint32_t> class_of(100, 0);
  const BalancedDraws draws = Draws(class_of, 1, kInfiniteTemperature);
  uint64_t same = 0;
  for (uint64_t i = 0; i < 1000; ++i) same += draws.At(i) == draws.At(i + 100) ? 1U : 0U;
  CHECK(same < 40);  // 10 are expected
}

TEST_CASE("within a class, each member is equally likely at any position") {
  const BalancedDraws draws = Draws(Mixed({6, 3}), 2, kInfiniteTemperature);
  const auto six = Make(Mixed({6, 3}), 2, kInfiniteTemperature);
  std::vector<uint64_t> counts(36);
  for (uint64_t i = 0; i < 240'000; ++i) {
    const auto [party, number] = draws.ClassAt(i);
    if (party != 0) continue;
    for (uint64_t k = 0; k < 6; ++k) counts[number % 6 * 6 + k] += draws.At(i) == (*six)->member(0, k) ? 1U : 0U;
  }
  CHECK(ChiSquareDeviations(counts, std::vector<double>(36, 1.0)) < 4);
}

TEST_CASE("items without a class are never drawn") {
  const BalancedDraws draws = Draws({kNone, 0, kNone, 1, 1, kNone}, 2, kInfiniteTemperature);
  for (const uint64_t item : Drawn(draws, 100)) CHECK((item == 1 || item == 3 || item == 4));
}

TEST_CASE("draws computed in batches equal those computed one by one") {
  for (const double temperature : {1.0, 2.0, kInfiniteTemperature}) {
    const BalancedDraws draws = Draws(Mixed({1, 2, 30, 400}), 4, temperature);
    for (const uint64_t first : {uint64_t{0}, uint64_t{12'345}, uint64_t{1} << 60}) {
      for (const uint64_t step : {uint64_t{1}, uint64_t{8}}) {
        std::vector<uint64_t> batch(600);
        draws.Fill(first, step, batch);
        for (size_t i = 0; i < batch.size(); ++i) CHECK(batch[i] == draws.At(first + i * step));
      }
    }
  }
}

TEST_CASE("balanced draws never change") {
  const std::vector<uint32_t> class_of = {0, 1, 1, 2, 2, 2, 2, 0, 1, 2};
  CHECK(Drawn(Draws(class_of, 3, kInfiniteTemperature), 15) ==
        std::vector<uint64_t>{7, 8, 3, 0, 1, 9, 7, 2, 4, 8, 0, 6, 2, 5, 7});
  CHECK(Drawn(Draws(class_of, 3, 2), 15) == std::vector<uint64_t>{0, 5, 7, 7, 1, 1, 0, 7, 6, 0, 9, 0, 1, 4, 1});
}

TEST_CASE("invalid classes are errors") {
  const struct {
    std::vector<uint32_t> class_of;
    double temperature;
    std::string message;
  } cases[] = {
      {{0, 1}, 0.5, "invalid temperature; expected at least 1"},
      {{0, 1}, -1, "invalid temperature; expected at least 1"},
      {{0, 1}, std::nan(""), "invalid temperature; expected at least 1"},
      {{}, 1, "no record has a class, so there is nothing to draw"},
      {{kNone, kNone}, 2, "no record has a class, so there is nothing to draw"},
  };
  for (const auto& c : cases) {
    const auto made = Make(c.class_of, 2, c.temperature);
    REQUIRE(!made.has_value());
    CHECK(made.error().code == ErrorCode::kUsage);
    CHECK(made.error().message == c.message);
  }
  const auto failed = BalancedClasses::Make(1, 1, [](const auto&) { return Fail(ErrorCode::kIo, "no"); });
  REQUIRE(!failed.has_value());
  CHECK(failed.error().message == "no");
}

// A column of all kinds of values, in blocks of 64, 130 and 106 records.
std::vector<std::optional<Cell>> AnyCells() {
  std::vector<std::optional<Cell>> cells;
  for (int i = 0; i < 300; ++i) {
    switch (i % 7) {
      case 0: cells.emplace_back(Ints({i % 5})); break;
      case 1: cells.emplace_back(Doubles({static_cast<double>(i % 4) / 2})); break;
      case 2: cells.emplace_back(std::nullopt); break;
      case 3: cells.emplace_back(Texts({"t" + std::to_string(i % 6)})); break;
      case 4: cells.emplace_back(Texts({std::string("\xff") + std::to_string(i % 3)})); break;
      case 5: cells.emplace_back(Floats({i % 2 == 0 ? -0.0 : std::numeric_limits<double>::quiet_NaN()})); break;
      default: cells.emplace_back(Ints({std::numeric_limits<int64_t>::max() - i % 2})); break;
    }
  }
  return cells;
}

struct Classes {
  ColumnsInMemory columns;
  ColumnStore store{std::make_unique<ColumnsInMemory>(columns), ColumnStoreOptions{}};
  uint64_t records;
  Result<ColumnClasses> classes;

  explicit Classes(std::vector<std::optional<Cell>> cells, uint64_t of)
      : columns({FeatureInMemory{"c", std::move(cells)}}, {64, 130, 106}),
        records(of),
        classes(ColumnClasses::Read(store, column(), of)) {}

  Column column() const {
    for (const Column& one : store.columns()) {
      if (one.name == "c") return one;
    }
    return {};
  }
};

TEST_CASE("the classes of a column are its values in SQLite's order, and every record has the class of its value") {
  for (const uint64_t records : std::vector<uint64_t>{300, 299, 194, 100, 64, 1, 0}) {
    CAPTURE(records);
    Classes data(AnyCells(), records);
    REQUIRE(data.classes.has_value());
    const ColumnClasses& classes = *data.classes;
    std::vector<uint64_t> counts(classes.size());
    uint64_t next = 0;
    const auto visited = classes.ForEach(data.store, [&](uint64_t first, std::span<const uint32_t> some) {
      CHECK(first == next);
      for (const uint32_t number : some) {
        const ColumnValue value = data.columns.Expected(data.column(), next++);
        REQUIRE((number == ColumnClasses::kNone) == (value.type == ColumnValue::Type::kNull));
        if (number == ColumnClasses::kNone) continue;
        CHECK(CompareValues(classes.value(number), value) == 0);
        ++counts[number];
      }
    });
    REQUIRE(visited.has_value());
    CHECK(next == records);
    for (uint32_t c = 0; c < classes.size(); ++c) {
      CHECK(counts[c] == classes.count(c));
      CHECK(counts[c] > 0);
      if (c > 0) CHECK(CompareValues(classes.value(c - 1), classes.value(c)) < 0);
    }
  }
}

TEST_CASE("classes have the type of the column") {
  const auto of = [](const Cell& cell) {
    Classes data(std::vector<std::optional<Cell>>(300, cell), 300);
    REQUIRE(data.classes.has_value());
    REQUIRE(data.classes->size() == 1);
    CHECK(data.classes->count(0) == 300);
    return data.classes->value(0);
  };
  CHECK(of(Ints({3})) == ValueOf(Ints({3}), 0));
  CHECK(of(Doubles({3})) == ValueOf(Doubles({3}), 0));
  CHECK(of(Floats({0.5})) == ValueOf(Floats({0.5}), 0));
  CHECK(of(Texts({"a"})) == ValueOf(Texts({"a"}), 0));
  CHECK(of(Texts({"\xff"})) == ValueOf(Texts({"\xff"}), 0));
}

TEST_CASE("a value that no record has belongs to no class") {
  Classes data(AnyCells(), 300);
  REQUIRE(data.classes.has_value());
  CHECK(data.classes->Find(ViewOf(ValueOf(Ints({99}), 0))) == ColumnClasses::kNone);
  CHECK(data.classes->Find(ViewOf(ValueOf(Doubles({0.125}), 0))) == ColumnClasses::kNone);
  CHECK(data.classes->Find(ViewOf(ValueOf(Doubles({1e300}), 0))) == ColumnClasses::kNone);
  CHECK(data.classes->Find(ViewOf(ValueOf(Texts({"x"}), 0))) == ColumnClasses::kNone);
  CHECK(data.classes->Find({}) == ColumnClasses::kNone);
  CHECK(data.classes->Find(ViewOf(ValueOf(Doubles({1}), 0))) == data.classes->Find(ViewOf(ValueOf(Ints({1}), 0))));
}

TEST_CASE("missing records have no class") {
  const Classes data(AnyCells(), 301);
  REQUIRE(!data.classes.has_value());
  CHECK(data.classes.error().code == ErrorCode::kOutOfRange);
}

}  // namespace
}  // namespace ofindex
