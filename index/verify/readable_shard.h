#pragma once

#include <cstdint>
#include <memory>

#include "base/file.h"
#include "base/result.h"
#include "index/catalog/catalog.h"
#include "index/catalog/catalog_reader.h"
#include "mmap/files/readable_bytes.h"
#include "mmap/inflate/span_cache.h"

namespace ofindex {

/// Returns the bytes that hold the records of shard `number`, described by `row`, from `file`. A compressed shard is
/// inflated through `cache`, which must outlive the result, from the checkpoints in `catalog`. Thread-safe. Errors:
/// kIndex, kLimit.
[[nodiscard]] Result<std::shared_ptr<const ReadableBytes>> ReadableShard(File file, uint32_t number,
                                                                         const ShardRow& row, CatalogReader& catalog,
                                                                         SpanCache& cache);

}  // namespace ofindex
