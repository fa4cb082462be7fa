#include "tools/report_page/extremes.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace ofindex {
namespace {

TEST_CASE("a record at several ends is kept once, with a label for each") {
  ExtremeRecords extremes;
  CHECK(extremes.Add(7, "least a"));
  CHECK(extremes.Add(3, "greatest a"));
  CHECK(extremes.Add(7, "greatest b"));
  REQUIRE(extremes.entries().size() == 2);
  CHECK(extremes.entries()[0].ordinal == 7);
  CHECK(extremes.entries()[0].labels == std::vector<std::string>{"least a", "greatest b"});
  CHECK(extremes.dropped() == 0);
}

TEST_CASE("records and labels are bounded") {
  ExtremeRecords extremes;
  for (uint64_t i = 0; i < ExtremeRecords::kMaxRecords; ++i) CHECK(extremes.Add(i, "end"));
  CHECK_FALSE(extremes.Add(1000, "end"));
  CHECK(extremes.dropped() == 1);
  for (uint64_t i = 0; i < 50; ++i) CHECK(extremes.Add(0, StrCat("end ", i)));
  CHECK(extremes.entries().size() == ExtremeRecords::kMaxRecords);
  CHECK(extremes.entries()[0].labels.size() == ExtremeRecords::kMaxLabels);
  CHECK(extremes.entries()[0].more_labels == 51 - ExtremeRecords::kMaxLabels);
}

}  // namespace
}  // namespace ofindex
