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

/// The bytes in which the records of shard `number`, `row`, lie, out of `file`; a compressed one is inflated through
/// `cache`, which must outlive them, from the checkpoints that `catalog` has. Thread-safe. Errors: kIndex, kLimit.
[[nodiscard]] Result<std::shared_ptr<const ReadableBytes>> ReadableShard(File file, uint32_t number,
                                                                         const ShardRow& row, CatalogReader& catalog,
                                                                         SpanCache& cache);

}  // namespace ofindex
