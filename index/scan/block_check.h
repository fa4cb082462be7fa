#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/record.h"
#include "base/result.h"
#include "index/scan/forward_window.h"
#include "mmap/files/readable_bytes.h"

namespace ofindex {

/// What is wrong with an indexed record.
enum class RecordFault : uint8_t {
  kLength,       ///< its header gives another length than the index
  kLengthCrc,    ///< its length checksum is wrong (TFRecord)
  kPayloadCrc,   ///< its payload checksum is wrong (TFRecord)
  kPayloadHash,  ///< its payload differs from the one hashed at build time
};

[[nodiscard]] constexpr std::string_view Name(RecordFault fault) {
  switch (fault) {
    case RecordFault::kLength: return "length";
    case RecordFault::kLengthCrc: return "length_crc";
    case RecordFault::kPayloadCrc: return "payload_crc";
    case RecordFault::kPayloadHash: return "payload_hash";
  }
  return "unknown";
}

/// Result of checking every byte of a block.
struct BlockFindings {
  struct Faulty {
    uint32_t record;  ///< number in the block
    RecordFault fault;
  };

  std::vector<uint8_t> hashes;  ///< u64 XXH3 of each payload
  std::vector<Faulty> faults;   ///< ascending; the first fault of each record
  uint64_t empty_records = 0;   ///< records without payload bytes: valid, but fatal to OneFlow's reader
};

/// Checks the records of a block in sequence. Memory is bounded for any record size. Not thread-safe.
class BlockChecker {
 public:
  /// Checks records of `bytes`, which must outlive the checker. Reads nothing at or after `end`.
  BlockChecker(const ReadableBytes& bytes, Framing framing, uint64_t end);

  /// Reads every byte of the next record, [begin, end), and checks its header, its checksums and, if `hash` is given,
  /// its hash. Errors: kIo; kStale if the bytes end inside the record.
  [[nodiscard]] Result<void> Add(uint64_t begin, uint64_t end, std::optional<uint64_t> hash);

  /// Returns the findings so far.
  [[nodiscard]] BlockFindings& findings() { return findings_; }

 private:
  const Framing framing_;
  ForwardWindow window_;
  BlockFindings findings_;
  uint32_t records_ = 0;
};

/// Reads and checks every byte of a block's records: headers, checksums and, unless empty, `hashes` (u64 each).
/// `boundaries` are the record boundaries: the start of each record, then the end of the last. Memory is bounded for
/// any record size. Counts bytes and records in `progress`. Errors: kIo; kStale if the file ends inside the block;
/// kInterrupted.
[[nodiscard]] Result<BlockFindings> CheckBlock(const ReadableBytes& bytes, Framing framing,
                                               std::span<const uint64_t> boundaries, ByteView hashes,
                                               Progress& progress);

}  // namespace ofindex
