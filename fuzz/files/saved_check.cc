#include <string>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/files/file_checks.h"
#include "fuzz/files/saved_shards_check.h"
#include "fuzz/input.h"
#include "index/columns/distinct_sketch.h"
#include "index/columns/feature_totals.h"
#include "index/resume/saved_block.h"
#include "query/sampling/sets/ordinal_set.h"

namespace ofindex {
namespace {

void CheckSavedBlock(ByteView bytes) {
  const std::optional<BuiltBlock> block = ParseSavedBlock(bytes);
  if (!block) return;
  std::vector<uint8_t> written;
  AppendSaved(*block, written);
  const std::optional<BuiltBlock> again = ParseSavedBlock(written);
  Expect(again.has_value(), "a saved block that cannot be read again");
  std::vector<uint8_t> twice;
  AppendSaved(*again, twice);
  Expect(twice == written, "a saved block that is read otherwise once it is written again");
}

void CheckSavedFindings(ByteView bytes) {
  const std::optional<ShardFindings> findings = ParseSavedFindings(bytes);
  if (!findings) return;
  std::vector<uint8_t> again;
  AppendSaved(*findings, again);
  Expect(ParseSavedFindings(again).has_value(), "saved findings that cannot be read again");
}

void CheckTotals(ByteView bytes, uint64_t records) {
  const std::optional<FeatureTotals> totals = ParseTotals(bytes, records);
  if (!totals) return;
  const std::vector<uint8_t> again = TotalsBytes(*totals);
  Expect(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "totals that are written otherwise");
  FeatureRow sum;
  uint64_t present = 0;
  for (const auto& [number, row] : *totals) {
    MergeTotals(row, sum);
    present += row.present;
    Expect(row.present == 0 || sum.values_max >= row.values_max, "a sum of totals that is less than one of them");
  }
  Expect(sum.present == present, "a sum of totals without some of them");
}

// A set of records, as a view is pickled.
void CheckOrdinalSet(ByteView bytes) {
  const Result<OrdinalSet> set = OrdinalSet::Parse(bytes);
  if (!IsThere(set)) return;
  const std::vector<uint8_t> again = set->Serialize();
  Expect(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()), "a set that is written otherwise");
  Expect(set->Fingerprint() == OrdinalSet::Parse(again)->Fingerprint(), "a set with two fingerprints");
  uint64_t number = 0;
  set->ForEach([&](uint64_t ordinal) {
    Expect(set->Contains(ordinal) && set->Rank(ordinal) == number && set->Select(number) == ordinal, "member ", number,
           " is not where it is");
    return ++number < 2000;
  });
  Expect(number == set->size() || number == 2000, "a set of another size");
}

}  // namespace

void CheckSaved(ByteView bytes) {
  FuzzInput input(bytes);
  const uint8_t choice = input.Byte();
  if (choice == UINT8_MAX) return CheckSavedShards(input);
  const unsigned what = choice % 4;
  const uint64_t records = what == 2 ? input.Number(3) : 0;
  const ByteView rest = input.Rest();
  const std::vector<uint8_t> exact(rest.begin(), rest.end());
  switch (what) {
    case 0: return CheckSavedBlock(exact);
    case 1: return CheckSavedFindings(exact);
    case 2: return CheckTotals(exact, records);
    default: return CheckOrdinalSet(exact);
  }
}

}  // namespace ofindex
