#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/checksum.h"
#include "base/record.h"
#include "base/result.h"
#include "base/shard_identity.h"
#include "index/catalog.h"
#include "index/catalog_reader.h"
#include "index/column.h"

namespace ofindex {

/// The id of a dataset: XXH3 of its shards' sizes, fingerprints and framings, and of where their records lie. No time,
/// host, path or thread count is in it, so that the same files have the same id everywhere. Fed shard by shard, each
/// with its blocks behind it.
class DatasetId {
 public:
  void AddShard(const ShardIdentity& identity, Framing framing);
  void AddBlock(const BlockRow& block);
  [[nodiscard]] Digest128 Digest() const { return hash_.Digest(); }

 private:
  Xxh3Stream hash_;
};

/// XXH3 of what the id leaves out and readers still depend on: the totals; paths, times, payload kinds and counts of
/// shards; checkpoints; bad records; damage; features and their columns. It stands among the facts of the dataset, so
/// that two indexes that differ in any of it differ there, too. The chunks of a feature add up in any order.
class RowsHash {
 public:
  void Add(const ChunkRow& chunk);
  void Add(const CheckpointRow& checkpoint);
  /// Forgets the chunks of all features but these, by number, which are numbered anew in this order.
  void Keep(std::span<const uint32_t> features);

  [[nodiscard]] uint64_t Digest(const DatasetFacts& facts, const std::vector<ShardRow>& shards,
                                const std::vector<BadRow>& bad, const std::vector<DamageRow>& damage,
                                const std::vector<FeatureRow>& features) const;

 private:
  Xxh3Stream checkpoints_;
  std::vector<uint64_t> chunks_;  // by feature: the sum of the hashes of its chunks
};

/// Succeeds if the rows of an index add up to its id and to its hash of rows, and its blocks run on from ordinal to
/// ordinal. Reads the whole index. Errors: kIndex.
[[nodiscard]] Result<void> CheckDatasetId(CatalogReader& catalog);

}  // namespace ofindex
