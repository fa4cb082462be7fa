#include "query/tables/groups/grouped_scans.h"

#include <doctest/doctest.h>

namespace ofindex {
namespace {

const GroupOffer kByLabel = {.keys = {{.column = 4}}, .promised = true};
const GroupOffer kByHeight = {.keys = {{.column = 5}}, .promised = true};

GroupedScan ScanBy(uint32_t column) { return {.request = {.keys = {{.column = column}}, .arguments = {}}}; }

TEST_CASE("a statement that is prepared as it was explained gets its accepted scans") {
  GroupedScans scans({});
  scans.Explain(false);
  REQUIRE(scans.Take(kByLabel, "!0:4") == 0);
  REQUIRE(scans.Take(kByHeight, "") == 1);
  CHECK(scans.offer(1) == kByHeight);
  scans.Accept(1, ScanBy(5));
  scans.Prepare();
  CHECK_FALSE(scans.Take(kByLabel, "!0:4").has_value());
  CHECK_FALSE(scans.complete());
  const auto number = scans.Take(kByHeight, "");
  REQUIRE(number.has_value());
  CHECK(scans.complete());
  scans.Seal();
  REQUIRE(scans.Find(*number) != nullptr);
  CHECK(scans.Find(*number)->request.keys[0].column == 5);
  CHECK(scans.Find(*number + 1) == nullptr);
}

TEST_CASE("after any other call than in the explanation, no scan is accepted") {
  struct Case {
    const char* what;
    GroupOffer offer;
    const char* plan;
  };
  for (const Case& one : {Case{"other keys", kByHeight, "!0:4"}, Case{"other constraints", kByLabel, "!1:4"}}) {
    CAPTURE(one.what);
    GroupedScans scans({});
    scans.Explain(false);
    for (int i = 0; i < 2; ++i) scans.Accept(scans.Take(kByLabel, "!0:4").value(), ScanBy(4));
    scans.Prepare();
    CHECK_FALSE(scans.Take(one.offer, one.plan).has_value());
    CHECK_FALSE(scans.Take(kByLabel, "!0:4").has_value());
    CHECK_FALSE(scans.complete());
  }
}

TEST_CASE("more calls than in the explanation are not complete") {
  GroupedScans scans({});
  scans.Explain(false);
  scans.Accept(scans.Take(kByLabel, "").value(), ScanBy(4));
  scans.Prepare();
  CHECK(scans.Take(kByLabel, "").has_value());
  CHECK_FALSE(scans.Take(kByLabel, "").has_value());
  CHECK_FALSE(scans.complete());
}

TEST_CASE("an offer that was denied is not made again until the statement is sealed or forgotten") {
  GroupedScans scans({});
  scans.Explain(false);
  CHECK(scans.MayPromise(kByLabel, ""));
  const size_t number = scans.Take(kByLabel, "").value();
  CHECK(scans.Deny(number));
  CHECK_FALSE(scans.Deny(number));
  scans.Explain(false);
  CHECK_FALSE(scans.MayPromise(kByLabel, ""));
  CHECK(scans.MayPromise(kByLabel, "!0:4"));
  CHECK(scans.MayPromise(kByHeight, ""));
  scans.Seal();
  CHECK_FALSE(scans.MayPromise(kByHeight, ""));
  scans.Explain(false);
  CHECK(scans.MayPromise(kByLabel, ""));
}

TEST_CASE("outside explanation and preparation, the table makes no offers") {
  GroupedScans scans({});
  CHECK_FALSE(scans.Take(kByLabel, "").has_value());
  CHECK_FALSE(scans.MayPromise(kByLabel, ""));
  scans.Explain(true);
  CHECK(scans.plain());
  scans.Seal();
  CHECK_FALSE(scans.plain());
  CHECK_FALSE(scans.Take(kByLabel, "").has_value());
}

TEST_CASE("the scans of all open statements are kept, until none is left") {
  GroupedScans scans({});
  std::vector<uint64_t> numbers;
  for (const uint32_t column : {4U, 5U}) {
    scans.Explain(false);
    scans.Accept(scans.Take({.keys = {{.column = column}}}, "").value(), ScanBy(column));
    scans.Prepare();
    numbers.push_back(scans.Take({.keys = {{.column = column}}}, "").value());
    scans.Seal();
  }
  REQUIRE(numbers[0] != numbers[1]);
  CHECK(scans.Find(numbers[0])->request.keys[0].column == 4);
  CHECK(scans.Find(numbers[1])->request.keys[0].column == 5);
  scans.Clear();
  CHECK(scans.Find(numbers[0]) == nullptr);
}

}  // namespace
}  // namespace ofindex
