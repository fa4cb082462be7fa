#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/index_writer.h"
#include "index/merge/gathered_facts.h"
#include "index/merge/merge_source.h"

namespace ofindex {

/// Copies the shards of whole indexes into one index, in natural order of their paths. Not thread-safe.
class WholeCopier {
 public:
  /// Opens the indexes at `paths`, and adds their DATA and skipped files to `gathered`, which must outlive the copier.
  /// Errors: kUsage if they were built with different options, or have a shard in common; kIndex, kIo; kFormat as
  /// GatheredFacts.
  [[nodiscard]] static Result<WholeCopier> Open(const std::vector<std::string>& paths, GatheredFacts& gathered);

  /// Returns the facts of one of them, whose options are those of all.
  [[nodiscard]] const DatasetFacts& facts() const { return sources_.front().facts(); }

  /// Returns the number of shards in all of them.
  [[nodiscard]] size_t shards() const { return places_.size(); }

  /// Returns whether a record got another ordinal, available after CopyTo.
  [[nodiscard]] bool renumbered() const { return renumbered_; }

  /// Returns the columns that are attached to them, available after CopyTo.
  [[nodiscard]] std::vector<CarriedSource> carried() const;

  /// Copies everything. Call it once. Errors: kIndex, kStale, kIo, kInterrupted.
  [[nodiscard]] Result<void> CopyTo(IndexWriter& writer, Progress& progress);

 private:
  struct Place {
    ShardRow row;
    size_t source;
    std::vector<uint32_t> pieces;
  };

  [[nodiscard]] Result<void> Add(const std::string& path, GatheredFacts& gathered);
  [[nodiscard]] Result<void> SortPlaces();
  void Use(size_t source);

  std::vector<MergeSource> sources_;
  std::vector<Place> places_;
  bool renumbered_ = false;
  std::vector<size_t> connected_;  // sources with an open file, the least recently used first
};

}  // namespace ofindex
