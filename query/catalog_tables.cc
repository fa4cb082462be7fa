#include "query/catalog_tables.h"

#include <sqlite3.h>

#include <new>
#include <utility>

#include "base/allocation.h"
#include "base/text.h"
#include "index/catalog_reader.h"

namespace ofindex {
namespace {

// One cell, given to SQLite. All of it lives as long as the catalog, and that as long as the connection.

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

// As `_shard` of `records` says it.
void PutPath(sqlite3_context* context, const Catalog& catalog, size_t shard) {
  if (shard >= catalog.shards.size()) return;
  const std::string& path = catalog.shards[shard].path;
  return IsText(AsBytes(path)) ? Put(context, std::string_view(path)) : PutCopy(context, Printable(path));
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
  const std::string text = column == 5 ? MainColumn(feature) : MainType(feature);
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

/// One table: how SQLite is told of it, and its cells.
struct TableKind {
  const char* name;
  const char* declaration;
  size_t (*rows)(const Catalog& catalog);
  void (*put)(sqlite3_context* context, const Catalog& catalog, size_t row, int column);
};

constexpr TableKind kTables[] = {
    {"shards",
     "CREATE TABLE x(path TEXT, format TEXT, compression TEXT, payload TEXT, records INTEGER, bytes INTEGER, "
     "payload_bytes INTEGER)",
     [](const Catalog& catalog) { return catalog.shards.size(); }, PutShard},
    {"features",
     "CREATE TABLE x(name TEXT, kinds TEXT, present INTEGER, values_min INTEGER, values_max INTEGER, \"column\" TEXT, "
     "type TEXT)",
     [](const Catalog& catalog) { return catalog.features.size(); }, PutFeature},
    {"bad", "CREATE TABLE x(record INTEGER, shard TEXT, \"offset\" INTEGER, reason TEXT)",
     [](const Catalog& catalog) { return catalog.bad.size(); }, PutBad},
    {"damage", "CREATE TABLE x(shard TEXT, \"begin\" INTEGER, \"end\" INTEGER, reason TEXT)",
     [](const Catalog& catalog) { return catalog.damage.size(); }, PutDamage},
};

/// What a module is registered with, and each of its tables holds.
struct Registered {
  const TableKind* kind;
  std::shared_ptr<const Catalog> catalog;
};

struct CatalogTable : sqlite3_vtab {
  explicit CatalogTable(const Registered& registered) : sqlite3_vtab(), of(registered) {}
  Registered of;
};

struct CatalogCursor : sqlite3_vtab_cursor {
  explicit CatalogCursor(const Registered& registered) : sqlite3_vtab_cursor(), of(registered) {}
  const Registered& of;
  size_t row = 0;
};

// SQLite calls from here on: nothing may be thrown through it.

int Connect(sqlite3* db, void* data, int, const char* const*, sqlite3_vtab** table, char**) {
  const auto& registered = *static_cast<const Registered*>(data);
  if (const int result = sqlite3_declare_vtab(db, registered.kind->declaration); result != SQLITE_OK) return result;
  *table = new (std::nothrow) CatalogTable(registered);
  return *table == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int Disconnect(sqlite3_vtab* table) {
  delete static_cast<CatalogTable*>(table);
  return SQLITE_OK;
}

int BestIndex(sqlite3_vtab* table, sqlite3_index_info* info) {
  const Registered& of = static_cast<CatalogTable*>(table)->of;
  const size_t rows = of.kind->rows(*of.catalog);
  info->estimatedRows = static_cast<sqlite3_int64>(rows);
  info->estimatedCost = static_cast<double>(rows) + 1;
  return SQLITE_OK;
}

int Open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
  *cursor = new (std::nothrow) CatalogCursor(static_cast<CatalogTable*>(table)->of);
  return *cursor == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<CatalogCursor*>(cursor);
  return SQLITE_OK;
}

int Filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
  static_cast<CatalogCursor*>(cursor)->row = 0;
  return SQLITE_OK;
}

int Next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<CatalogCursor*>(cursor)->row;
  return SQLITE_OK;
}

int Eof(sqlite3_vtab_cursor* cursor) {
  const auto& here = *static_cast<CatalogCursor*>(cursor);
  return here.row >= here.of.kind->rows(*here.of.catalog) ? 1 : 0;
}

int Column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  const auto& here = *static_cast<CatalogCursor*>(cursor);
  const Result<void> put = WithMemory("a value", [&]() -> Result<void> {
    here.of.kind->put(context, *here.of.catalog, here.row, column);
    return {};
  });
  return put ? SQLITE_OK : SQLITE_NOMEM;
}

int Rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* rowid) {
  *rowid = static_cast<sqlite3_int64>(static_cast<CatalogCursor*>(cursor)->row);
  return SQLITE_OK;
}

// Without xCreate a table is there by the name of its module, and without xUpdate it is read-only.
constexpr sqlite3_module MakeModule() {
  sqlite3_module module{};
  module.xConnect = Connect;
  module.xDisconnect = Disconnect;
  module.xBestIndex = BestIndex;
  module.xOpen = Open;
  module.xClose = Close;
  module.xFilter = Filter;
  module.xNext = Next;
  module.xEof = Eof;
  module.xColumn = Column;
  module.xRowid = Rowid;
  return module;
}
constexpr sqlite3_module kModule = MakeModule();

}  // namespace

Result<Catalog> ReadCatalog(const std::shared_ptr<const IndexFile>& index) {
  Catalog catalog;
  OFINDEX_ASSIGN(CatalogReader reader, CatalogReader::Open(index));
  OFINDEX_ASSIGN(catalog.shards, reader.Shards());
  OFINDEX_ASSIGN(std::vector<FeatureRow> features, reader.Features());
  catalog.features = FeaturesByName(std::move(features));
  OFINDEX_ASSIGN(catalog.bad, reader.Bad());
  OFINDEX_ASSIGN(catalog.damage, reader.Damage());
  return catalog;
}

Result<void> RegisterCatalogTables(sqlite3* db, std::shared_ptr<const Catalog> catalog) {
  for (const TableKind& kind : kTables) {
    auto* const registered = new Registered{&kind, catalog};
    const auto destroy = [](void* data) { delete static_cast<Registered*>(data); };
    // Destroys it, should it fail.
    if (sqlite3_create_module_v2(db, kind.name, &kModule, registered, destroy) != SQLITE_OK) {
      return Fail(ErrorCode::kLimit, StrCat("table ", kind.name, ": SQLite: ", sqlite3_errmsg(db)), "free some memory");
    }
  }
  return {};
}

}  // namespace ofindex
