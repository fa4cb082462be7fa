#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/build/index_writer.h"
#include "index/catalog/catalog.h"
#include "index/merge/merge_source.h"

namespace ofindex {

/// Converts the paths stored in an index in one folder to those stored in an index in another. A value type.
class Rebase {
 public:
  /// `from` and `to` are the paths of the two indexes.
  Rebase(const std::string& from, const std::string& to);

  /// Errors: those of RelativeTo.
  [[nodiscard]] Result<std::string> operator()(const std::string& stored) const;

 private:
  std::string from_;
  std::string to_;
  bool same_folder_ = false;
};

/// Returns the DATA that an index was built from, as stored in another index. Errors: those of RelativeTo.
[[nodiscard]] Result<std::vector<std::string>> RebasedSources(const DatasetFacts& facts, const Rebase& rebase);

/// The facts of several indexes put together: all but their blocks. Not thread-safe.
class GatheredFacts {
 public:
  /// Gathers for an index at path `index`.
  explicit GatheredFacts(std::string index) : index_(std::move(index)) {}

  /// Returns a shard's row as the merged index has it. Errors: kFormat if the shards are of both formats.
  [[nodiscard]] Result<ShardRow> Take(const ShardRow& shard, const Rebase& rebase);

  /// Adds the skipped files of `source`; keeps no more than an index lists. A file that several whole indexes skipped
  /// is listed once. Errors: kIndex, kStale, kIo.
  [[nodiscard]] Result<void> TakeSkipped(MergeSource& source);

  /// Adds the DATA that the index with the facts `facts`, at `path`, was built from, unless it is there. Errors: kIo.
  [[nodiscard]] Result<void> TakeSources(const DatasetFacts& facts, const std::string& path);

  /// Sorts the sources, whose order would depend on the order of the inputs otherwise.
  void SortSources();

  /// Writes the skipped files, and returns the facts: those of one of the inputs, `shared`, that all have, and those
  /// gathered. Errors: kIo.
  [[nodiscard]] Result<DatasetFacts> Finish(const DatasetFacts& shared, IndexWriter& writer);

  [[nodiscard]] const std::string& index() const { return index_; }
  [[nodiscard]] std::vector<SkippedFile>& skipped() { return skipped_; }

 private:
  void LimitSkipped();

  std::string index_;
  std::optional<Framing> framing_;
  std::string framed_;  // a shard of that framing
  std::vector<SkippedFile> skipped_;
  uint64_t skipped_count_ = 0;
  bool whole_ = false;  // some index was whole
  std::vector<std::string> sources_;
};

}  // namespace ofindex
