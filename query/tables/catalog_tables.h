#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/catalog/shared_catalog.h"
#include "index/columns/column.h"
#include "query/tables/values/work_limits.h"

struct sqlite3;

namespace ofindex {

/// The contents of an index's small tables. A value type.
struct Catalog {
  std::vector<ShardRow> shards;
  std::vector<FeatureRow> features;
  std::vector<BadRow> bad;
  std::vector<DamageRow> damage;
};

/// Reads the catalog of an open index, whose features and attached columns are `features`. Errors: kIndex, kIo, kStale.
[[nodiscard]] Result<Catalog> ReadCatalog(SharedCatalog& shared, const std::vector<FeatureRow>& features);

/// Names of the tables that RegisterCatalogTables registers.
inline constexpr std::string_view kCatalogTables[] = {"shards", "features", "bad", "damage"};

/// Makes the catalog readable on `db` as tables `shards`, `features`, `bad` and `damage`, whose columns are the keys of
/// `ofindex info --json`. They exist under these names without CREATE, and cannot be written. In a path, bytes that SQL
/// text cannot hold become \xNN; a feature name with such bytes is a BLOB. Rows are found by path, name, record and
/// shard without a scan. `schema` is as in RegisterTable() (query/tables/values/table_module.h).
/// Errors: kLimit if SQLite has no memory.
[[nodiscard]] Result<void> RegisterCatalogTables(sqlite3* db, std::shared_ptr<const Catalog> catalog,
                                                 WorkLimits limits = {}, const std::string& schema = {});

}  // namespace ofindex
