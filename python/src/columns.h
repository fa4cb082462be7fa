#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "index/catalog/catalog.h"
#include "query/columns/column_store.h"

namespace ofindex::python {

/// The columns of an index, and what can be asked of them. Holds SQLite connections, so it must not be used after a
/// fork; the Python class opens another one there.
struct Columns {
  std::vector<GenerationRow> generations;
  std::shared_ptr<ColumnStore> store;
};

void BindColumns(nanobind::module_& m);

}  // namespace ofindex::python
