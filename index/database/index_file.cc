#include "index/database/index_file.h"

#include <cerrno>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/text.h"
#include "index/database/schema.h"

namespace ofindex {

Result<uint64_t> IdentityOf(const File& index) {
  OFINDEX_ASSIGN(const FileFacts facts, index.Facts());
  std::vector<uint8_t> head(size_t{2} * kPageBytes);
  OFINDEX_ASSIGN(const size_t n, index.ReadAt(0, head));
  Xxh3Stream hash;
  hash.Add(facts.size);
  hash.Add(ByteView(head).first(n));
  return hash.Digest64();
}

tl::unexpected<Error> ReplacedIndex(const std::string& path) {
  return Fail(ErrorCode::kStale, StrCat(Printable(path), ": the index was replaced since it was opened"),
              "open the dataset again");
}

Result<std::shared_ptr<const IndexFile>> IndexFile::Open(const std::string& path) {
  std::string anchor = path.starts_with('/') ? std::string() : WorkingFolder();
  auto file = File::OpenRead(path);
  // A folder that must not be searched, or a loop of links, is not the same as no index.
  if (!file && (file.error().system == ENOENT || file.error().system == ENOTDIR)) {
    return Fail(ErrorCode::kNotFound, StrCat(Printable(path), ": there is no index"),
                "build it with `ofindex build DATA`");
  }
  if (!file) return tl::unexpected(std::move(file).error());
  std::shared_ptr<IndexFile> index(new IndexFile(std::move(*file), std::move(anchor)));
  OFINDEX_ASSIGN(const FileFacts facts, index->file().Facts());
  OFINDEX_ASSIGN(index->identity_, IdentityOf(index->file()));
  index->size_ = facts.size;
  index->device_ = facts.device;
  index->inode_ = facts.inode;
  return index;
}

Result<void> IndexFile::CheckUnchanged() const {
  const auto check = [this]() -> Result<void> {
    OFINDEX_ASSIGN(const uint64_t now, IdentityOf(file()));
    return now == identity_ ? Result<void>() : ReplacedIndex(path_);
  };
  return watch_.Consistent(check, []() -> Result<void> { return {}; });
}

bool IndexFile::Replaced() const {
  const auto now = StatFile(place());
  if (!now) return now.error().system == ENOENT || now.error().system == ENOTDIR;
  return now->device != device_ || now->inode != inode_;
}

}  // namespace ofindex
