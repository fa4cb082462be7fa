#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "base/shard_identity.h"
#include "mmap/sources/byte_source.h"

namespace ofindex {

/// How the bytes of a shard are fetched. kAuto maps, except on network file systems, where a page fault cannot fail.
enum class IoMode { kAuto, kMmap, kPread };

/// A shard that was found to be the file that was indexed, open for reading. Thread-safe; usable after fork.
///
/// Reading follows the file, which others may change at any moment: bytes are copied first, and believed only if the
/// file's facts (size, times, inode) are afterwards still those under which its identity was established. If not, the
/// identity is established anew and the copy repeated. So what Read returns were the bytes of the indexed file, as far
/// as size and fingerprint tell; a rewrite in place of equal size outside the fingerprint's pages is for `verify`.
class OpenShard {
 public:
  struct Options {
    IoMode io = IoMode::kAuto;
    bool keep_descriptor = true;  ///< false where descriptors are short: the file is then looked up by name each time
    bool may_map = true;          ///< false where maps are short: read by pread
    std::string place = {};       ///< path to open it by; empty: the path that messages call it by
  };

  /// What a compressed shard is read with. All must outlive the shard.
  struct Inflation {
    CompressedFacts facts;
    std::unique_ptr<Checkpoints> checkpoints;
    SpanCache* cache;
    uint64_t shard;  ///< its name in the cache
  };

  /// Opens `path`; a compressed shard with what it takes to inflate it, whatever the options say of maps.
  /// Errors: kStale  missing, or no longer the file of `identity`; kIo.
  [[nodiscard]] static Result<std::unique_ptr<OpenShard>> Open(std::string path, Framing framing,
                                                               const ShardIdentity& identity, Options options,
                                                               std::optional<Inflation> inflation = {});

  /// Copies the payloads of `reads`, all of which lie in the indexed size. On failure nothing in the outputs counts.
  /// Errors: kStale  the shard was truncated, replaced or rewritten (message: path, byte, record's lengths); kIo.
  [[nodiscard]] Result<void> Read(std::span<const RecordRead> reads) const;

  /// Reads bytes of the shard, as records lie in it, and looks at nothing else. Returns how many; fewer only where it
  /// ends. Errors: kIo; kStale  it no longer inflates to them.
  [[nodiscard]] Result<size_t> ReadBytes(uint64_t offset, std::span<uint8_t> out) const;

  /// True if the shard is still the file that was found to be the one that was indexed: false, or an error, calls for
  /// Read(), which looks closer.
  [[nodiscard]] Result<bool> Unchanged() const;

  /// The same, asked of the system once in a tick of its coarse clock, a few milliseconds: no finer are the times of a
  /// file by which a change is known. `tick` is CoarseTick().
  [[nodiscard]] bool UnchangedThisTick(int64_t tick) const;

  /// Asks the kernel to fetch these records in the background.
  void Prefetch(std::span<const RecordRead> reads) const;

  /// All bytes of the shard, if it is mapped; else empty. Unguarded: touching them after a truncation raises SIGBUS.
  /// Valid while this object lives.
  [[nodiscard]] ByteView mapped() const { return mapped_; }

  [[nodiscard]] Framing framing() const { return framing_; }

  /// Bytes in which its records lie: of the file, or inflated.
  [[nodiscard]] uint64_t size() const { return inflation_ ? inflation_->facts.inflated_bytes : identity_.size; }
  [[nodiscard]] bool compressed() const { return inflation_.has_value(); }

 private:
  OpenShard(std::string path, std::string place, Framing framing, const ShardIdentity& identity)
      : path_(std::move(path)), place_(std::move(place)), framing_(framing), identity_(identity) {}

  [[nodiscard]] Result<void> Establish() const;
  [[nodiscard]] Result<File> Reopen() const;
  [[nodiscard]] Result<std::shared_ptr<const File>> FileNow() const;
  [[nodiscard]] InflatedBytes InflatedOf(std::shared_ptr<const File> file) const;
  [[nodiscard]] Result<ReadOutcome> ReadOnce(std::span<const RecordRead> reads) const;
  [[nodiscard]] tl::unexpected<Error> Failed(const ReadOutcome& outcome, std::span<const RecordRead> reads) const;

  const std::string path_;
  const std::string place_;
  const Framing framing_;
  const ShardIdentity identity_;
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
  std::optional<Inflation> inflation_;
  std::shared_ptr<const File> file_;
  ByteView mapped_;
  std::unique_ptr<ByteSource> source_;            // none where every read opens the file anew, or inflates
  mutable std::atomic<int64_t> unchanged_at_{0};  // the tick in which that was asked last
  mutable std::atomic<uint64_t> state_{0};        // how often the file was found changed: spans of before are not used
  mutable std::atomic<uint64_t> trusted_{0};      // hash of the facts under which the identity was last established
};

}  // namespace ofindex
