#include "base/shard_identity.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/text.h"

namespace ofindex {
namespace {

constexpr uint64_t kWholeUpTo = 64 << 10;
constexpr uint64_t kEdgeBytes = 16 << 10;
constexpr uint64_t kPageBytes = 4 << 10;
constexpr uint64_t kPages = 8;

Result<void> AddRange(const File& file, uint64_t offset, std::span<uint8_t> buffer, Xxh3Stream& hash) {
  OFINDEX_ASSIGN(const size_t n, file.ReadAt(offset, buffer));
  if (n != buffer.size()) {
    return Fail(ErrorCode::kStale, StrCat(Printable(file.path()), "@", offset + n, ": the file ends early; expected ",
                                          Counted(buffer.size() - n, "more byte")));
  }
  hash.Add(ByteView(buffer));
  return {};
}

// Returns true if there is a regular file at `path`, or if the system cannot tell, for example for lack of
// permission.
bool MayBeThere(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) return S_ISREG(info.st_mode);
  return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
}

}  // namespace

Result<uint64_t> Fingerprint(const File& file, uint64_t size) {
  Xxh3Stream hash;
  hash.Add(size);
  if (size <= kWholeUpTo) {
    std::vector<uint8_t> whole(size);
    OFINDEX_TRY(AddRange(file, 0, whole, hash));
    return hash.Digest64();
  }
  std::array<uint8_t, kEdgeBytes> buffer;
  OFINDEX_TRY(AddRange(file, 0, buffer, hash));
  const uint64_t middle = size - 2 * kEdgeBytes;
  for (uint64_t i = 0; i < kPages; ++i) {
    // Page-aligned, so that each read costs one page of a cold disk.
    const uint64_t offset = (kEdgeBytes + middle / (kPages + 1) * (i + 1)) / kPageBytes * kPageBytes;
    OFINDEX_TRY(AddRange(file, offset, std::span(buffer).first(kPageBytes), hash));
  }
  OFINDEX_TRY(AddRange(file, size - kEdgeBytes, buffer, hash));
  return hash.Digest64();
}

Result<File> OpenIndexedShard(const std::string& path, const std::string& shown) {
  auto file = File::OpenRead(path, shown);
  if (file || MayBeThere(path)) return file;
  return Fail(ErrorCode::kStale, std::move(file).error().message, kStaleHint);
}

Result<ShardIdentity> IdentifyShard(const File& file) {
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  OFINDEX_ASSIGN(const uint64_t fingerprint, Fingerprint(file, facts.size));
  return ShardIdentity{facts, fingerprint};
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
