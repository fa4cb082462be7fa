#include "index/catalog/part_facts.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

TEST_CASE("the facts of a part survive as text") {
  PartFacts facts{.first = 2, .last = 3, .of = 7, .inflate = {.checkpoint_bytes = 5, .max_ratio = 6, .max_bytes = 7}};
  facts.job[0] = 0xab;
  std::vector<PartFacts> rows = {facts};
  facts.dropped_from = "";
  rows.push_back(facts);
  facts.dropped_from = std::string("a b\0\xff", 5);
  rows.push_back(facts);
  facts.partial = {{.shard = 0, .begin = 64, .end = 128, .first = 70, .next = 130, .tested = 9}};
  rows.push_back(facts);
  facts.partial.push_back({.shard = 4, .begin = 0, .end = UINT64_MAX, .first = UINT64_MAX, .next = 0, .tested = 0});
  rows.push_back(facts);
  for (const PartFacts& row : rows) {
    CAPTURE(row.Text());
    const auto parsed = PartFacts::Parse(row.Text());
    REQUIRE(parsed.has_value());
    CHECK(*parsed == row);
  }
}

TEST_CASE("any other text is no part") {
  const std::string job = std::string(32, '0') + " 5 6 7";
  CHECK(PartFacts::Parse("1 1 2 " + job + " -").has_value());
  for (const std::string& text : std::vector<std::string>{"",
                                                          " ",
                                                          "1",
                                                          "1 1 2",
                                                          "1 1 2 " + job,
                                                          "1 1 2 " + job + " ",
                                                          "1 1 2 " + job.substr(1) + " -",
                                                          "1 1 2 " + job + " 8 -",
                                                          "0 1 2 " + job + " -",
                                                          "2 1 2 " + job + " -",
                                                          "1 3 2 " + job + " -",
                                                          "1 1 1000001 " + job + " -",
                                                          "1 1 2 " + job + " x1",
                                                          "1 1 2 " + job + " xzz",
                                                          "1 1 2 " + job + " - ",
                                                          "1 1 2 " + job + " - 0 1 2 3 4",
                                                          "1 1 2 " + job + " - 0 2 2 3 4 5",
                                                          "1 1 2 " + job + " - 0 1 2 3 4 -5",
                                                          "1  1 2 " + job + " -",
                                                          "1 01 2 " + job + " -",
                                                          "1 1 2 " + job + " xAB",
                                                          "1 1 2 " + job + " - 0 1 2 3 4 5 0 1 2 3 4 5",
                                                          "1 1 2 " + job + " - 0 1 2 3 4 5 1 1 2 3 4 5 2 1 2 3 4 5"}) {
    CAPTURE(text);
    CHECK_FALSE(PartFacts::Parse(text).has_value());
  }
}

TEST_CASE("a part is described by its numbers") {
  CHECK(Describe(PartFacts{.first = 2, .last = 2, .of = 7}) == "part 2 of 7");
  CHECK(Describe(PartFacts{.first = 2, .last = 5, .of = 7}) == "parts 2 to 5 of 7");
}

}  // namespace
}  // namespace ofindex
