#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/column_store.h"
#include "query/equality_index.h"
#include "query/value_filter.h"

namespace ofindex {

/// Finds the records that a comparison with `=`, IS or IN may select, for joins and correlated subqueries, which ask
/// for one value after the other. A column that is asked for again and again is indexed, once. Not thread-safe; the
/// store must outlive it.
class RecordsLookups {
 public:
  explicit RecordsLookups(ColumnStore& store) : store_(&store) {}

  /// Returns ordinals, ascending, among which are all records that meet all `constraints`; nothing where a scan does
  /// as well. Errors: kIndex, kIo, kLimit.
  [[nodiscard]] Result<std::optional<std::vector<uint64_t>>> Find(std::span<const Constraint> constraints);

 private:
  /// What is known of one column.
  struct Lookup {
    int scans = 0;
    bool tried = false;
    std::optional<EqualityIndex> index;
  };

  [[nodiscard]] Result<std::optional<std::vector<uint64_t>>> FindOne(const Constraint& constraint);
  [[nodiscard]] std::vector<uint64_t> Ordinals(const Constraint& constraint) const;

  ColumnStore* store_;
  std::map<uint32_t, Lookup> lookups_;  // by the number of the column
};

}  // namespace ofindex
