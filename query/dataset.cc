#include "query/dataset.h"

#include <utility>

#include "index/map_builder.h"
#include "index/paths.h"

namespace ofindex {

Result<Dataset> Dataset::Open(const std::string& name, ReaderOptions options, const Progress& progress) {
  OFINDEX_ASSIGN(std::string index_path, ResolveIndex(name));
  OFINDEX_ASSIGN(OffsetMap map, OpenMap(index_path, progress));
  const std::string folder = FolderOf(index_path);
  return Dataset(std::move(index_path), RecordReader::Open(std::move(map), folder, std::move(options)));
}

}  // namespace ofindex
