#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "index/catalog/catalog.h"
#include "query/columns/column_store.h"

namespace ofindex::python {

/// The columns of an index, and the queries on them. Holds SQLite connections, so it must not be used after a fork; the
/// Python class opens new ones there.
struct Columns {
  std::vector<GenerationRow> generations;
  std::shared_ptr<ColumnStore> store;
};

void BindColumns(nanobind::module_& m);

}  // namespace ofindex::python
