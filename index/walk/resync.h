#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

/// Bytes that may be read to test candidates in a file of `size` bytes: four times the file, and something for small
/// ones. Any record of the file fits in it, and a file of nothing but false headers costs four more readings of it.
[[nodiscard]] constexpr uint64_t ResyncBudget(uint64_t size) {
  return (uint64_t{64} << 20) + (size <= (uint64_t{1} << 60) ? 4 * size : size);
}

/// A search for TFRecords in a file whose chain of headers is broken. It goes forward and keeps what it has read, so
/// that many searches in a row, and many false headers in one, read each byte of the file once. Not thread-safe.
class RecordSearch {
 public:
  /// Searches the first `size` of `bytes`, which must outlive the search.
  RecordSearch(const ReadableBytes& bytes, uint64_t size) : bytes_(bytes), size_(size) {}

  /// A header whose length checksum holds and whose record ends inside the file.
  struct Header {
    uint64_t begin;   ///< of the record
    uint64_t length;  ///< payload bytes
  };

  /// Finds the first header in [begin, end). By chance there is one in 2^32 positions, and a payload may hold records
  /// itself, so it is an anchor to start from, not the truth. nullopt if there is none. Errors: kIo.
  [[nodiscard]] Result<std::optional<Header>> FindHeader(uint64_t begin, uint64_t end);

  /// What a search for the next record came to.
  struct Outcome {
    std::optional<uint64_t> found = {};  ///< where the next record begins
    bool gave_up = false;                ///< the budget was used up before the end of the file
  };

  /// Finds the first record that begins in [begin, end) and whose length checksum and payload checksum both hold.
  ///
  /// Every candidate costs the bytes of its record, and a hostile file can hold very many: `budget` is what may be
  /// spent, in bytes, and what is left of it afterwards. A budget of a few times the file's size makes the cost linear
  /// and lets every real record through. Errors: kIo.
  [[nodiscard]] Result<Outcome> FindRecord(uint64_t begin, uint64_t end, uint64_t& budget);

 private:
  [[nodiscard]] Result<void> Refill(uint64_t begin);
  [[nodiscard]] Result<bool> PayloadCrcHolds(const Header& header) const;

  const ReadableBytes& bytes_;
  const uint64_t size_;
  std::vector<uint8_t> window_;  // what was read last
  uint64_t window_begin_ = 0;
  uint64_t next_bytes_ = 0;  // to read when the search goes on behind the window
};

}  // namespace ofindex
