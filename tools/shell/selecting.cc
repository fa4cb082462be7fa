#include "tools/shell/selecting.h"

#include <memory>

#include "query/columns/column_store.h"
#include "query/sql/where.h"

namespace ofindex {

Result<Selection> SelectRecords(const OpenedIndex& opened, const std::string& expression, const Context& context) {
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, ColumnStore::Open(opened, {.progress = &context.progress}));
  SqlLimits limits;
  limits.cancel = &context.progress.cancel;
  return Where(store, expression, {}, limits);
}

}  // namespace ofindex
