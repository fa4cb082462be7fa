#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// Hash of the first `size` bytes of `file` that costs the same whatever their number: XXH3 of all of them up to
/// 64 KiB, else of the size, the first and last 16 KiB and eight pages of 4 KiB between, evenly spread.
///
/// It tells a copy from another file; it does not find a byte changed in a page that it does not read: that is what
/// `ofindex verify` is for. Computed over the indexed size, it also recognises a file that has only grown.
///
/// Errors: kIo; kStale  the file has fewer than `size` bytes.
[[nodiscard]] Result<uint64_t> Fingerprint(const File& file, uint64_t size);

/// How a shard is recognised as the file that was indexed. If the file has the same size, times and inode, it is
/// trusted; otherwise the fingerprint decides, so that a copy or a touch of a dataset is no false alarm. The time of
/// the last change of the inode (ctime) cannot be set, so that a file renamed into the shard's place is told even if it
/// has the shard's size and mtime. The device is left out: it has another number after a reboot or a mount.
struct ShardIdentity {
  uint64_t size = 0;
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;
  uint64_t inode = 0;
  uint64_t fingerprint = 0;  ///< Fingerprint() over `size` bytes
};

/// Opens the file of a shard that an index names. Errors: kStale  there is no regular file of that name (any more); kIo
/// there is one, or there may be, and it cannot be opened: no permission, no descriptor left. Messages call it `shown`,
/// or `path` without that.
[[nodiscard]] Result<File> OpenIndexedShard(const std::string& path, const std::string& shown = {});

/// Errors: kIo, kStale (the file shrinks while it is read).
[[nodiscard]] Result<ShardIdentity> IdentifyShard(const File& file);

/// True if a file with these facts is the shard, without a look at its bytes.
[[nodiscard]] inline bool HasFactsOf(const FileFacts& facts, const ShardIdentity& identity) {
  return facts.size == identity.size && facts.mtime_ns == identity.mtime_ns && facts.ctime_ns == identity.ctime_ns &&
         facts.inode == identity.inode;
}

enum class FactsTrust { kTrusted, kIgnored };

/// Succeeds if `file`, whose facts are `facts`, is the shard of `identity`. Reads the fingerprint unless the facts are
/// trusted and equal.
/// Errors: kStale  another size or fingerprint (hint: `ofindex build --force`); kIo.
[[nodiscard]] Result<void> CheckShard(const File& file, const FileFacts& facts, const ShardIdentity& identity,
                                      FactsTrust trust = FactsTrust::kTrusted);

/// The hint of every stale shard.
inline constexpr char kStaleHint[] = "restore the shard, or index it anew with `ofindex build --force`";

}  // namespace ofindex
