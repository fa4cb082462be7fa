#include "index/stream_findings.h"

#include <algorithm>

namespace ofindex {
namespace {

DamageReason ReasonOf(StreamFault fault) {
  switch (fault) {
    case StreamFault::kCut: return DamageReason::kCutStream;
    case StreamFault::kBadDeflate: return DamageReason::kBadDeflate;
    case StreamFault::kBadChecksum: return DamageReason::kBadStreamChecksum;
    case StreamFault::kTrailingBytes: return DamageReason::kTrailingBytes;
    case StreamFault::kSecondStream: return DamageReason::kSecondStream;
  }
  return DamageReason::kBadDeflate;
}

// The bytes of the file, from checkpoint to checkpoint, that inflate to a range.
ByteRange FileRangeOf(const DamagedRange& range, const StreamFindings& stream, uint64_t file_bytes) {
  ByteRange found{0, file_bytes};
  for (const StoredCheckpoint& checkpoint : stream.checkpoints) {
    if (checkpoint.position <= range.begin) found.begin = checkpoint.bit / 8;
    if (checkpoint.position < range.end) continue;
    found.end = std::max(found.begin, (checkpoint.bit + 7) / 8);
    break;
  }
  return found;
}

}  // namespace

std::vector<DamagedRange> DamageOf(const std::vector<DamagedRange>& walked, const StreamFindings& stream,
                                   uint64_t file_bytes) {
  std::vector<DamagedRange> all = walked;
  for (DamagedRange& range : all) range.file = FileRangeOf(range, stream, file_bytes);
  const bool torn =
      !all.empty() && all.back().end == stream.inflated_bytes && all.back().reason == DamageReason::kTornTail;
  for (const StreamDamage& damage : stream.damage) {
    const bool ends_early = damage.fault == StreamFault::kCut || damage.fault == StreamFault::kBadDeflate;
    DamagedRange range{damage.position, damage.position, ReasonOf(damage.fault),
                       ByteRange{damage.file_begin, damage.file_end}};
    if (ends_early && torn) {
      DamagedRange& tail = all[walked.size() - 1];
      range.begin = tail.begin;
      tail = range;
    } else {
      all.push_back(range);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return all;
}

}  // namespace ofindex
