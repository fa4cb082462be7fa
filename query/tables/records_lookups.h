#pragma once

#include <map>
#include <optional>
#include <span>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/filter/value_filter.h"
#include "query/tables/ascending_rows.h"
#include "query/tables/equality_index.h"
#include "query/tables/values/work_limits.h"

namespace ofindex {

/// Finds the records that a comparison with `=`, IS or IN may select, for joins and correlated subqueries, which look
/// up one value after another. A column that is looked up repeatedly is indexed, once. Not thread-safe; the store and
/// the limits must outlive it.
class RecordsLookups {
 public:
  RecordsLookups(ColumnStore& store, const WorkLimits& limits) : store_(&store), limits_(&limits) {}

  /// Returns ordinals that include all records meeting all `constraints`, valid while this lives; nothing if only a
  /// scan finds them. Errors: kIndex, kIo, kLimit, kInterrupted, kStale.
  [[nodiscard]] Result<std::optional<AscendingRows>> Find(std::span<const Constraint> constraints);

 private:
  /// The state of one column.
  struct Lookup {
    int scans = 0;
    bool tried = false;
    std::optional<EqualityIndex> index;
  };

  [[nodiscard]] Result<std::optional<AscendingRows>> FindOne(const Constraint& constraint);
  [[nodiscard]] Result<std::optional<EqualityIndex>> Index(const Column& column) const;
  [[nodiscard]] AscendingRows Ordinals(const Constraint& constraint) const;
  [[nodiscard]] bool AsksForOrdinals(const Constraint& constraint) const;

  ColumnStore* store_;
  const WorkLimits* limits_;
  std::map<uint32_t, Lookup> lookups_;  // by column number
};

}  // namespace ofindex
