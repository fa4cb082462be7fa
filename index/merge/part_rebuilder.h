#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "index/build/builder.h"
#include "index/merge/part_order.h"

namespace ofindex {

/// Builds parts again whose first shard was entered at bytes that only look like a record. The new parts are temporary
/// files (kTemporarySuffix) next to the merged index until the rebuilder is destroyed. Not thread-safe.
class PartRebuilder {
 public:
  /// Builds next to the index at `index`, whose lock the caller holds (AtomicFile); `threads` and `segment_bytes` are
  /// as in BuildOptions. `progress` must outlive the rebuilder.
  PartRebuilder(std::string index, unsigned threads, uint64_t segment_bytes, Progress& progress)
      : index_(std::move(index)), threads_(threads), segment_bytes_(segment_bytes), progress_(progress) {}
  ~PartRebuilder();
  PartRebuilder(const PartRebuilder&) = delete;
  PartRebuilder& operator=(const PartRebuilder&) = delete;

  /// Builds `part` again, whose first record is at `entry`: each of its parts, if it was merged from several. Errors:
  /// kStale if its data are absent, or if data or options have changed; those of BuildIndex and AtomicFile::Begin.
  [[nodiscard]] Result<std::vector<PartInput>> Rebuild(const PartInput& part, const WalkEntry& entry);

 private:
  [[nodiscard]] Result<BuildReport> RebuildOne(const PartInput& part, const BuildOptions& options);
  [[nodiscard]] Result<BuildOptions> OptionsOf(const PartInput& part, const PartChoice& choice) const;

  const std::string index_;
  const unsigned threads_;
  const uint64_t segment_bytes_;
  Progress& progress_;
  std::vector<std::string> paths_;  // of the new parts
};

}  // namespace ofindex
