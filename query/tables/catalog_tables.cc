#include "query/tables/catalog_tables.h"

#include <sqlite3.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/allocation.h"
#include "base/text.h"
#include "query/tables/equality_index.h"
#include "query/tables/values/sql_values.h"
#include "query/tables/values/table_module.h"

namespace ofindex {
namespace {

constexpr double kRowsPerShared = 10;  // a guess: one row in this many has the value that is looked up

// One cell, passed to SQLite. It lives as long as the catalog, which lives as long as the connection.

void Put(sqlite3_context* context, uint64_t number) {
  sqlite3_result_int64(context, static_cast<sqlite3_int64>(number));
}

void Put(sqlite3_context* context, std::string_view bytes) {
  const char* const data = bytes.data() == nullptr ? "" : bytes.data();
  if (IsText(AsBytes(bytes))) return sqlite3_result_text64(context, data, bytes.size(), SQLITE_STATIC, SQLITE_UTF8);
  sqlite3_result_blob64(context, data, bytes.size(), SQLITE_STATIC);
}

void PutCopy(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// As in `_shard` of `records`.
std::string PathText(const Catalog& catalog, size_t shard) {
  if (shard >= catalog.shards.size()) return {};
  const std::string& path = catalog.shards[shard].path;
  return IsText(AsBytes(path)) ? path : Printable(path);
}

void PutPath(sqlite3_context* context, const Catalog& catalog, size_t shard) {
  if (shard >= catalog.shards.size()) return;
  const std::string& path = catalog.shards[shard].path;
  return IsText(AsBytes(path)) ? Put(context, std::string_view(path)) : PutCopy(context, PathText(catalog, shard));
}

void PutShard(sqlite3_context* context, const Catalog& catalog, size_t row, int column) {
  const ShardRow& shard = catalog.shards[row];
  switch (column) {
    case 0: return PutPath(context, catalog, row);
    case 1: return Put(context, Name(shard.framing));
    case 2: return Put(context, Name(shard.compression));
    case 3: return Put(context, Name(shard.payload));
    case 4: return Put(context, shard.records);
    case 5: return Put(context, shard.identity.size);
    default: return Put(context, shard.payload_bytes);
  }
}

void PutFeature(sqlite3_context* context, const Catalog& catalog, size_t row, int column) {
  const FeatureRow& feature = catalog.features[row];
  switch (column) {
    case 0: return Put(context, feature.name);
    case 1: return PutCopy(context, KindNames(feature.kinds));
    case 2: return Put(context, feature.present);
    case 3: return Put(context, uint64_t{feature.values_min});
    case 4: return Put(context, uint64_t{feature.values_max});
    default: break;
  }
  const std::string text = column == 5 ? MainColumn(feature) : column == 6 ? MainType(feature) : feature.origin;
  if (!text.empty()) PutCopy(context, text);
}

void PutBad(sqlite3_context* context, const Catalog& catalog, size_t row, int column) {
  const BadRow& bad = catalog.bad[row];
  switch (column) {
    case 0: return Put(context, bad.record);
    case 1: return PutPath(context, catalog, bad.shard);
    case 2: return Put(context, bad.offset);
    default: return Put(context, Name(bad.reason));
  }
}

void PutDamage(sqlite3_context* context, const Catalog& catalog, size_t row, int column) {
  const DamageRow& damage = catalog.damage[row];
  switch (column) {
    case 0: return PutPath(context, catalog, damage.shard);
    case 1: return Put(context, damage.range.begin);
    case 2: return Put(context, damage.range.end);
    default: return Put(context, Name(damage.range.reason));
  }
}

/// A column by which rows are found. If `bytes` is missing, it holds the numbers of bad records.
struct Key {
  int column;
  bool unique;
  std::string (*bytes)(const Catalog& catalog, size_t row);
};

constexpr Key kShardPath = {0, true, PathText};
constexpr Key kFeatureName = {0, true, [](const Catalog& catalog, size_t row) { return catalog.features[row].name; }};
constexpr Key kBadRecord = {0, true, nullptr};
constexpr Key kBadShard = {
    1, false, [](const Catalog& catalog, size_t row) { return PathText(catalog, catalog.bad[row].shard); }};
constexpr Key kDamageShard = {
    0, false, [](const Catalog& catalog, size_t row) { return PathText(catalog, catalog.damage[row].shard); }};

constexpr size_t kMaxKeys = 2;

/// The lookup of rows without a full scan: the key, and whether by a list of its values.
struct Way {
  size_t key;
  bool is_list;

  [[nodiscard]] int Encode() const { return 1 + 2 * static_cast<int>(key) + (is_list ? 1 : 0); }
  [[nodiscard]] static Way Decode(int code) {
    return {.key = static_cast<size_t>(code - 1) / 2, .is_list = (code - 1) % 2 != 0};
  }
};

/// One table: its declaration for SQLite, its cells, and the keys that find its rows.
struct TableKind {
  const char* name;
  const char* declaration;
  size_t (*rows)(const Catalog& catalog);
  void (*put)(sqlite3_context* context, const Catalog& catalog, size_t row, int column);
  std::array<const Key*, kMaxKeys> keys;
};

constexpr TableKind kTables[] = {
    {"shards",
     "CREATE TABLE x(path TEXT, format TEXT, compression TEXT, payload TEXT, records INTEGER, bytes INTEGER, "
     "payload_bytes INTEGER)",
     [](const Catalog& catalog) { return catalog.shards.size(); },
     PutShard,
     {&kShardPath}},
    {"features",
     "CREATE TABLE x(name TEXT, kinds TEXT, present INTEGER, values_min INTEGER, values_max INTEGER, \"column\" TEXT, "
     "type TEXT, origin TEXT)",
     [](const Catalog& catalog) { return catalog.features.size(); },
     PutFeature,
     {&kFeatureName}},
    {"bad",
     "CREATE TABLE x(record INTEGER, shard TEXT, \"offset\" INTEGER, reason TEXT)",
     [](const Catalog& catalog) { return catalog.bad.size(); },
     PutBad,
     {&kBadRecord, &kBadShard}},
    {"damage",
     "CREATE TABLE x(shard TEXT, \"begin\" INTEGER, \"end\" INTEGER, reason TEXT)",
     [](const Catalog& catalog) { return catalog.damage.size(); },
     PutDamage,
     {&kDamageShard}},
};

/// The data that a module is registered with, held by each of its tables.
struct CatalogModule {
  const TableKind* kind;
  std::shared_ptr<const Catalog> catalog;
  WorkLimits limits;

  [[nodiscard]] size_t rows() const { return kind->rows(*catalog); }
};

Result<std::optional<EqualityIndex>> IndexOf(const CatalogModule& of, const Key& key) {
  return EqualityIndex::Build(of.rows(), of.limits, [&](const EqualityIndex::Take& take) -> Result<void> {
    OFINDEX_TRY(of.limits.Check());
    for (size_t row = 0; row < of.rows(); ++row) {
      if (key.bytes == nullptr) {
        const auto record = static_cast<int64_t>(of.catalog->bad[row].record);
        take(row, {.type = ColumnValue::Type::kInteger, .integer = record});
        continue;
      }
      const std::string bytes = key.bytes(*of.catalog, row);
      take(row, {.type = ColumnValue::Type::kText, .bytes = AsBytes(bytes)});
    }
    return {};
  });
}

struct CatalogTable : sqlite3_vtab {
  explicit CatalogTable(const CatalogModule& registered) : sqlite3_vtab(), of(registered) {}

  /// Returns the rows that may have `value`, or one of its values, in the column of a key; nothing without an index.
  [[nodiscard]] Result<std::optional<AscendingRows>> Find(Way way, sqlite3_value* value) {
    const size_t number = way.key;
    if (!tried[number]) {
      OFINDEX_ASSIGN(indexes[number], IndexOf(of, *of.kind->keys[number]));
      tried[number] = true;
    }
    if (!indexes[number]) return std::nullopt;
    std::vector<ColumnValue> readings;
    const auto take = [&](sqlite3_value* one) -> Result<void> {
      OFINDEX_ASSIGN(const std::vector<ColumnValue> more, ElementsOf(one));
      readings.insert(readings.end(), more.begin(), more.end());
      return {};
    };
    if (way.is_list) {
      OFINDEX_TRY(ForEachIn(value, take));
    } else {
      OFINDEX_TRY(take(value));
    }
    return indexes[number]->Find(readings);
  }

  CatalogModule of;
  std::array<bool, kMaxKeys> tried = {};
  std::array<std::optional<EqualityIndex>, kMaxKeys> indexes;  // by key, once it was used
};

struct CatalogCursor : sqlite3_vtab_cursor {
  explicit CatalogCursor(CatalogTable& t) : sqlite3_vtab_cursor(), table(t) {}

  void Advance() {
    if (!found) {
      ++row;
    } else {
      row = found->Take().value_or(UINT64_MAX);
    }
  }

  CatalogTable& table;
  std::optional<AscendingRows> found;  // the remaining rows, unless all were asked for
  uint64_t row = 0;
};

CatalogTable& CatalogTableOf(sqlite3_vtab* table) { return *static_cast<CatalogTable*>(table); }
CatalogCursor& CatalogCursorOf(sqlite3_vtab_cursor* cursor) { return *static_cast<CatalogCursor*>(cursor); }

int ConnectCatalog(sqlite3* db, void* data, int, const char* const*, sqlite3_vtab** table, char**) {
  const auto& registered = *static_cast<const CatalogModule*>(data);
  if (const int result = sqlite3_declare_vtab(db, registered.kind->declaration); result != SQLITE_OK) return result;
  const Result<void> made = WithMemory("a table", [&]() -> Result<void> {
    *table = new CatalogTable(registered);
    return {};
  });
  return made ? SQLITE_OK : SQLITE_NOMEM;
}

int DisconnectCatalog(sqlite3_vtab* table) {
  delete &CatalogTableOf(table);
  return SQLITE_OK;
}

// Returns whether rows are found by constraint `i`, an equality with `key`.
bool IsFoundBy(sqlite3_index_info* info, int i, const Key& key) {
  const auto& constraint = info->aConstraint[i];
  return constraint.usable != 0 && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ && constraint.iColumn == key.column &&
         sqlite3_stricmp(sqlite3_vtab_collation(info, i), "BINARY") == 0 && InOf(info, i) != InKind::kMaybe;
}

// SQLite repeats the comparison for the rows that the table finds, since the comparison may not use the affinity of the
// column. The values of an IN are taken all at once: if the table took them one by one, SQLite would compare each as if
// the other side had no affinity.
int BestIndexCatalog(sqlite3_vtab* table, sqlite3_index_info* info) {
  const CatalogModule& of = CatalogTableOf(table).of;
  auto rows = static_cast<double>(of.rows());
  info->estimatedCost = rows + 1;
  for (size_t k = kMaxKeys; k-- > 0;) {
    const Key* const key = of.kind->keys[k];
    for (int i = 0; key != nullptr && i < info->nConstraint; ++i) {
      if (!IsFoundBy(info, i, *key)) continue;
      const bool is_list = InOf(info, i) == InKind::kIn;
      for (int other = 0; other < info->nConstraint; ++other) info->aConstraintUsage[other].argvIndex = 0;
      info->aConstraintUsage[i].argvIndex = 1;
      info->idxNum = Way{.key = k, .is_list = is_list}.Encode();
      rows = key->unique ? 1 : static_cast<double>(of.rows()) / kRowsPerShared;
      info->estimatedCost = rows + EqualityIndex::kLookupCost;
    }
  }
  info->estimatedRows = static_cast<sqlite3_int64>(rows) + 1;
  return SQLITE_OK;
}

int OpenCatalog(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
  return Guarded(table, [&]() -> Result<void> {
    *cursor = new CatalogCursor(CatalogTableOf(table));
    return {};
  });
}

int CloseCatalog(sqlite3_vtab_cursor* cursor) {
  delete &CatalogCursorOf(cursor);
  return SQLITE_OK;
}

int FilterCatalog(sqlite3_vtab_cursor* base, int way, const char*, int, sqlite3_value** values) {
  return Guarded(base->pVtab, [&]() -> Result<void> {
    CatalogCursor& cursor = CatalogCursorOf(base);
    cursor.found.reset();
    cursor.row = 0;
    if (way == 0) return {};
    OFINDEX_ASSIGN(cursor.found, cursor.table.Find(Way::Decode(way), values[0]));
    if (!cursor.found) return {};
    cursor.found->Begin(false);
    cursor.Advance();
    return {};
  });
}

int NextCatalog(sqlite3_vtab_cursor* cursor) {
  CatalogCursorOf(cursor).Advance();
  return SQLITE_OK;
}

int EofCatalog(sqlite3_vtab_cursor* cursor) {
  return CatalogCursorOf(cursor).row >= CatalogTableOf(cursor->pVtab).of.rows() ? 1 : 0;
}

int ColumnCatalog(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  return Guarded(base->pVtab, [&]() -> Result<void> {
    const CatalogCursor& cursor = CatalogCursorOf(base);
    cursor.table.of.kind->put(context, *cursor.table.of.catalog, cursor.row, column);
    return {};
  });
}

int RowidCatalog(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = static_cast<sqlite3_int64>(CatalogCursorOf(cursor).row);
  return SQLITE_OK;
}

// Without xCreate, a table exists under the name of its module; without xUpdate, it is read-only.
constexpr sqlite3_module MakeCatalogModule(decltype(sqlite3_module::xCreate) create) {
  sqlite3_module module{};
  module.xCreate = create;
  module.xDestroy = DisconnectCatalog;
  module.xConnect = ConnectCatalog;
  module.xDisconnect = DisconnectCatalog;
  module.xBestIndex = BestIndexCatalog;
  module.xOpen = OpenCatalog;
  module.xClose = CloseCatalog;
  module.xFilter = FilterCatalog;
  module.xNext = NextCatalog;
  module.xEof = EofCatalog;
  module.xColumn = ColumnCatalog;
  module.xRowid = RowidCatalog;
  return module;
}
constexpr sqlite3_module kCatalogModule = MakeCatalogModule(nullptr);
constexpr sqlite3_module kAttachedCatalogModule = MakeCatalogModule(ConnectCatalog);

}  // namespace

Result<Catalog> ReadCatalog(SharedCatalog& shared, const std::vector<FeatureRow>& features) {
  Catalog catalog;
  catalog.shards = shared.shards();
  catalog.features = FeaturesByName(features);
  OFINDEX_ASSIGN(catalog.bad, shared.Bad());
  OFINDEX_ASSIGN(catalog.damage, shared.Damage());
  return catalog;
}

Result<void> RegisterCatalogTables(sqlite3* db, std::shared_ptr<const Catalog> catalog, WorkLimits limits,
                                   const std::string& schema) {
  for (const TableKind& kind : kTables) {
    auto* const registered = new CatalogModule{&kind, catalog, limits};
    const auto destroy = [](void* data) { delete static_cast<CatalogModule*>(data); };
    const sqlite3_module& module = schema.empty() ? kCatalogModule : kAttachedCatalogModule;
    OFINDEX_TRY(RegisterTable(db, schema, kind.name, module, registered, destroy));
  }
  return {};
}

}  // namespace ofindex
