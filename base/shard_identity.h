#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// How a shard is recognised as the file that was indexed. Equal size and mtime are trusted; otherwise the fingerprint
/// decides, so that a copy or a touch of a dataset is no false alarm.
struct ShardIdentity {
  uint64_t size = 0;
  int64_t mtime_ns = 0;
  uint64_t fingerprint = 0;  ///< Fingerprint() over `size` bytes
};

/// Opens the file of a shard that an index names. Errors: kStale  there is no regular file of that name (any more); kIo
/// there is one, or there may be, and it cannot be opened: no permission, no descriptor left.
[[nodiscard]] Result<File> OpenIndexedShard(const std::string& path);

/// Errors: kIo, kStale (the file shrinks while it is read).
[[nodiscard]] Result<ShardIdentity> IdentifyShard(const File& file);

enum class MtimeTrust { kTrusted, kIgnored };

/// Succeeds if `file`, whose facts are `facts`, is the shard of `identity`.
/// Errors: kStale  another size or fingerprint (hint: `ofindex build --force`); kIo.
[[nodiscard]] Result<void> CheckShard(const File& file, const FileFacts& facts, const ShardIdentity& identity,
                                      MtimeTrust trust = MtimeTrust::kTrusted);

/// The hint of every stale shard.
inline constexpr char kStaleHint[] = "restore the shard, or index it anew with `ofindex build --force`";

}  // namespace ofindex
