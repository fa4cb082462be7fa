#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "index/attachments/attachment_file.h"
#include "index/attachments/attachments_beside.h"
#include "index/output/atomic_file.h"

namespace ofindex {

/// A block that was copied from one index to another; both count from 1.
struct CopiedBlock {
  uint64_t from = 0;
  uint64_t to = 0;
};

/// The attached columns of an index whose blocks were copied.
struct CarriedSource {
  std::shared_ptr<const AttachmentFile> file;
  std::vector<CopiedBlock> blocks;  ///< by `to`, ascending
};

/// The attached columns of an index that an update or a merge writes, until it is published. Moves, does not copy; not
/// thread-safe.
class CarriedColumns {
 public:
  /// Writes the columns of `sources` for `index`, next to which they will be. Columns of one name become one; a block
  /// has the values that it had in its source, and NULL if it had none. Returns nothing if there are no columns.
  /// Errors: kUsage if a column has the name of one of the `features`; those of reading and writing.
  [[nodiscard]] static Result<std::optional<CarriedColumns>> Write(const std::vector<CarriedSource>& sources,
                                                                   const AttachedIndex& index,
                                                                   const std::vector<FeatureRow>& features);

  /// Publishes the columns as those of the next index. Call it before the index is published. Errors: kIo.
  [[nodiscard]] Result<void> Publish(AtomicFile::Durability durability) { return file_.Publish(durability); }

 private:
  explicit CarriedColumns(AtomicFile file) : file_(std::move(file)) {}

  AtomicFile file_;
};

}  // namespace ofindex
