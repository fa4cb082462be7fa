#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/text.h"
#include "index/update/shard_changes.h"

namespace ofindex {

// The bytes of a shard stand for its records, one byte each. Its state follows from its path and its bytes, so that a
// file of both is the same file.

inline uint64_t HashOf(std::string_view text) { return Xxh3(AsBytes(text)); }

inline FileState StateOf(const std::string& path, const std::string& bytes) {
  return {.size = bytes.size(),
          .mtime_ns = static_cast<int64_t>(HashOf(bytes) >> 1),
          .ctime_ns = static_cast<int64_t>(HashOf(bytes) >> 1),
          .inode = HashOf(path)};
}

inline KnownShard Live(const std::string& path, const std::string& bytes) {
  return {.path = path, .identity = {StateOf(path, bytes), HashOf(bytes)}, .records = bytes.size()};
}

inline KnownShard Gone(const std::string& path, const std::string& bytes, uint64_t since) {
  KnownShard shard = Live(path, bytes);
  shard.gone = true;
  shard.gone_since = since;
  return shard;
}

// One without records, such as a Git-LFS pointer.
inline KnownShard Lost(const std::string& path, const std::string& bytes) {
  KnownShard shard = Live(path, bytes);
  shard.records = 0;
  return shard;
}

[[nodiscard]] inline std::string NameOf(const KnownShard& shard) {
  return shard.gone ? StrCat(shard.path, "@", shard.gone_since) : shard.path;
}

struct DiskFile {
  FoundShard shard;
  std::string bytes;
  bool broken = false;  // its state can be read, its bytes cannot
};

inline DiskFile OnDisk(const std::string& path, const std::string& bytes) {
  return {.shard = {.file = {.path = "/disk/" + path, .stored_path = path}, .state = StateOf(path, bytes)},
          .bytes = bytes};
}

inline DiskFile Touched(DiskFile file) {
  ++file.shard.state->mtime_ns;
  ++file.shard.state->ctime_ns;
  return file;
}

inline DiskFile Broken(DiskFile file) {
  file.broken = true;
  return file;
}

inline DiskFile Hidden(const std::string& path) {
  DiskFile file = OnDisk(path, "");
  file.shard.state.reset();
  return file;
}

inline DiskFile WithInodeOf(const std::string& path, DiskFile file) {
  file.shard.state->inode = HashOf(path);
  return file;
}

// A disk that says what was read from it: "path:bytes" of each fingerprint, in order.
struct Disk {
  std::vector<DiskFile> files;
  std::vector<std::string> reads = {};

  Result<ShardChanges> Compare(const std::vector<KnownShard>& known) {
    std::vector<FoundShard> found;
    for (const DiskFile& file : files) found.push_back(file.shard);
    return FindShardChanges(known, found, [this](size_t i, uint64_t bytes) { return Fingerprint(i, bytes); });
  }

  Result<uint64_t> Fingerprint(size_t i, uint64_t bytes) {
    const DiskFile& file = files[i];
    reads.push_back(StrCat(file.shard.file.stored_path, ":", bytes));
    if (file.broken) return tl::unexpected(SystemError(file.shard.file.path, "cannot open", EACCES));
    return HashOf(file.bytes.substr(0, bytes));
  }
};

}  // namespace ofindex
