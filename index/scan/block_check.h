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

/// What is wrong with a record that an index holds.
enum class RecordFault : uint8_t {
  kLength,       ///< its header claims another length than the index
  kLengthCrc,    ///< its length's checksum does not hold (TFRecord)
  kPayloadCrc,   ///< its payload's checksum does not hold (TFRecord)
  kPayloadHash,  ///< its payload is not the one that was hashed at build
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

/// What a look at every byte of a block found.
struct BlockFindings {
  struct Faulty {
    uint32_t record;  ///< of the block
    RecordFault fault;
  };

  std::vector<uint8_t> hashes;  ///< u64 XXH3 of each payload
  std::vector<Faulty> faults;   ///< ascending; the first fault of each record
  uint64_t empty_records = 0;   ///< of no payload bytes: legal, and fatal to OneFlow's reader
};

/// Checks the records of a block one after the other. Memory is bounded, whatever their size. Not thread-safe.
class BlockChecker {
 public:
  /// Of `bytes`, of which nothing from `end` on is read. They must outlive the checker.
  BlockChecker(const ReadableBytes& bytes, Framing framing, uint64_t end);

  /// Reads every byte of the next record, [begin, end), and checks it: header, checksums, and `hash` if there is one to
  /// compare with. Errors: kIo; kStale  the bytes end inside the record.
  [[nodiscard]] Result<void> Add(uint64_t begin, uint64_t end, std::optional<uint64_t> hash);

  /// What was found so far.
  [[nodiscard]] BlockFindings& findings() { return findings_; }

 private:
  const Framing framing_;
  ForwardWindow window_;
  BlockFindings findings_;
  uint32_t records_ = 0;
};

/// Reads every byte of a block's records, which begin at `points` and end at the last of them, and checks it: headers,
/// checksums, and `hashes` if there are any to compare with (u64 each). Memory is bounded, whatever the records' size.
/// Counts bytes and records in `progress`. Errors: kIo; kStale  the file ends inside the block; kInterrupted.
[[nodiscard]] Result<BlockFindings> CheckBlock(const ReadableBytes& bytes, Framing framing,
                                               std::span<const uint64_t> points, ByteView hashes, Progress& progress);

}  // namespace ofindex
