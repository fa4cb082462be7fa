#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "query/tables/groups/grouped_rows.h"
#include "query/tables/ordered_scan.h"
#include "tests/query/columns_in_memory.h"

namespace ofindex {
namespace {

constexpr uint32_t kCaptionBlocks = 40;
constexpr uint32_t kCaptionsPerBlock = 20;
constexpr size_t kCaptionBytes = 60'000;
constexpr uint32_t kCaptionColumn = 4;  // after the records' own columns

// Records with distinct long texts.
std::unique_ptr<ColumnStore> Captions() {
  FeatureInMemory caption{"caption", {}};
  for (uint32_t i = 0; i < kCaptionBlocks * kCaptionsPerBlock; ++i) {
    caption.cells.emplace_back(Strings({std::to_string(i * 7919 % 1000) + std::string(kCaptionBytes, 'x')}));
  }
  const ColumnChoice named{.mode = ColumnChoice::Mode::kNamed, .names = {"caption"}};
  return std::make_unique<ColumnStore>(
      std::make_unique<ColumnsInMemory>(std::vector{caption}, std::vector<uint32_t>(kCaptionBlocks, kCaptionsPerBlock),
                                        named),
      ColumnStoreOptions{.threads = 2});
}

/// A limit that all scans share, and how it was used.
struct SharedLimit {
  uint64_t limit = UINT64_MAX;
  uint64_t held = 0;
  uint64_t most = 0;
  uint64_t asked = 0;  // times

  WorkLimits limits() {
    return {.hold = [this](uint64_t before, uint64_t now) {
      ++asked;
      if (now > before && now - before > limit - held) return false;
      held = held - before + now;
      most = std::max(most, held);
      return true;
    }};
  }
};

const GroupedScan kByCaption = {.request = {.keys = {{.column = kCaptionColumn}}, .arguments = {}}};

TEST_CASE("groups of long texts ask for room again and again, and free it at their end") {
  const auto store = Captions();
  SharedLimit shared;
  const WorkLimits limits = shared.limits();
  ArmedGroup armed;
  {
    GroupedRows rows(*store, limits, armed);
    REQUIRE(rows.Begin(kByCaption, {}).has_value());
    CHECK(shared.held > kCaptionBlocks * kCaptionsPerBlock * kCaptionBytes);
    CHECK(shared.asked >= kCaptionBlocks * kCaptionsPerBlock * kCaptionBytes >> 24);
    REQUIRE(rows.Begin(kByCaption, {}).has_value());
    CHECK(shared.most < 3 * kCaptionBlocks * kCaptionsPerBlock * kCaptionBytes);
    while (!rows.done()) REQUIRE(rows.Next().has_value());
    CHECK(shared.held == 0);
    REQUIRE(rows.Begin(kByCaption, {}).has_value());
  }
  CHECK(shared.held == 0);
}

TEST_CASE("scans that are open at the same time share the limit") {
  const auto store = Captions();
  SharedLimit shared;
  WorkLimits limits = shared.limits();
  ArmedGroup armed;
  GroupedRows first(*store, limits, armed);
  REQUIRE(first.Begin(kByCaption, {}).has_value());
  shared.limit = shared.held + shared.held / 2;
  GroupedRows second(*store, limits, armed);
  const auto begun = second.Begin(kByCaption, {});
  REQUIRE_FALSE(begun.has_value());
  CHECK(begun.error().code == ErrorCode::kLimit);
  while (!first.done()) REQUIRE(first.Next().has_value());
  CHECK(second.Begin(kByCaption, {}).has_value());
}

TEST_CASE("an order by long texts counts the texts that it holds, and only while it looks for records") {
  const auto store = Captions();
  const RecordsPlan plan = {.arguments = {}, .order = {{.column = kCaptionColumn}}, .wanted = 50};
  SharedLimit shared;
  const WorkLimits limits = shared.limits();
  RecordsScan scan(*store, limits);
  OrderedScan ordered(*store, limits, scan);
  REQUIRE(ordered.Begin(plan, {}).has_value());
  CHECK(shared.most > 50 * kCaptionBytes);
  CHECK(shared.most < 4 * 50 * kCaptionBytes + (uint64_t{2} << 20));
  CHECK(shared.held < 50 * 64);
  ordered.Stop();
  CHECK(shared.held == 0);
  shared.limit = 20 * kCaptionBytes;
  const auto begun = ordered.Begin(plan, {});
  REQUIRE_FALSE(begun.has_value());
  CHECK(begun.error().code == ErrorCode::kLimit);
}

}  // namespace
}  // namespace ofindex
