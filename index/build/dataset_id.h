#pragma once

#include <cstdint>

#include "base/checksum.h"
#include "base/record.h"
#include "base/result.h"
#include "base/shard_identity.h"
#include "index/catalog/catalog.h"
#include "index/catalog/catalog_reader.h"

namespace ofindex {

/// The id of a dataset: XXH3 of its shards' sizes, fingerprints and framings, and of the positions of their records. It
/// depends on no time, host, path or thread count, so that the same files have the same id everywhere. Add each shard,
/// then its blocks.
class DatasetId {
 public:
  void AddShard(const ShardIdentity& identity, Framing framing);
  void AddBlock(const BlockRow& block);
  /// Adds, after its blocks, that a shard is missing since generation `since`.
  void AddAbsence(uint64_t since);
  [[nodiscard]] Digest128 Digest() const { return hash_.Digest(); }

 private:
  Xxh3Stream hash_;
};

/// Succeeds if the id of an index matches its shards and blocks. Errors: kIndex.
[[nodiscard]] Result<void> CheckDatasetId(CatalogReader& catalog);

}  // namespace ofindex
