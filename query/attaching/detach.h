#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "query/attaching/attachment_update.h"
#include "query/columns/snapshot.h"

namespace ofindex {

struct DetachRequest {
  std::vector<std::string> columns = {};  ///< names in SQL
  bool all = false;                       ///< all columns, also of a file that is damaged, or of another dataset
  AttachmentTarget target = {};
};

struct DetachReport {
  std::string file;
  std::vector<std::string> detached;
  std::vector<std::string> left;  ///< columns; without any, the file is removed
};

/// Drops attached columns of an index. The file is replaced as a whole, or stays as it is. Errors: kUsage if there is
/// no such column, or no file; those of AttachmentUpdate.
[[nodiscard]] Result<DetachReport> Detach(const Snapshot& snapshot, const DetachRequest& request,
                                          const Progress& progress);

}  // namespace ofindex
