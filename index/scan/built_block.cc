#include "index/scan/built_block.h"

#include <utility>
#include <vector>

#include "base/framing.h"
#include "base/text.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {
BuiltBlock EncodeBlock(size_t shard, Framing framing, uint64_t first_record, std::span<const uint64_t> boundaries) {
  const uint64_t records = boundaries.size() - 1;
  BuiltBlock block;
  block.row.shard = static_cast<uint32_t>(shard);
  block.row.first_record = first_record;
  block.row.records = static_cast<uint32_t>(records);
  block.row.begin = boundaries.front();
  block.row.end = boundaries.back();
  block.row.offsets = PackOffsets(boundaries);
  block.payload_bytes = boundaries.back() - boundaries.front() - records * FramingBytes(framing);
  return block;
}

Result<void> TakeFindings(BlockFindings findings, const std::string& path, std::span<const uint64_t> boundaries,
                          BuiltBlock& block) {
  block.row.hashes = std::move(findings.hashes);
  for (const BlockFindings::Faulty& faulty : findings.faults) {
    if (faulty.fault != RecordFault::kPayloadCrc) {
      return Fail(ErrorCode::kStale,
                  StrCat(Printable(path), "@", boundaries[faulty.record], ": the shard is being written to"),
                  "run the command again when the file is no longer written to");
    }
    block.bad.push_back(BadEntry(faulty.record, BadReason::kPayloadCrc));
  }
  return {};
}

void MergeBad(BuiltBlock& block) {
  std::vector<uint32_t> bad;
  auto other = block.bad.begin();
  for (const uint32_t record : block.columns.malformed) {
    for (; other != block.bad.end() && (*other & 0xffff) < record; ++other) bad.push_back(*other);
    if (other == block.bad.end() || (*other & 0xffff) != record) {
      bad.push_back(BadEntry(record, BadReason::kMalformed));
    }
  }
  bad.insert(bad.end(), other, block.bad.end());
  block.bad = std::move(bad);
}

}  // namespace ofindex
