#pragma once

#include <memory>
#include <string>
#include <vector>

#include "index/build/map_builder.h"
#include "index/catalog/catalog.h"
#include "query/columns/column_store.h"
#include "tools/shell/context.h"

namespace ofindex {

/// The parts of an index that sampling reads. Its shards may be missing.
struct SampledIndex {
  OpenedIndex opened;
  std::vector<GenerationRow> generations;
  std::shared_ptr<ColumnStore> store;
};

/// Opens the index `name`, or the index of the data of that name. Errors: kUsage, kIndex, kIo, kInterrupted.
[[nodiscard]] Result<SampledIndex> OpenSampledIndex(const std::string& name, const Context& context);

}  // namespace ofindex
