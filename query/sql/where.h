#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/filter/selection.h"
#include "query/sql/sql_session.h"

namespace ofindex {

class SharedCatalog;

/// Returns the records for which `expression` holds: any SQL that may follow WHERE in a query on `records`.
///
/// If SQLite leaves every part of the expression to the table, no row is stepped through: kernels evaluate the
/// constraints on all threads of the store. Otherwise the statement is run. The answer is the same. The expression may
/// be untrusted: it is run in a session of its own (query/sql/sql_session.h), within `limits`. With `catalog`, its
/// subqueries can read `shards`, `features`, `bad` and `damage`. If `columns_read` is not null, it is set to the
/// columns of `records` that the expression reads, and _id.
///
/// Errors: kUsage if the expression is wrong or refused, or if the parameters do not match it; kLimit if time or memory
/// ran out; kInterrupted if the query was cancelled; kIndex if the index is damaged; kIo if it cannot be read.
[[nodiscard]] Result<Selection> Where(const std::shared_ptr<ColumnStore>& store, std::string_view expression,
                                      const std::vector<SqlParameter>& parameters = {}, const SqlLimits& limits = {},
                                      const std::shared_ptr<SharedCatalog>& catalog = nullptr,
                                      ColumnsRead* columns_read = nullptr);

/// Returns true if Where() answers `expression` by kernels alone. Errors: as Where.
[[nodiscard]] Result<bool> NeedsNoRows(const std::shared_ptr<ColumnStore>& store, std::string_view expression,
                                       const std::vector<SqlParameter>& parameters = {});

}  // namespace ofindex
