#include "tools/shell/selecting.h"

#include <memory>

#include "query/sql/where.h"

namespace ofindex {

Result<Selection> SelectRecords(const Snapshot& snapshot, const std::string& expression, const Context& context) {
  OFINDEX_ASSIGN(const std::shared_ptr<ColumnStore> store, snapshot.Columns());
  SqlLimits limits;
  limits.cancel = &context.progress.cancel;
  return Where(store, expression, {}, limits);
}

}  // namespace ofindex
