#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/file.h"
#include "base/record.h"
#include "base/result.h"
#include "mmap/inflate/inflated_bytes.h"

namespace ofindex {

/// One record to be copied from a shard.
struct RecordRead {
  uint64_t begin;    ///< offset in the shard at which its framing begins
  uint64_t length;   ///< payload bytes, according to the index
  uint8_t* out;      ///< room for the payload; if null, which only a mapped shard allows, just the header is checked
  uint64_t ordinal;  ///< used in messages
};

/// The outcome of a run of reads.
struct ReadOutcome {
  enum class Status {
    kDone,          ///< all records were copied, and the framing of each matches the index
    kGone,          ///< the file no longer holds the bytes of record `at`
    kOtherFraming,  ///< the header of record `at` differs from the one that was indexed
    kFailed,        ///< reading record `at` failed with `error`
    kRefused,       ///< reading record `at` failed with `refusal`
  };

  Status status = Status::kDone;
  size_t at = 0;
  int error = 0;  ///< errno
  std::optional<Error> refusal = {};
};

/// The interface through which the bytes of a shard are read: from a map, by pread, or inflated. All sources return the
/// same bytes, and tests compare them. Thread-safe; usable after fork.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Copies the payloads of `reads`, and compares the length in each header with the index. All records must lie within
  /// the size for which the source was created. Never faults, whatever happens to the file meanwhile.
  [[nodiscard]] virtual ReadOutcome Read(Framing framing, std::span<const RecordRead> reads) const = 0;

  /// Asks the kernel to read these records in the background.
  virtual void Prefetch(Framing framing, std::span<const RecordRead> reads) const = 0;

  /// Returns the whole shard in memory, or an empty view if the source has no map. Valid while the source lives.
  [[nodiscard]] virtual ByteView mapped() const { return {}; }
};

/// Returns a source that reads `size` bytes of `file` through a map. The descriptor is no longer needed afterwards.
/// Errors: kLimit if no map or address space is left.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> MapSource(const File& file, uint64_t size);

/// Returns a source that reads `file` by pread. `file` must outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> PreadSource(const File& file);

/// Returns a source that reads the inflated bytes of a compressed file.
[[nodiscard]] std::unique_ptr<ByteSource> InflateSource(InflatedBytes bytes);

}  // namespace ofindex
