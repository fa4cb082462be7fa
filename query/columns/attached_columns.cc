#include "query/columns/attached_columns.h"

#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "query/columns/chunks/record_column.h"

namespace ofindex {
namespace {

// Errors: kStale, kUsage as AttachedColumns::Over.
Result<void> CheckNames(const std::vector<FeatureRow>& features, const AttachmentFiles& files) {
  std::set<std::string> own;
  for (const Column& column : ColumnsOf(features)) own.insert(Folded(column.name));
  std::map<std::string, const AttachmentFile*> attached;
  for (const std::shared_ptr<const AttachmentFile>& file : files) {
    for (const AttachedColumn& column : file->columns()) {
      const std::string name = Folded(column.name);
      if (own.contains(name)) {
        return Fail(ErrorCode::kStale,
                    StrCat(Printable(file->path()), ": its column '", Printable(column.name),
                           "' has the name of a column of the index"),
                    StrCat("drop it with `ofindex detach INDEX ", ShellWord(column.name),
                           "`, and attach it under another name"));
      }
      const auto [other, is_new] = attached.emplace(name, file.get());
      if (is_new) continue;
      return Fail(ErrorCode::kUsage,
                  StrCat(Printable(other->second->path()), " and ", Printable(file->path()),
                         ": both have an attached column '", Printable(column.name), "'"),
                  "read with one of the files only");
    }
  }
  return {};
}

}  // namespace

Result<AttachedIndex> AttachedIndexOf(const IndexFile& index, SharedCatalog& catalog) {
  return catalog.With([&](CatalogReader& reader) { return ReadAttachedIndex(reader, index.place(), index.path()); });
}

Result<AttachmentFiles> OpenAttachments(const IndexFile& index, SharedCatalog& catalog,
                                        const std::vector<std::string>& others) {
  AttachmentFiles files;
  if (others.empty() && !MayHaveAttachments(index.place())) return files;
  OFINDEX_ASSIGN(const AttachedIndex attached, AttachedIndexOf(index, catalog));
  Result<std::shared_ptr<const AttachmentFile>> beside = OpenBeside(attached);
  if (!beside && index.Replaced()) return ReplacedIndex(index.path());
  OFINDEX_TRY(beside);
  if (*beside) files.push_back(*std::move(beside));
  for (const std::string& path : others) {
    OFINDEX_ASSIGN(std::shared_ptr<const AttachmentFile> file, AttachmentFile::Open(path, AttachmentPlace::kNamed));
    OFINDEX_TRY(file->CheckBelongs(index.path(), attached.generations, attached.blocks));
    files.push_back(std::move(file));
  }
  return files;
}

Result<std::unique_ptr<ColumnSource>> AttachedColumns::Over(std::unique_ptr<ColumnSource> index,
                                                            AttachmentFiles files) {
  if (files.empty()) return index;
  OFINDEX_TRY(CheckNames(index->features(), files));
  return std::unique_ptr<ColumnSource>(new AttachedColumns(std::move(index), std::move(files)));
}

AttachedColumns::AttachedColumns(std::unique_ptr<ColumnSource> index, AttachmentFiles files)
    : index_(std::move(index)), files_(std::move(files)), features_(index_->features()), own_(features_.size()) {
  for (const std::shared_ptr<const AttachmentFile>& file : files_) {
    for (const AttachedColumn& column : file->columns()) Add(*file, column);
  }
}

void AttachedColumns::Add(const AttachmentFile& file, const AttachedColumn& column) {
  Attached& added = attached_.emplace_back(Attached{&file, &column, {}});
  added.chunks.resize(blocks().size());
  uint64_t present = 0;  // records with a value, NaN included
  size_t block = 0;      // chunks and blocks both ascend
  for (const AttachedChunk& chunk : column.chunks) {
    while (block < blocks().size() && blocks()[block].number < chunk.row.block) ++block;
    if (block == blocks().size() || blocks()[block].number != chunk.row.block) continue;
    added.chunks[block] = &chunk;
    present += blocks()[block].records - (chunk.row.nulls - chunk.row.nans);
  }
  const ByteView sketch = column.sketch.bytes();
  features_.push_back({.feature = static_cast<uint32_t>(features_.size()),
                       .name = column.name,
                       .kinds = column.kinds,
                       .present = present,
                       .values = present,
                       .values_min = 1,
                       .values_max = 1,
                       .largest_bytes = column.largest_bytes,
                       .single = present,
                       .type = SqlTypeNames(column.kinds, column.has_text, column.has_blob),
                       .sql_value = column.name,
                       .sketch = {sketch.begin(), sketch.end()},
                       .origin = column.origin.Text()});
}

Result<std::vector<std::optional<ChunkRow>>> AttachedColumns::ChunkMetadata(uint32_t feature, ColumnRole role) {
  if (feature < own_) return index_->ChunkMetadata(feature, role);
  std::vector<std::optional<ChunkRow>> rows(blocks().size());
  if (role != ColumnRole::kValue) return rows;
  const Attached& attached = attached_[feature - own_];
  for (size_t block = 0; block < rows.size(); ++block) {
    if (attached.chunks[block] != nullptr) rows[block] = attached.chunks[block]->row;
  }
  return rows;
}

Result<std::vector<uint8_t>> AttachedColumns::Data(uint32_t feature, ColumnRole role, uint64_t block) {
  if (feature < own_) return index_->Data(feature, role, block);
  const Attached& attached = attached_[feature - own_];
  return attached.file->Data(*attached.chunks[block]);
}

}  // namespace ofindex
