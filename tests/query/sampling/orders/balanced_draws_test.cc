#include "query/sampling/orders/balanced_draws.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "query/sampling/orders/sample_key.h"
#include "tests/query/sampling/chi_square.h"

namespace ofindex {
namespace {

const uint64_t kDrawsKey = SampleKey(42, 0, SampleUse::kDraws);
constexpr uint32_t kNone = BalancedClasses::kNone;

Result<std::shared_ptr<const BalancedClasses>> BalancedClassesOf(const std::vector<uint32_t>& class_of,
                                                                 uint32_t classes, double temperature) {
  return BalancedClasses::Make(classes, temperature, [&](const BalancedClasses::Take& take) -> Result<void> {
    const auto half = class_of.size() / 2;
    take(std::span(class_of).first(half));
    take(std::span(class_of).subspan(half));
    return {};
  });
}

BalancedDraws BalancedDrawsOf(const std::vector<uint32_t>& class_of, uint32_t classes, double temperature) {
  auto made = BalancedClassesOf(class_of, classes, temperature);
  REQUIRE_MESSAGE(made.has_value(), made.error().message);
  return {*made, kDrawsKey};
}

// Returns the classes of items, with the given counts, in no particular order.
std::vector<uint32_t> MixedClasses(const std::vector<uint64_t>& counts) {
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

TEST_CASE("all classes are drawn equally often, and each member once before any member of its class is repeated") {
  const std::vector<uint64_t> counts = {1, 5, 0, 100, 17};
  const std::vector<uint32_t> class_of = MixedClasses(counts);
  const BalancedDraws draws = BalancedDrawsOf(class_of, 5, kInfiniteTemperature);
  std::vector<uint64_t> of_class(5);
  std::vector<uint64_t> of_item(class_of.size());
  for (const uint64_t item : Drawn(draws, 4000)) {
    const uint32_t c = class_of[item];
    REQUIRE(of_item[item] == of_class[c] / counts[c]);  // as often as its class had complete passes before
    ++of_item[item];
    ++of_class[c];
  }
  CHECK(of_class == std::vector<uint64_t>{1000, 1000, 0, 1000, 1000});
}

TEST_CASE("a temperature of 1 draws every item once before it draws any item again") {
  const std::vector<uint32_t> class_of = MixedClasses({3, 50, 12, 400});
  const BalancedDraws draws = BalancedDrawsOf(class_of, 4, 1);
  std::vector<uint64_t> drawn = Drawn(draws, class_of.size());
  std::sort(drawn.begin(), drawn.end());
  std::vector<uint64_t> all(class_of.size());
  std::iota(all.begin(), all.end(), 0);
  CHECK(drawn == all);
}

TEST_CASE("temperatures between 1 and infinity draw classes in proportion to roots of their counts") {
  const std::vector<uint64_t> counts = {1, 16, 81, 10'000};
  const std::vector<uint32_t> class_of = MixedClasses(counts);
  for (const double temperature : {1.5, 2.0, 3.0, 5.0, 100.0}) {
    CAPTURE(temperature);
    const auto classes = BalancedClassesOf(class_of, 4, temperature);
    REQUIRE(classes.has_value());
    const Interleave& interleave = (*classes)->interleave();
    CHECK(interleave.cycle() == uint64_t{1} << 20);
    double total = 0;
    for (const uint64_t count : counts) total += std::pow(static_cast<double>(count), 1 / temperature);
    for (uint32_t c = 0; c < 4; ++c) {
      const double due = std::pow(static_cast<double>(counts[c]), 1 / temperature) / total * 1048576;
      CHECK(std::abs(static_cast<double>(interleave.slots(c)) - due) < 1.01);
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
  const BalancedDraws draws = BalancedDrawsOf(class_of, 1, kInfiniteTemperature);
  uint64_t same = 0;
  for (uint64_t i = 0; i < 1000; ++i) same += draws.At(i) == draws.At(i + 100) ? 1U : 0U;
  CHECK(same < 40);  // 10 are expected
}

TEST_CASE("within a class, each member is equally likely at any position") {
  const BalancedDraws draws = BalancedDrawsOf(MixedClasses({6, 3}), 2, kInfiniteTemperature);
  const auto six = BalancedClassesOf(MixedClasses({6, 3}), 2, kInfiniteTemperature);
  std::vector<uint64_t> counts(36);
  for (uint64_t i = 0; i < 240'000; ++i) {
    const auto [party, number] = draws.ClassAt(i);
    if (party != 0) continue;
    for (uint64_t k = 0; k < 6; ++k) counts[number % 6 * 6 + k] += draws.At(i) == (*six)->member(0, k) ? 1U : 0U;
  }
  CHECK(ChiSquareDeviations(counts, std::vector<double>(36, 1.0)) < 4);
}

TEST_CASE("items without a class are never drawn") {
  const BalancedDraws draws = BalancedDrawsOf({kNone, 0, kNone, 1, 1, kNone}, 2, kInfiniteTemperature);
  for (const uint64_t item : Drawn(draws, 100)) CHECK((item == 1 || item == 3 || item == 4));
}

TEST_CASE("draws computed in batches equal those computed one by one") {
  for (const double temperature : {1.0, 2.0, kInfiniteTemperature}) {
    const BalancedDraws draws = BalancedDrawsOf(MixedClasses({1, 2, 30, 400}), 4, temperature);
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
  CHECK(Drawn(BalancedDrawsOf(class_of, 3, kInfiniteTemperature), 15) ==
        std::vector<uint64_t>{7, 8, 3, 0, 1, 9, 7, 2, 4, 8, 0, 6, 2, 5, 7});
  CHECK(Drawn(BalancedDrawsOf(class_of, 3, 2), 15) ==
        std::vector<uint64_t>{0, 5, 7, 7, 1, 1, 0, 7, 6, 0, 9, 0, 1, 4, 1});
}

TEST_CASE("invalid classes are errors") {
  const struct {
    std::vector<uint32_t> class_of;
    double temperature;
    std::string message;
  } cases[] = {
      {{0, 1}, 0.5, "temperature: expected a number of at least 1"},
      {{0, 1}, -1, "temperature: expected a number of at least 1"},
      {{0, 1}, std::nan(""), "temperature: expected a number of at least 1"},
      {{}, 1, "balance: no record has a value, so there is nothing to draw"},
      {{kNone, kNone}, 2, "balance: no record has a value, so there is nothing to draw"},
  };
  for (const auto& c : cases) {
    const auto made = BalancedClassesOf(c.class_of, 2, c.temperature);
    REQUIRE(!made.has_value());
    CHECK(made.error().code == ErrorCode::kUsage);
    CHECK(made.error().message == c.message);
  }
  const auto failed = BalancedClasses::Make(1, 1, [](const auto&) { return Fail(ErrorCode::kIo, "no"); });
  REQUIRE(!failed.has_value());
  CHECK(failed.error().message == "no");
}

}  // namespace
}  // namespace ofindex
