#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

/// Receives the records that a chain walks while their bytes are in memory, so that the payloads of small records need
/// not be read again.
class WalkVisitor {
 public:
  virtual ~WalkVisitor() = default;

  /// Called repeatedly with all `starts` that the chain has so far; the last record ends at `end`. `window` holds the
  /// bytes of the file from `begin` on. Most of the new records lie whole in it; others extend past it, or were not
  /// read. An error ends the walk.
  [[nodiscard]] virtual Result<void> Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window,
                                           uint64_t begin) = 0;
};

/// Returns the error for bytes that end at `at`, before the size that they had when the walk began: kStale.
[[nodiscard]] tl::unexpected<Error> Shrunk(const ReadableBytes& bytes, uint64_t at);

/// The chain of a shard's headers, as far as it can be trusted: the one loop behind every walk.
///
/// A header is trusted if its checksum is correct (TFRecord) and its record ends inside the shard. Small records are
/// read through a buffer of 256 KiB that stays in cache (30 M records/s per thread; page faults of a mapping would
/// allow only 7); large ones by a pread of each header, which leaves the payloads on the disk. Not thread-safe.
class HeaderChain {
 public:
  /// Reads `bytes`, which must outlive the chain.
  HeaderChain(const ReadableBytes& bytes, Framing framing) : bytes_(bytes), framing_(framing) {}

  /// Passes the records of later Advance calls to `visitor`, which must outlive them; null: to none.
  void ShowTo(WalkVisitor* visitor) { visitor_ = visitor; }

  /// Why Advance stopped.
  enum class Halt {
    kFull,      ///< it has as many records as requested, or has reached `stop_at`
    kEnd,       ///< the position is the end of the file
    kHeader,    ///< the header at the position cannot be trusted, or is cut off
    kEmptyRun,  ///< OFRecord: an empty record at or past `empty_until`, which may be the first of the file's zero bytes
  };

  /// Appends the starts of records to `starts` until it holds `limit`, or a record begins at or past `stop_at`.
  /// `position` is the start of the first one, and is set to the position that the chain has reached. OFRecords of
  /// length 0 are accepted only before `empty_until`. Errors: kIo; those of the visitor.
  [[nodiscard]] Result<Halt> Advance(uint64_t& position, std::vector<uint64_t>& starts, size_t limit, uint64_t stop_at,
                                     uint64_t empty_until = 0);

 private:
  struct Step {
    Halt halt;
    bool halted;
    uint64_t beyond;  // end of a record that extends past the known end of the bytes; otherwise 0
  };

  template <Framing kFraming>
  Step WalkWindow(uint64_t& position, std::vector<uint64_t>& starts, size_t limit, uint64_t stop_at,
                  uint64_t empty_until);
  [[nodiscard]] Result<void> Refill(uint64_t position);
  [[nodiscard]] Result<bool> Reaches(uint64_t end);
  [[nodiscard]] uint64_t EndOf(uint64_t begin, uint64_t length) const;
  void Adapt(uint64_t position);

  const ReadableBytes& bytes_;
  const Framing framing_;
  uint64_t size_ = 0;  // of the bytes, as far as known
  WalkVisitor* visitor_ = nullptr;
  std::vector<uint8_t> buffer_;
  uint64_t window_begin_ = 0;  // [window_begin_, window_end_) of the file is in the buffer
  uint64_t window_end_ = 0;
  uint64_t window_records_ = 0;  // records that began in the window
  bool hopping_ = false;
  uint32_t small_hops_ = 0;  // consecutive hops over records that would have been read faster through the buffer
};

}  // namespace ofindex
