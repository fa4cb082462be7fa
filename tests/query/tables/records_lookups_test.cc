#include "query/tables/records_lookups.h"

#include <doctest/doctest.h>

#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

constexpr uint32_t kLabelBlocks = 5;
constexpr uint32_t kLabelsPerBlock = 20;

// Records whose label is their ordinal modulo 3.
std::unique_ptr<ColumnStore> LabelledStore() {
  FeatureInMemory label{"label", {}};
  for (uint32_t i = 0; i < kLabelBlocks * kLabelsPerBlock; ++i) label.cells.emplace_back(Ints({i % 3}));
  return std::make_unique<ColumnStore>(
      std::make_unique<ColumnsInMemory>(std::vector{label}, std::vector<uint32_t>(kLabelBlocks, kLabelsPerBlock)),
      ColumnStoreOptions{});
}

Constraint Equal(uint32_t column, int64_t value) {
  return {.column = column, .op = Op::kEq, .values = {{.type = ColumnValue::Type::kInteger, .integer = value}}};
}

// Asks until the column is indexed, and returns the next answer.
Result<std::optional<AscendingRows>> AskOften(RecordsLookups& lookups, const Constraint& constraint) {
  Result<std::optional<AscendingRows>> found = std::nullopt;
  for (int i = 0; i < 20 && found && !*found; ++i) found = lookups.Find({&constraint, 1});
  return found;
}

TEST_CASE("building an index checks for cancellation before each block, in both passes") {
  const auto store = LabelledStore();
  const uint32_t label = static_cast<uint32_t>(store->columns().size()) - 2;  // before _hash
  int asked = 0;
  const WorkLimits counting{.may_continue = [&] { return ++asked > 0; }};
  RecordsLookups lookups(*store, counting);
  const auto found = AskOften(lookups, Equal(label, 1));
  REQUIRE(found.has_value());
  CHECK((*found)->max_size() == 33);
  CHECK(asked == 2 * kLabelBlocks);
}

TEST_CASE("stopping while an index is built is an error, and the index is built on the next request") {
  const auto store = LabelledStore();
  const uint32_t label = static_cast<uint32_t>(store->columns().size()) - 2;  // before _hash
  for (int stop = 1; stop <= static_cast<int>(2 * kLabelBlocks); ++stop) {
    CAPTURE(stop);
    int asked = 0;
    const WorkLimits stopping{.may_continue = [&] { return ++asked != stop; }};
    RecordsLookups lookups(*store, stopping);
    const auto stopped = AskOften(lookups, Equal(label, 1));
    REQUIRE_FALSE(stopped.has_value());
    CHECK(stopped.error().code == ErrorCode::kInterrupted);
    CHECK(asked == stop);
    CHECK(lookups.Find(std::vector{Equal(label, 1)}).value()->max_size() == 33);
  }
}

TEST_CASE("a record requested by its _id needs no index, whatever the other constraints") {
  const auto store = LabelledStore();
  const uint32_t label = static_cast<uint32_t>(store->columns().size()) - 2;  // before _hash
  const WorkLimits limits{.may_continue = [] { return false; }};
  RecordsLookups lookups(*store, limits);
  for (int64_t id = -2; id < int64_t{kLabelBlocks * kLabelsPerBlock} + 2; ++id) {
    const auto found = lookups.Find(std::vector{Equal(label, 1), Equal(0, id)});
    REQUIRE(found.has_value());
    CHECK((*found)->max_size() == (id >= 0 && id < int64_t{kLabelBlocks * kLabelsPerBlock} ? 1 : 0));
  }
}

TEST_CASE("without memory for an index, records are found by scanning") {
  const auto store = LabelledStore();
  const uint32_t label = static_cast<uint32_t>(store->columns().size()) - 2;  // before _hash
  const WorkLimits limits{.has_room = [](uint64_t) { return false; }};
  RecordsLookups lookups(*store, limits);
  const auto found = AskOften(lookups, Equal(label, 1));
  REQUIRE(found.has_value());
  CHECK_FALSE(found->has_value());
}

}  // namespace
}  // namespace ofindex
