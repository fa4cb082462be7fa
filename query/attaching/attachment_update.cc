#include "query/attaching/attachment_update.h"

#include <unistd.h>

#include <cerrno>

#include "base/output_file.h"
#include "index/catalog/paths.h"
#include "query/columns/attached_columns.h"

namespace ofindex {
namespace {

// A folder that cannot be written to may hold an index that others share.
Error WithElsewhere(Error error) {
  if (error.code == ErrorCode::kIo && error.hint.empty()) {
    error.hint = "write the columns to another folder with `ofindex attach -o FILE`, and read them with --attach FILE";
  }
  return error;
}

}  // namespace

Result<void> AttachmentUpdate::Settle(const Snapshot& snapshot, IfDamaged if_damaged) {
  if (!MayHaveAttachments(snapshot.index()->place())) return {};
  OFINDEX_ASSIGN(const std::shared_ptr<SharedCatalog> catalog, snapshot.Catalog());
  OFINDEX_ASSIGN(const AttachedIndex index, AttachedIndexOf(*snapshot.index(), *catalog));
  Result<void> settled = SettleBeside(index);
  if (if_damaged == IfDamaged::kIgnore) return {};
  return settled;
}

Result<AttachmentUpdate> AttachmentUpdate::Begin(const Snapshot& snapshot, const AttachmentTarget& target,
                                                 const Progress& progress, IfDamaged if_damaged) {
  const IndexFile& index = *snapshot.index();
  const bool is_beside = target.file.empty();
  const std::string path = is_beside ? AttachedPathOf(index.place()) : target.file;
  std::optional<AtomicFile> index_lock;
  if (is_beside) {
    Result<AtomicFile> lock = AtomicFile::Begin(index.place(), target.if_locked, &progress);
    if (!lock) return tl::unexpected(WithElsewhere(std::move(lock).error()));
    index_lock = std::move(*lock);
    if (index.Replaced()) return ReplacedIndex(index.path());
    OFINDEX_TRY(Settle(snapshot, if_damaged));
  }
  OFINDEX_ASSIGN(AtomicFile file, AtomicFile::Begin(path, target.if_locked, &progress));
  AttachmentUpdate update(path, is_beside ? AttachedPathOf(index.path()) : target.file, std::move(index_lock),
                          std::move(file), target.durability);
  const AttachmentPlace place = is_beside ? AttachmentPlace::kBeside : AttachmentPlace::kNamed;
  Result<std::shared_ptr<const AttachmentFile>> old = AttachmentFile::Open(path, place, update.path());
  if (old) {
    update.old_ = std::move(*old);
  } else if (old.error().code != ErrorCode::kNotFound &&
             !(old.error().code == ErrorCode::kIndex && if_damaged == IfDamaged::kIgnore)) {
    return tl::unexpected(std::move(old).error());
  }
  return update;
}

Result<AttachmentWriter> AttachmentUpdate::Write(GenerationRow generation, std::vector<AttachedBlock> blocks) const {
  OFINDEX_ASSIGN(OutputFile out, file_.Open());
  return AttachmentWriter::Begin(std::move(out), std::move(generation), std::move(blocks));
}

Result<void> RemoveAttachment(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return SyncDirectoryOf(path);
  return tl::unexpected(SystemError(path, "cannot remove", errno));
}

}  // namespace ofindex
