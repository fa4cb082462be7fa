#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace ofindex {

/// Returns a hash of the first `size` bytes of `file` at a cost independent of `size`: the XXH3 of the size and, up to
/// 64 KiB, of all bytes; beyond that, of the first and last 16 KiB and eight evenly spaced pages of 4 KiB in between.
///
/// Distinguishes a copy from a different file, but does not notice a changed byte in a page that it does not read; use
/// `ofindex verify` for that. A hash over the indexed size also recognises a file that has only grown.
///
/// Errors: kIo; kStale if the file has fewer than `size` bytes.
[[nodiscard]] Result<uint64_t> Fingerprint(const File& file, uint64_t size);

/// The properties by which a shard is recognised as the indexed file. A file in the same state is trusted; otherwise
/// the fingerprint decides, so that copying or touching a dataset is not a false alarm.
struct ShardIdentity : FileState {
  uint64_t fingerprint = 0;  ///< Fingerprint() over `size` bytes

  friend bool operator==(const ShardIdentity&, const ShardIdentity&) = default;
};

/// Opens the file of a shard named by an index. Messages use `shown`, or `path` if `shown` is empty.
/// Errors: kStale if there is no regular file of that name; kIo if there is or may be one, but it cannot be opened (no
/// permission, no descriptor left).
[[nodiscard]] Result<File> OpenIndexedShard(const std::string& path, const std::string& shown = {});

/// Returns the identity of `file`. Errors: kIo; kStale if the file shrinks while it is read.
[[nodiscard]] Result<ShardIdentity> IdentifyShard(const File& file);

/// Returns true if a file with these facts is the shard, without reading its bytes.
[[nodiscard]] inline bool HasFactsOf(const FileFacts& facts, const ShardIdentity& identity) {
  return static_cast<const FileState&>(facts) == identity;
}

enum class FactsTrust { kTrusted, kIgnored };

/// Succeeds if `file`, whose facts are `facts`, is the shard described by `identity`. Reads the fingerprint unless the
/// facts are trusted and equal.
/// Errors: kStale if the size or the fingerprint differs (hint: `ofindex update`); kIo.
[[nodiscard]] Result<void> CheckShard(const File& file, const FileFacts& facts, const ShardIdentity& identity,
                                      FactsTrust trust = FactsTrust::kTrusted);

/// The hint for every stale shard.
inline constexpr char kStaleHint[] = "restore the shard, or take its changes in with `ofindex update`";

}  // namespace ofindex
