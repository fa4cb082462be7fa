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
#include "mmap/files/lent_bytes.h"
#include "mmap/sources/byte_source.h"

namespace ofindex {

/// How the bytes of a shard are read. kAuto uses maps, except on network file systems, where a page fault cannot report
/// an error.
enum class IoMode { kAuto, kMmap, kPread };

/// A shard verified to be the indexed file, open for reading. Thread-safe; usable after fork.
///
/// Other processes may change the file at any moment. Bytes are therefore copied first, and trusted only if the file's
/// facts (size, times, inode) are then still those with which its identity was last verified. If not, the identity is
/// verified again and the copy repeated. So the bytes that Read returns are those of the indexed file, as far as size
/// and fingerprint can tell; only `verify` finds an in-place rewrite of equal size outside the fingerprint's pages.
class OpenShard {
 public:
  struct Options {
    IoMode io = IoMode::kAuto;
    bool keep_descriptor = true;  ///< false if descriptors are scarce: the file is then looked up by name each time
    bool may_map = true;          ///< false if maps are scarce: use pread
    std::string place = {};       ///< path to open the shard by; empty: the path used in messages
  };

  /// What is needed to read a compressed shard. `cache`, and the map that `checkpoints` reads, must outlive the shard.
  struct Inflation {
    CompressedFacts facts;
    std::unique_ptr<Checkpoints> checkpoints;
    SpanCache* cache;
    uint64_t shard;  ///< the number that identifies the shard in `cache`
  };

  /// Bytes of a record in place.
  struct Lent {
    LentBytes bytes;
    RecordRead read;
    uint64_t state;  ///< of the shard, when the bytes were lent
  };

  /// Opens `path`. A compressed shard is read through `inflation`, regardless of the map options.
  /// Errors: kStale if the shard is missing, or is no longer the file described by `identity`; kIo.
  [[nodiscard]] static Result<std::unique_ptr<OpenShard>> Open(std::string path, Framing framing,
                                                               const ShardIdentity& identity, Options options,
                                                               std::optional<Inflation> inflation = {});

  /// Copies the payloads of `reads`, which all lie inside the indexed size. On failure the outputs are unspecified.
  /// Errors: kStale if the shard was truncated, replaced or rewritten (the message gives the path, the byte and the
  /// lengths of the record); kIo.
  [[nodiscard]] Result<void> Read(std::span<const RecordRead> reads) const;

  /// Lends the payload of `read`, at least one byte, without copying it. Returns nothing if it cannot be lent: the
  /// shard is not mapped, or no map is left; then use Read(). Errors: those of Read.
  [[nodiscard]] Result<std::optional<Lent>> Lend(const RecordRead& read) const;

  /// Returns an error unless all bytes that were read of `lent` so far are those of the indexed file.
  /// Errors: kStale if the shard was changed since they were lent.
  [[nodiscard]] Result<void> Check(const Lent& lent) const;

  /// Reads bytes of the shard without checking its identity. `offset` is in the file or, for a compressed shard, in its
  /// inflated bytes. Returns the number of bytes read, which is smaller only at the end. Errors: kIo; kStale if the
  /// shard no longer inflates to these bytes.
  [[nodiscard]] Result<size_t> ReadBytes(uint64_t offset, std::span<uint8_t> out) const;

  /// Returns true if the shard is unchanged since it was verified. If it returns false or an error, call Read(), which
  /// verifies the shard again.
  [[nodiscard]] Result<bool> Unchanged() const;

  /// Does the same as Unchanged, but while the shard is unchanged, asks the system only once per tick of its coarse
  /// clock, which is a few milliseconds: file times are no finer than that. `tick` is CoarseTick().
  [[nodiscard]] bool UnchangedThisTick(int64_t tick) const;

  /// Asks the kernel to read these records in the background.
  void Prefetch(std::span<const RecordRead> reads) const;

  /// Returns all bytes of the shard if it is mapped, otherwise an empty view. Unguarded: touching them after a
  /// truncation raises SIGBUS. Valid while this object lives.
  [[nodiscard]] ByteView mapped() const { return mapped_; }

  [[nodiscard]] Framing framing() const { return framing_; }

  /// Returns the size of the bytes that hold the records: the file or, for a compressed shard, its inflated bytes.
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
  std::unique_ptr<ByteSource> source_;            // null if every read reopens the file, or inflates
  mutable std::atomic<int64_t> unchanged_at_{0};  // the tick of the last check
  mutable std::atomic<uint64_t> state_{0};        // bumped on every change; spans with an older number are invalid
  mutable std::atomic<uint64_t> trusted_{0};      // hash of the facts with which the identity was last verified
};

}  // namespace ofindex
