#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/result.h"
#include "index/scan/block_queue.h"
#include "index/scan/built_block.h"

namespace ofindex {

/// The shards that a build has finished, with all that the scan found in them, in a file next to the index. If the
/// build is killed, the next build of that index takes them up instead of scanning them again.
///
/// Each shard is saved under a key, a hash of the shard, the options and the program, so a shard that changed, or one
/// that was scanned with other options, is not found. A file is used only if it belongs to this user and has no second
/// name; every byte of it is covered by a checksum. It is not synced: what a power failure destroys is scanned again.
///
/// A file that cannot be written, or that leaves little room on the disk, is given up and removed: saving never fails a
/// build. The holder of the index's lock is
/// the only user of the file. Moves, does not copy; not thread-safe.
//
// The file: the 16 bytes of kMagic, then entries. A shard's blocks follow one another, in order, and then comes its
// end. Shards are in any order. What does not end with the end of a shard is cut off before more is appended.
//
//   entry   u32 kind: 0 block, 1 end; u32 blocks of the shard before the entry; u64 size of the body; u64 XXH3 of the
//           body; 16 bytes: key; u64 records of the shard in it and before it; u64 XXH3 of the 48 bytes so far; body
//           (index/resume/saved_block.h)
class SavedShards {
 public:
  /// Returns the path of the file for the index whose temporary file is at `temporary`. The name is hidden, so that no
  /// folder that is indexed has it as a shard.
  [[nodiscard]] static std::string PathFor(const std::string& temporary);

  /// Removes the file at `path`, if it is one. Call it while holding the lock of the index.
  static void RemoveAt(const std::string& path);

  /// Opens the file at `path`, if there is one, and finds the shards with one of the `keys`; that of shard i is
  /// keys[i]. Reads the head of each entry only.
  [[nodiscard]] static SavedShards Open(std::string path, std::vector<Digest128> keys);

  SavedShards(SavedShards&& other) noexcept;
  SavedShards& operator=(SavedShards&&) = delete;
  ~SavedShards();

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] bool Has(size_t shard) const { return places_[shard].has_value(); }

  /// Returns the number of shards that are saved, and of their records.
  [[nodiscard]] size_t shards() const;
  [[nodiscard]] uint64_t records() const;

  /// Returns true if nothing more can be saved.
  [[nodiscard]] bool failed() const { return failed_; }

  /// Adds the next block of `shard`, all of whose blocks are added, or ends that shard; only then is it saved.
  void Add(size_t shard, const BuiltBlock& block);
  void End(size_t shard, const ShardFindings& findings);

  /// Passes the blocks of a saved shard to `visit`, in order, and returns the findings. An error from `visit` ends the
  /// reading and is returned. Errors: kIo, also if the bytes are not as written.
  using VisitBlock = std::function<Result<void>(BuiltBlock)>;
  [[nodiscard]] Result<ShardFindings> Read(size_t shard, const VisitBlock& visit) const;

  /// Reads all saved shards, and forgets those whose bytes are not as written. Ends early if `cancel` is set.
  void ForgetDamaged(const std::atomic<bool>& cancel);

  /// Returns whether the index of the saved shards, which takes about as much room, fits next to the file.
  [[nodiscard]] bool LeavesRoom() const;

  /// Removes the file. Nothing is saved any more.
  void Remove();

 private:
  // Where a saved shard begins in the file.
  struct Place {
    uint64_t begin = 0;
    uint32_t blocks = 0;
    uint64_t records = 0;
  };
  struct Head;

  SavedShards(std::string path, std::vector<Digest128> keys)
      : path_(std::move(path)), keys_(std::move(keys)), places_(keys_.size()) {}

  void OpenFile();
  void TakeUp();
  void Create();
  void Append(uint32_t kind, size_t shard, const std::vector<uint8_t>& body);
  void Flush();
  [[nodiscard]] std::optional<Head> HeadAt(uint64_t offset) const;
  [[nodiscard]] tl::unexpected<Error> NotAsWritten() const;
  [[nodiscard]] Result<std::vector<uint8_t>> BodyAt(uint64_t offset, const Head& head) const;

  std::string path_;
  std::vector<Digest128> keys_;
  std::vector<std::optional<Place>> places_;
  int fd_ = -1;
  uint64_t size_ = 0;  // of the file, up to the end of the last shard or block that was written
  bool failed_ = false;
  std::optional<size_t> open_;    // the shard that is being added
  Place open_place_;              // where it begins, and what was added
  std::vector<uint8_t> buffer_;   // entries that are not written yet
  std::vector<uint8_t> encoded_;  // memory for a body
};

}  // namespace ofindex
