#include "query/dataset.h"

#include <utility>

#include "base/file.h"
#include "index/catalog/paths.h"

namespace ofindex {

Result<Dataset> Dataset::Open(const std::string& name, ReaderOptions options, const Progress& progress) {
  OFINDEX_ASSIGN(const std::string path, ResolveIndex(name));
  OFINDEX_ASSIGN(OpenedIndex opened, OpenIndex(path, progress));
  return Open(std::move(opened), std::move(options), progress);
}

Result<Dataset> Dataset::Open(OpenedIndex opened, ReaderOptions options, const Progress& progress) {
  if (!opened.map) {
    OFINDEX_ASSIGN(OffsetMap map, OpenMap(opened.index, progress));
    opened.map = std::make_shared<const OffsetMap>(std::move(map));
  }
  const std::string folder = FolderOf(opened.index->path());
  RecordReader reader = RecordReader::Open(opened.map, folder, std::move(options), opened.index->anchor());
  return Dataset(std::move(opened), std::move(reader));
}

}  // namespace ofindex
