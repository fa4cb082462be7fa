#include "index/walk/stream_findings.h"

#include <algorithm>
#include <iterator>

namespace ofindex {
namespace {

DamageReason ReasonOf(StreamFault fault) {
  switch (fault) {
    case StreamFault::kTruncated: return DamageReason::kTruncatedStream;
    case StreamFault::kBadDeflate: return DamageReason::kBadDeflate;
    case StreamFault::kBadChecksum: return DamageReason::kBadStreamChecksum;
    case StreamFault::kTrailingBytes: return DamageReason::kTrailingBytes;
    case StreamFault::kSecondStream: return DamageReason::kSecondStream;
  }
  return DamageReason::kBadDeflate;
}

// Returns the bytes of the file, from checkpoint to checkpoint, that inflate to a range.
ByteRange FileRangeOf(const DamagedRange& range, const StreamFindings& stream, uint64_t file_bytes) {
  const std::vector<StoredCheckpoint>& all = stream.checkpoints;
  const auto behind = std::partition_point(all.begin(), all.end(),
                                           [&](const StoredCheckpoint& one) { return one.position <= range.begin; });
  const auto next = std::partition_point(all.begin(), all.end(),
                                         [&](const StoredCheckpoint& one) { return one.position < range.end; });
  ByteRange found{behind == all.begin() ? 0 : std::prev(behind)->bit / 8, file_bytes};
  if (next != all.end()) found.end = std::max(found.begin, (next->bit + 7) / 8);
  return found;
}

}  // namespace

void LocateInFile(const StreamFindings& stream, uint64_t file_bytes, std::vector<DamagedRange>& walked) {
  for (DamagedRange& range : walked) range.file = FileRangeOf(range, stream, file_bytes);
}

std::vector<DamagedRange> DamageOf(const std::vector<DamagedRange>& walked, const StreamFindings& stream,
                                   uint64_t file_bytes) {
  std::vector<DamagedRange> all = walked;
  LocateInFile(stream, file_bytes, all);
  const bool torn =
      !all.empty() && all.back().end == stream.inflated_bytes && all.back().reason == DamageReason::kTornTail;
  for (const StreamDamage& damage : stream.damage) {
    const bool ends_early = damage.fault == StreamFault::kTruncated || damage.fault == StreamFault::kBadDeflate;
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
