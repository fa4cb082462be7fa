#include "query/sql/open_session.h"

#include <memory>
#include <utility>

#include "query/sql/grouped_statements.h"
#include "query/sql/statements/statement_text.h"
#include "query/tables/catalog_tables.h"
#include "query/tables/tables.h"

namespace ofindex {

Result<SqlSession> OpenSession(const Snapshot& snapshot) {
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> shared, snapshot.Catalog());
  OFINDEX_ASSIGN(Catalog read, ReadCatalog(*shared));
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot.Columns());
  const auto catalog = std::make_shared<const Catalog>(std::move(read));
  const SqlSession::AddTables add_catalog = [catalog](sqlite3* db, const WorkLimits& limits) {
    return RegisterCatalogTables(db, catalog, limits);
  };
  const auto add = [&](sqlite3* db, const WorkLimits& limits) -> Result<void> {
    OFINDEX_TRY(RegisterRecords(db, store, limits));
    return add_catalog(db, limits);
  };
  std::vector<std::string> tables = {"records"};
  tables.insert(tables.end(), std::begin(kCatalogTables), std::end(kCatalogTables));
  OFINDEX_ASSIGN(SqlSession session, SqlSession::Open(add, tables));
  session.KnowFeaturesOf(store);
  // Opened by the first statement that may need it.
  const auto groups = std::make_shared<std::unique_ptr<GroupedStatements>>();
  session.AskFirst([store, add_catalog, tables, groups](std::string_view sql,
                                                        const std::vector<SqlParameter>& parameters,
                                                        const SqlLimits& limits) -> Result<std::optional<SqlRows>> {
    if (!MayAggregate(sql)) return std::nullopt;
    if (*groups == nullptr) {
      Result<std::unique_ptr<GroupedStatements>> opened = GroupedStatements::Open(store, add_catalog, tables);
      if (!opened) return std::nullopt;  // the ordinary session needs no second connection
      *groups = *std::move(opened);
    }
    return (*groups)->Query(sql, parameters, limits);
  });
  return session;
}

}  // namespace ofindex
