#include "index/output/shard_names.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ofindex {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("the missing shards of a set NAME-SSSSS-of-NNNNN are listed") {
  struct Row {
    Names paths;
    Names missing;
  };
  const std::vector<Row> rows = {
      {{}, {}},                                                             // nothing
      {{"a-00000-of-00002", "a-00001-of-00002"}, {}},                       // complete
      {{"a-00000-of-00003", "a-00002-of-00003"}, {"a-00001-of-00003"}},     // one in the middle
      {{"a-00002-of-00003"}, {"a-00000-of-00003", "a-00001-of-00003"}},     // the first two
      {{"a-0-of-3.tfrecord", "a-2-of-3.tfrecord"}, {"a-1-of-3.tfrecord"}},  // no padding, a suffix
      {{"d/a-1-of-2", "e/a-0-of-2"}, {"d/a-0-of-2", "e/a-1-of-2"}},         // a separate set in each folder
      {{"a-0-of-2", "b-1-of-2"}, {"a-1-of-2", "b-0-of-2"}},                 // two names
      {{"a-0-of-2", "a-0-of-3", "a-2-of-3"}, {"a-1-of-2", "a-1-of-3"}},     // two totals
      {{"a-0-of-2.gz", "a-1-of-2"}, {"a-0-of-2", "a-1-of-2.gz"}},           // two suffixes
      {{"x-of-y-0-of-2"}, {"x-of-y-1-of-2"}},                               // "-of-" in the name
      {{"a-5-of-2"}, {"a-0-of-2", "a-1-of-2"}},                             // a number past the total
      {{"part-0", "part-2"}, {}},                                           // no total, so none is missing
      {{"a-of-3", "-0-of-3x", "a-x-of-3", "a-1-of-", "a1-of-3"},
       {"-1-of-3x", "-2-of-3x"}},             // only one of these names belongs to a set
      {{"a-0-of-0"}, {}},                     // a total of 0
      {{"a-99999999999999999999-of-3"}, {}},  // a number that overflows
      {{"a-0-of-99999999999999999999"}, {}},  // a total that overflows
  };
  for (const Row& row : rows) CHECK(MissingOfSets(row.paths) == row.missing);
}

TEST_CASE("a hostile total does not make the list long") {
  const Names missing = MissingOfSets({"a-00000-of-18446744073709551615", "b-0-of-5000"});
  REQUIRE(missing.size() == 2000);
  CHECK(missing.front() == "a-00001-of-18446744073709551615");
  CHECK(missing[1000] == "b-1-of-5000");
}

}  // namespace
}  // namespace ofindex
