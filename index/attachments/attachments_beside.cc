#include "index/attachments/attachments_beside.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "base/output_file.h"
#include "index/catalog/paths.h"

namespace ofindex {
namespace {

using FileOrNone = std::shared_ptr<const AttachmentFile>;

Result<FileOrNone> OpenIfThere(const std::string& path, const std::string& shown) {
  Result<FileOrNone> file = AttachmentFile::Open(path, shown);
  if (!file && file.error().code == ErrorCode::kNotFound) return FileOrNone();
  return file;
}

// Returns the second file if its columns belong to the index.
Result<FileOrNone> OpenNext(const AttachedIndex& index) {
  OFINDEX_ASSIGN(FileOrNone next, OpenIfThere(NextAttachedPathOf(index.path), NextAttachedPathOf(index.shown)));
  if (next && next->CheckBelongs(index.shown, index.generations, index.blocks)) return next;
  return FileOrNone();
}

}  // namespace

bool MayHaveAttachments(const std::string& index) {
  return StatFile(AttachedPathOf(index)).has_value() || StatFile(NextAttachedPathOf(index)).has_value();
}

Result<std::shared_ptr<const AttachmentFile>> OpenBeside(const AttachedIndex& index) {
  OFINDEX_ASSIGN(FileOrNone file, OpenIfThere(AttachedPathOf(index.path), AttachedPathOf(index.shown)));
  const Result<void> belongs = file ? file->CheckBelongs(index.shown, index.generations, index.blocks) : Result<void>();
  if (file && belongs) return file;
  OFINDEX_ASSIGN(FileOrNone next, OpenNext(index));
  if (!next) OFINDEX_TRY(belongs);
  return next;
}

Result<void> SettleBeside(const AttachedIndex& index) {
  const std::string path = NextAttachedPathOf(index.path);
  if (!StatFile(path)) return {};
  OFINDEX_ASSIGN(const FileOrNone next, OpenNext(index));
  if (!next) {
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return tl::unexpected(SystemError(path, "cannot remove", errno));
  }
  if (std::rename(path.c_str(), AttachedPathOf(index.path).c_str()) != 0) {
    return tl::unexpected(SystemError(path, "cannot rename", errno));
  }
  return SyncDirectoryOf(path);
}

}  // namespace ofindex
