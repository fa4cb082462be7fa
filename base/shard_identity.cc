#include "base/shard_identity.h"

#include "base/fingerprint.h"
#include "base/text.h"

namespace ofindex {

Result<ShardIdentity> IdentifyShard(const File& file) {
  OFINDEX_ASSIGN(const FileFacts facts, file.Facts());
  OFINDEX_ASSIGN(const uint64_t fingerprint, Fingerprint(file, facts.size));
  return ShardIdentity{.size = facts.size, .mtime_ns = facts.mtime_ns, .fingerprint = fingerprint};
}

Result<void> CheckShard(const File& file, const FileFacts& facts, const ShardIdentity& identity, MtimeTrust trust) {
  if (facts.size != identity.size) {
    return Fail(ErrorCode::kStale,
                StrCat(Printable(file.path()), ": the shard is not the file that was indexed; expected ", identity.size,
                       " bytes, got ", facts.size),
                kStaleHint);
  }
  if (trust == MtimeTrust::kTrusted && facts.mtime_ns == identity.mtime_ns) return {};
  OFINDEX_ASSIGN(const uint64_t fingerprint, Fingerprint(file, identity.size));
  if (fingerprint == identity.fingerprint) return {};
  return Fail(ErrorCode::kStale,
              StrCat(Printable(file.path()), ": the shard is not the file that was indexed; expected fingerprint ",
                     ToHex(identity.fingerprint), ", got ", ToHex(fingerprint)),
              kStaleHint);
}

}  // namespace ofindex
