#include "query/dataset.h"

#include <utility>

#include "base/file.h"
#include "index/catalog/paths.h"

namespace ofindex {

Result<Dataset> Dataset::Open(const std::string& name, const ReaderOptions& options, const Progress& progress,
                              SnapshotOptions snapshot) {
  OFINDEX_ASSIGN(std::shared_ptr<const Snapshot> opened, Snapshot::OpenWithMap(name, progress, std::move(snapshot)));
  return Open(std::move(opened), options);
}

Result<Dataset> Dataset::Open(std::shared_ptr<const Snapshot> snapshot, const ReaderOptions& options) {
  OFINDEX_ASSIGN(std::shared_ptr<const OffsetMap> map, snapshot->Map());
  const IndexFile& index = *snapshot->index();
  RecordReader reader = RecordReader::Open(std::move(map), FolderOf(index.path()), options, index.anchor());
  return Dataset(std::move(snapshot), std::move(reader));
}

}  // namespace ofindex
