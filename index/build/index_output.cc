#include "index/build/index_output.h"

#include <unistd.h>

#include <cerrno>

#include "index/catalog/paths.h"
#include "index/shards/output_rule.h"

namespace ofindex {

Result<IndexOutput> IndexOutput::Begin(const std::string& index, AtomicFile temporary, bool has_map,
                                       const Progress& progress) {
  std::optional<AtomicFile> map;
  if (has_map) {
    OFINDEX_ASSIGN(map, AtomicFile::Begin(MapPathOf(index), AtomicFile::IfLocked::kWait, &progress));
  }
  return IndexOutput(std::move(temporary), std::move(map), MapPathOf(index));
}

Result<IndexWriter> IndexOutput::BeginIndex(ColumnChoice columns) {
  std::optional<OutputFile> map_file;
  if (map_) {
    OFINDEX_ASSIGN(map_file, map_->Open());
  }
  OFINDEX_ASSIGN(IndexWriter writer, IndexWriter::Begin(index_.path(), std::move(map_file), std::move(columns)));
  OFINDEX_TRY(index_.CheckName());  // SQLite opens by name
  return writer;
}

// The index is authoritative; a map without its index counts as foreign, and the next reader rebuilds it.
Result<void> IndexOutput::Publish(AtomicFile::Durability durability) {
  OFINDEX_TRY(index_.Publish(durability));
  return map_ ? map_->Publish(durability) : RemoveOldMap();
}

Result<void> IndexOutput::RemoveOldMap() const {
  AtomicFile::RemoveLeftover(map_path_);
  if (!IsOutput(map_path_, OutputKind::kMap) || ::unlink(map_path_.c_str()) == 0 || errno == ENOENT) return {};
  return tl::unexpected(SystemError(map_path_, "cannot remove the map of the replaced index", errno));
}

}  // namespace ofindex
