#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "python/src/records/records.h"
#include "query/columns/column_store.h"

namespace ofindex::python {

/// Returns the columns of an open dataset. They must not be used after a fork: call this again in the child.
[[nodiscard]] std::shared_ptr<ColumnStore> ColumnsOf(const Source& source);

/// Binds the queries on columns.
void BindColumns(nanobind::module_& m);

}  // namespace ofindex::python
