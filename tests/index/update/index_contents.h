#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ofindex {

/// What an index says about a record, and what is read through it.
struct ReadRecord {
  uint64_t ordinal = 0;
  std::string payload;  ///< as RecordReader copies it
  std::string facts;    ///< place, fault, hash, and the values of all features, one a line
};

/// A shard that is there, with its records in the order of their offsets.
struct ReadShard {
  std::string path;
  std::string facts;           ///< formats, identity, totals and damage, one a line
  bool broken_stream = false;  ///< positions in its inflated bytes cannot be trusted once it has grown
  std::vector<ReadRecord> records;
};

/// All that an index promises about the files it was made of, however it came to know them.
struct IndexContents {
  std::vector<ReadShard> shards;  ///< in natural order of paths
  std::string totals;             ///< of the dataset and of each feature by name, one a line
  uint64_t ordinals = 0;          ///< the end of the ordinals
  int64_t generation = 0;

  /// Returns facts and values of shards, records, dataset and features: everything that an updated index has in common
  /// with one built of the same files. Left out are the numbers by which an index refers to itself: ordinals, and those
  /// of pieces, blocks and features; how blocks are cut and encoded; checkpoints, sketches, and the names of columns,
  /// which an update keeps; times and inodes; the id and the generations.
  [[nodiscard]] std::string Dump() const;
};

/// Reads the index at `path`, every record of it, and ends the test if anything fails. Expects that every ordinal
/// without a record is refused as out of range.
[[nodiscard]] IndexContents ReadIndex(const std::string& path);

/// Returns the first lines in which two dumps differ; empty if they are equal.
[[nodiscard]] std::string FirstDifference(const std::string& a, const std::string& b);

}  // namespace ofindex
