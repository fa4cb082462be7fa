#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

/// Returns how many bytes may be read to test candidates in a file of `size` bytes: four times `size`, plus 64 MiB so
/// that small files have enough. Any record of the file fits in this budget, and a file full of false headers is read
/// at most four more times, plus 64 MiB.
[[nodiscard]] constexpr uint64_t ResyncBudget(uint64_t size) {
  return (uint64_t{64} << 20) + (size <= (uint64_t{1} << 60) ? 4 * size : size);
}

/// A search for TFRecords in a file whose chain of headers is broken. It moves forward and keeps the bytes read, so
/// that repeated searches, and many false headers in one search, read each byte of the file once. Not thread-safe.
class RecordSearch {
 public:
  /// Searches the first `size` of `bytes`, which must outlive the search.
  RecordSearch(const ReadableBytes& bytes, uint64_t size) : bytes_(bytes), size_(size) {}

  /// A header whose length checksum is correct and whose record ends inside the file.
  struct Header {
    uint64_t begin;   ///< of the record
    uint64_t length;  ///< payload bytes
  };

  /// Finds the first header in [begin, end). One in 2^32 positions matches by chance, and a payload may contain
  /// records: the result is a candidate to start from, not proof of a record. Returns nullopt if there is none. Errors:
  /// kIo.
  [[nodiscard]] Result<std::optional<Header>> FindHeader(uint64_t begin, uint64_t end);

  /// Result of a search for the next record.
  struct Outcome {
    std::optional<uint64_t> found = {};  ///< where the next record begins
    bool gave_up = false;                ///< the budget was used up before the end of the file
  };

  /// Finds the first record that begins in [begin, end) and whose length checksum and payload checksum are both
  /// correct.
  ///
  /// To check a candidate, its whole record is read, and a hostile file can hold very many candidates. `budget` is the
  /// number of bytes that may be read, and is set to what is left. A budget of a few times the file's size makes the
  /// cost linear, and suffices for every real record. Errors: kIo.
  [[nodiscard]] Result<Outcome> FindRecord(uint64_t begin, uint64_t end, uint64_t& budget);

 private:
  [[nodiscard]] Result<void> Refill(uint64_t begin);
  [[nodiscard]] Result<bool> PayloadCrcHolds(const Header& header) const;

  const ReadableBytes& bytes_;
  const uint64_t size_;
  std::vector<uint8_t> window_;  // the bytes read last
  uint64_t window_begin_ = 0;
  uint64_t next_bytes_ = 0;  // to read when the search continues past the window
};

}  // namespace ofindex
