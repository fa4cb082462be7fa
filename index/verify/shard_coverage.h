#pragma once

#include "base/result.h"
#include "index/catalog/catalog_reader.h"

namespace ofindex {

/// Succeeds if an index accounts for every byte of its shards: each lies in a record or in damage. An index whose
/// blocks of records were left out is otherwise consistent, with right checksums. Reads no shard. Errors: kIndex, which
/// names the shard and the first byte that is in neither; those of reading the rows.
[[nodiscard]] Result<void> CheckCoverage(CatalogReader& catalog);

}  // namespace ofindex
