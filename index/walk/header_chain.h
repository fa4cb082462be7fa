#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/record.h"
#include "base/result.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

/// Is shown the records that a chain walks, while the bytes they were found in are at hand: whoever wants to see the
/// payloads of small records need not read them again.
class WalkVisitor {
 public:
  virtual ~WalkVisitor() = default;

  /// Called again and again with all of `starts` that the chain has by then; the last record ends at `end`. `window`
  /// are the bytes of the file from `begin` on, which hold most of the records that are new, whole; others reach beyond
  /// it, or were not read. An error ends the walk.
  [[nodiscard]] virtual Result<void> Visit(std::span<const uint64_t> starts, uint64_t end, ByteView window,
                                           uint64_t begin) = 0;
};

/// The chain of a shard's headers, as far as it can be believed: the one loop that all walking is made of.
///
/// A header is believed if its checksum holds (TFRecord) and its record ends inside the shard. Bytes are fetched as the
/// records ask for it: small ones through a buffer of 256 KiB that stays in cache (30 M records/s a thread, where page
/// faults of a map allow 7), large ones by a pread of each header, which leaves the payloads on the disk. Not
/// thread-safe.
class HeaderChain {
 public:
  /// Reads `bytes`, which must outlive the chain.
  HeaderChain(const ReadableBytes& bytes, Framing framing) : bytes_(bytes), framing_(framing) {}

  /// Shows what Advance walks from now on to `visitor`, which must outlive that; to nobody if null.
  void ShowTo(WalkVisitor* visitor) { visitor_ = visitor; }

  /// Why Advance stopped.
  enum class Halt {
    kFull,      ///< it has as many records as were asked for, or has come to where it was to stop
    kEnd,       ///< the position is the end of the file
    kHeader,    ///< the header at the position cannot be believed, or is cut off
    kEmptyRun,  ///< OFRecord: an empty record at or past `empty_until`, which may be the first of a file's zero bytes
  };

  /// Appends the positions of records to `starts` until it holds `most`, or a record begins at or past `stop_at`.
  /// `position` is where the first one begins, and then where the chain stands. OFRecords of length 0 are taken only
  /// before `empty_until`. Errors: kIo; those of the visitor.
  [[nodiscard]] Result<Halt> Advance(uint64_t& position, std::vector<uint64_t>& starts, size_t most, uint64_t stop_at,
                                     uint64_t empty_until = 0);

 private:
  struct Step {
    Halt halt;
    bool halted;
    uint64_t beyond;  // where the record would end that does not end in what is known of the bytes; 0 for all else
  };

  template <Framing kFraming>
  Step WalkWindow(uint64_t& position, std::vector<uint64_t>& starts, size_t most, uint64_t stop_at,
                  uint64_t empty_until);
  [[nodiscard]] Result<void> Refill(uint64_t position);
  [[nodiscard]] Result<bool> Reaches(uint64_t end);
  [[nodiscard]] uint64_t EndOf(uint64_t begin, uint64_t length) const;
  void Adapt(uint64_t position);

  const ReadableBytes& bytes_;
  const Framing framing_;
  uint64_t size_ = 0;  // of the bytes, as far as it is known
  WalkVisitor* visitor_ = nullptr;
  std::vector<uint8_t> buffer_;
  uint64_t window_begin_ = 0;  // [window_begin_, window_end_) of the file is in the buffer
  uint64_t window_end_ = 0;
  uint64_t window_records_ = 0;  // records that began in it
  bool hopping_ = false;
  uint32_t small_hops_ = 0;  // hops in a row over records that would have been better read through the buffer
};

}  // namespace ofindex
