#include "index/attachments/attachments_beside.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/file.h"
#include "base/output_file.h"
#include "index/catalog/paths.h"

namespace ofindex {
namespace {

using FileOrNone = std::shared_ptr<const AttachmentFile>;

Result<FileOrNone> OpenIfThere(const std::string& path, const std::string& shown) {
  Result<FileOrNone> file = AttachmentFile::Open(path, AttachmentPlace::kBeside, shown);
  if (!file && file.error().code == ErrorCode::kNotFound) return FileOrNone();
  return file;
}

// Returns the second file if its columns belong to the index.
Result<FileOrNone> OpenNext(const AttachedIndex& index) {
  OFINDEX_ASSIGN(FileOrNone next, OpenIfThere(NextAttachedPathOf(index.path), NextAttachedPathOf(index.shown)));
  if (next && next->CheckBelongs(index.shown, index.generations, index.blocks)) return next;
  return FileOrNone();
}

// What the first bytes of a file that cannot be opened say.
struct Head {
  bool is_attachment = false;     // or it is empty
  bool is_other_version = false;  // and sound, so that another version of ofindex can read it
};

Result<Head> ReadHead(const std::string& path) {
  OFINDEX_ASSIGN(const File file, File::OpenRead(path));
  std::array<uint8_t, kSealedHeaderBytes> bytes{};
  OFINDEX_ASSIGN(const size_t n, file.ReadAt(0, bytes));
  const SealedKind kind = AttachmentKind(AttachmentPlace::kBeside);
  SealedHeader header;
  Head head;
  head.is_attachment = n == 0 || AsText(ByteView(bytes).first(n)).starts_with(kind.magic);
  head.is_other_version =
      n == bytes.size() && header.Decode(kind.magic, bytes.data()) && header.version != kind.version;
  return head;
}

}  // namespace

Result<AttachedIndex> ReadAttachedIndex(CatalogReader& catalog, std::string path, std::string shown) {
  AttachedIndex index{.path = std::move(path), .shown = std::move(shown), .generations = {}, .blocks = {}};
  OFINDEX_ASSIGN(index.generations, catalog.Generations());
  OFINDEX_ASSIGN(const std::vector<BlockRow> blocks, catalog.ReadBlockMetadata());
  for (const BlockRow& block : blocks) index.blocks.push_back({block.first_record, block.records});
  return index;
}

bool MayHaveAttachments(const std::string& index) {
  for (const std::string& path : {AttachedPathOf(index), NextAttachedPathOf(index)}) {
    const auto facts = StatFile(path);
    if (facts || SaysNothingOfFile(facts.error())) return true;
  }
  return false;
}

Result<std::shared_ptr<const AttachmentFile>> OpenBeside(const AttachedIndex& index) {
  OFINDEX_ASSIGN(FileOrNone file, OpenIfThere(AttachedPathOf(index.path), AttachedPathOf(index.shown)));
  const Result<void> belongs = file ? file->CheckBelongs(index.shown, index.generations, index.blocks) : Result<void>();
  if (file && belongs) return file;
  OFINDEX_ASSIGN(FileOrNone next, OpenNext(index));
  if (!next) OFINDEX_TRY(belongs);
  return next;
}

Result<std::string> WhyNotAttached(const std::string& path) {
  if (!MayHaveAttachments(path)) return std::string();
  OFINDEX_ASSIGN(const std::shared_ptr<const IndexFile> file, IndexFile::Open(path));
  OFINDEX_ASSIGN(CatalogReader catalog, CatalogReader::OpenAny(file));
  OFINDEX_ASSIGN(const AttachedIndex index, ReadAttachedIndex(catalog, path, path));
  const Result<FileOrNone> opened = OpenBeside(index);
  return opened ? std::string() : opened.error().message;
}

Result<std::string> FindAttachmentDamage(const AttachedIndex& index, const Progress& progress) {
  const Result<FileOrNone> file = OpenBeside(index);
  if (file && !*file) return std::string();
  const Result<void> checked = file ? (*file)->CheckAll(progress) : tl::unexpected(file.error());
  if (checked) return std::string();
  const ErrorCode code = checked.error().code;
  if (code == ErrorCode::kIndex || code == ErrorCode::kStale) return checked.error().message;
  return tl::unexpected(checked.error());
}

Result<bool> WasAttachment(const std::string& path) {
  OFINDEX_ASSIGN(const Head head, ReadHead(path));
  return head.is_attachment;
}

Result<void> SettleBeside(const AttachedIndex& index) {
  const std::string path = NextAttachedPathOf(index.path);
  if (const auto facts = StatFile(path); !facts) {
    return SaysNothingOfFile(facts.error()) ? Result<void>(tl::unexpected(facts.error())) : Result<void>();
  }
  Result<FileOrNone> next = OpenNext(index);
  if (!next && next.error().code == ErrorCode::kIndex) {
    OFINDEX_ASSIGN(const Head head, ReadHead(path));
    if (head.is_attachment && !head.is_other_version) next = FileOrNone();  // nobody can read it any more
  }
  if (!next) return tl::unexpected(std::move(next).error());
  if (!*next) {
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return tl::unexpected(SystemError(path, "cannot remove", errno));
  }
  if (std::rename(path.c_str(), AttachedPathOf(index.path).c_str()) != 0) {
    return tl::unexpected(SystemError(path, "cannot rename", errno));
  }
  return SyncDirectoryOf(path);
}

}  // namespace ofindex
