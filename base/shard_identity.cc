#include "base/shard_identity.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/fingerprint.h"
#include "base/text.h"

namespace ofindex {
namespace {

// True if a regular file may be at `path`: also where the system does not let us look.
bool MayBeThere(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) return S_ISREG(info.st_mode);
  return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
}

}  // namespace

Result<File> OpenIndexedShard(const std::string& path, const std::string& shown) {
  auto file = File::OpenRead(path, shown);
  if (file || MayBeThere(path)) return file;
  return Fail(ErrorCode::kStale, std::move(file).error().message, kStaleHint);
}

Result<ShardIdentity> IdentifyShard(const File& file) {
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  OFINDEX_ASSIGN(const uint64_t fingerprint, Fingerprint(file, facts.size));
  return ShardIdentity{.size = facts.size,
                       .mtime_ns = facts.mtime_ns,
                       .ctime_ns = facts.ctime_ns,
                       .inode = facts.inode,
                       .fingerprint = fingerprint};
}

Result<void> CheckShard(const File& file, const FileFacts& facts, const ShardIdentity& identity, FactsTrust trust) {
  if (facts.size != identity.size) {
    return Fail(ErrorCode::kStale,
                StrCat(Printable(file.path()), ": the shard is not the file that was indexed; expected ", identity.size,
                       " bytes, got ", facts.size),
                kStaleHint);
  }
  if (trust == FactsTrust::kTrusted && HasFactsOf(facts, identity)) return {};
  OFINDEX_ASSIGN(const uint64_t fingerprint, Fingerprint(file, identity.size));
  if (fingerprint == identity.fingerprint) return {};
  return Fail(ErrorCode::kStale,
              StrCat(Printable(file.path()), ": the shard is not the file that was indexed; expected fingerprint ",
                     ToHex(identity.fingerprint), ", got ", ToHex(fingerprint)),
              kStaleHint);
}

}  // namespace ofindex
