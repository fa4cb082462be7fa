#include "python/src/records/present_rows.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "python/src/interpreter/errors.h"
#include "python/src/interpreter/interruptible.h"
#include "query/sampling/sets/set_of.h"

namespace ofindex::python {
namespace {

// Returns the records that `source` has now, which has gaps.
const View& PresentOf(const Source& source) {
  if (!source.present) {
    View present = RunInterruptibly([&](const Progress&) -> Result<View> {
      OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, source.dataset.snapshot()->Columns());
      return PresentRecords(*store);
    });
    // Another thread may have set it meanwhile, and may be using it.
    if (!source.present) source.present = std::make_shared<const View>(std::move(present));
  }
  return *source.present;
}

}  // namespace

bool HasGaps(const Source& source, const Rows& rows) {
  return source.dataset.reader().live() != source.dataset.size() && rows.IsAll(source.dataset.size());
}

Rows PresentRows(const Source& source, const Rows& rows) {
  return HasGaps(source, rows) ? Rows(PresentOf(source)) : rows;
}

Rows SliceRows(const Source& source, const Rows& rows, uint64_t start, int64_t step, uint64_t count) {
  if (count == 0 || !HasGaps(source, rows)) return rows.Slice(start, step, count);
  const View& present = PresentOf(source);
  const uint64_t last = start + static_cast<uint64_t>(step) * (count - 1);
  const uint64_t end = present.Below(std::max(start, last) + 1).size();
  const uint64_t begin = std::min(present.Below(std::min(start, last)).size(), end);
  const Rows within(present.Slice(begin, end));
  if (step == 1) return within;
  // All of them are between start and last, so a difference has the sign of `step`.
  Rows::Picks picks;
  const uint64_t stride = step < 0 ? -static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
  for (uint64_t i = 0; i < within.size(); ++i) {
    const uint64_t ordinal = within.At(i);
    if ((step < 0 ? start - ordinal : ordinal - start) % stride == 0) picks.push_back(ordinal);
  }
  if (step < 0) std::reverse(picks.begin(), picks.end());
  return Rows::Of(std::move(picks));
}

Rows PickRows(const Source& source, const Rows& rows, Rows::Picks indices) {
  if (!HasGaps(source, rows)) return rows.Pick(std::move(indices));
  const View& present = PresentOf(source);
  for (const uint64_t ordinal : indices) {
    // Locate() fails, and names the shard that is missing.
    if (!present.IndexOf(ordinal)) static_cast<void>(Unwrap(source.dataset.reader().Locate(ordinal)));
  }
  return rows.Pick(std::move(indices));
}

}  // namespace ofindex::python
