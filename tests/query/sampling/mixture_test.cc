#include "query/sampling/mixture.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "query/sampling/orders/sample_key.h"

namespace ofindex {
namespace {

const uint64_t kMixtureKey = SampleKey(42, 0, SampleUse::kMixture);

Mixture MixtureOf(const std::vector<double>& shares, std::vector<uint64_t> sizes) {
  auto mixture = Mixture::Make(shares, std::move(sizes), kMixtureKey);
  REQUIRE_MESSAGE(mixture.has_value(), mixture.error().message);
  return std::move(*mixture);
}

TEST_CASE("every position of every epoch of a source is drawn exactly once") {
  const Mixture mixture = MixtureOf({0.5, 0.3, 0.2}, {100, 7, 33});
  std::set<std::tuple<uint32_t, uint64_t, uint64_t>> seen;
  std::map<uint32_t, uint64_t> reads;
  for (uint64_t i = 0; i < 10'000; ++i) {
    const auto [source, epoch, position] = mixture.At(i);
    REQUIRE(position < mixture.sizes()[source]);
    REQUIRE(seen.insert({source, epoch, position}).second);
    REQUIRE(mixture.PositionOf({source, epoch, position}) == i);
    ++reads[source];
  }
  CHECK(reads == std::map<uint32_t, uint64_t>{{0, 5000}, {1, 3000}, {2, 2000}});
  for (const auto& [source, epoch, position] : seen) {
    CHECK(epoch * mixture.sizes()[source] + position < reads[source]);  // all numbers up to a cycle's end, none beyond
  }
}

TEST_CASE("each cycle has the exact shares, whatever the sizes of the sources") {
  const Mixture mixture = MixtureOf({2, 1}, {1, 1'000'000});
  for (uint64_t cycle = 0; cycle < 1000; ++cycle) {
    int first = 0;
    for (uint64_t i = 0; i < 3; ++i) first += mixture.At(cycle * 3 + i).source == 0 ? 1 : 0;
    CHECK(first == 2);
  }
}

TEST_CASE("a single source is read in its own order, epoch after epoch") {
  const Mixture mixture = MixtureOf({1}, {10});
  for (uint64_t i = 0; i < 35; ++i) CHECK(mixture.At(i) == MixedPlace{0, i / 10, i % 10});
}

TEST_CASE("a source without a share is never read and may be empty") {
  const Mixture mixture = MixtureOf({1, 0, 1}, {5, 0, 5});
  for (uint64_t i = 0; i < 100; ++i) CHECK(mixture.At(i).source != 1);
}

TEST_CASE("positions computed in batches equal those computed one by one") {
  const Mixture mixture = MixtureOf({0.62, 0.38}, {1000, 77});
  for (const uint64_t first : {uint64_t{0}, uint64_t{12'345}, uint64_t{1} << 60}) {
    for (const uint64_t step : {uint64_t{1}, uint64_t{8}}) {
      std::vector<MixedPlace> batch(600);
      mixture.Fill(first, step, batch);
      for (size_t i = 0; i < batch.size(); ++i) CHECK(batch[i] == mixture.At(first + i * step));
    }
  }
}

TEST_CASE("invalid mixtures are errors") {
  const struct {
    std::vector<double> shares;
    std::vector<uint64_t> sizes;
    std::string message;
  } cases[] = {
      {{1, 1}, {5}, "a mixture has a share for each source; expected 1 shares, got 2"},
      {{1, 1}, {5, 0}, "source 1 of the mixture has no records"},
      {{0, 0}, {5, 5}, "no share of 2 sources is above 0; expected one"},
      {{}, {}, "no share of 0 sources is above 0; expected one"},
  };
  for (const auto& c : cases) {
    const auto mixture = Mixture::Make(c.shares, c.sizes, kMixtureKey);
    REQUIRE(!mixture.has_value());
    CHECK(mixture.error().code == ErrorCode::kUsage);
    CHECK(mixture.error().message == c.message);
  }
}

TEST_CASE("a mixture never changes") {
  const Mixture mixture = MixtureOf({0.5, 0.25, 0.25}, {6, 100, 2});
  std::string places;
  for (uint64_t i = 0; i < 16; ++i) {
    const auto [source, epoch, position] = mixture.At(i);
    places += std::to_string(source) + "/" + std::to_string(epoch) + "/" + std::to_string(position) + " ";
  }
  CHECK(places == "2/0/0 1/0/0 0/0/0 0/0/1 1/0/1 0/0/3 0/0/2 2/0/1 0/0/4 1/0/2 2/1/0 0/0/5 2/1/1 0/1/0 1/0/3 0/1/1 ");
}

}  // namespace
}  // namespace ofindex
