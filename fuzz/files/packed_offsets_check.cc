#include <algorithm>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/files/file_checks.h"
#include "fuzz/input.h"
#include "mmap/offsets/packed_offsets.h"

namespace ofindex {
namespace {

// Packs the boundaries, and unpacks every record of them.
void CheckPacking(const std::vector<uint64_t>& boundaries) {
  const std::vector<uint8_t> blob = PackOffsets(boundaries);
  const auto records = static_cast<uint32_t>(boundaries.size() - 1);
  Expect(PackedOffsets::Sound(blob, records), "what was packed is not sound");
  const PackedOffsets packed(blob.data());
  for (uint32_t i = 0; i < records; ++i) {
    const auto [begin, end] = packed.At(i);
    Expect(begin == boundaries[i] && end == boundaries[i + 1], "record ", i, " of ", records, " is unpacked as [",
           begin, ", ", end, "), not as [", boundaries[i], ", ", boundaries[i + 1], ")");
  }
}

// Boundaries whose distances are the rest of the input, repeated until there are `records`.
std::vector<uint64_t> TakeBoundaries(FuzzInput& input, uint32_t records) {
  std::vector<uint64_t> boundaries = {input.Number(8) >> 1};
  std::vector<uint64_t> lengths;
  while (!input.empty()) lengths.push_back(input.Number(1 + input.Below(5)));
  for (uint32_t i = 0; i < records; ++i) {
    const uint64_t length = lengths.empty() ? 0 : lengths[i % lengths.size()];
    boundaries.push_back(boundaries.back() +
                         std::min(length, INT64_MAX - std::min<uint64_t>(INT64_MAX, boundaries.back())));
  }
  return boundaries;
}

}  // namespace

void CheckPackedOffsets(ByteView bytes) {
  FuzzInput input(bytes);
  const bool packs = input.Below(2) == 1;
  const auto records = static_cast<uint32_t>(input.Number(2) % 9000);
  if (packs) {
    if (records > 0) CheckPacking(TakeBoundaries(input, records));
    return;
  }
  const ByteView rest = input.Rest();
  const std::vector<uint8_t> blob(rest.begin(), rest.end());
  if (!PackedOffsets::Sound(blob, records)) return;
  Expect(blob.size() >= PackedOffsets::FramesBytes(records), "fewer bytes than frames");
  // A map reads the frames from a copy of them.
  const std::vector<uint8_t> frames(blob.begin(),
                                    blob.begin() + static_cast<std::ptrdiff_t>(PackedOffsets::FramesBytes(records)));
  const PackedOffsets whole(blob.data());
  const PackedOffsets framed(frames.data(), blob.data());
  for (uint32_t i = 0; i < records; ++i) {
    const auto [begin, end] = whole.At(i);
    const auto [framed_begin, framed_end] = framed.At(i);
    Expect(begin == framed_begin && end == framed_end, "record ", i, " differs in a copy of the frames");
  }
}

}  // namespace ofindex
