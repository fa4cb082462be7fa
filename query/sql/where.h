#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/columns/column_store.h"
#include "query/filter/selection.h"
#include "query/sql/sql_session.h"

namespace ofindex {

/// The records for which `expression` holds: what may stand after WHERE in SQL over `records`.
///
/// Where SQLite leaves every part of the expression to the table, it steps through no row: its constraints are
/// evaluated by the kernels, on all of the store's threads. Otherwise the statement is run. The answer is the same. The
/// expression may come from a stranger: it is run in a session of its own (query/sql/sql_session.h), within `limits`.
///
/// Errors: kUsage        the expression is wrong or refused, or the parameters do not fit it
///         kLimit        time or memory ran out
///         kInterrupted  it was cancelled
///         kIndex, kIo   the index is damaged, or cannot be read
[[nodiscard]] Result<Selection> Where(const std::shared_ptr<ColumnStore>& store, std::string_view expression,
                                      const std::vector<SqlParameter>& parameters = {}, const SqlLimits& limits = {});

/// Whether Where() answers `expression` by kernels alone. Errors: as Where.
[[nodiscard]] Result<bool> NeedsNoRows(const std::shared_ptr<ColumnStore>& store, std::string_view expression,
                                       const std::vector<SqlParameter>& parameters = {});

}  // namespace ofindex
