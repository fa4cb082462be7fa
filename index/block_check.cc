#include "index/block_check.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/checksum.h"
#include "base/framing.h"
#include "index/forward_window.h"

namespace ofindex {
namespace {

constexpr uint64_t kWindowBytes = uint64_t{1} << 20;

struct Sums {
  uint32_t crc = 0;
  uint64_t hash = 0;
};

// Both sums of a payload; a large one passes through in pieces.
Result<Sums> SumPayload(ForwardWindow& window, uint64_t offset, uint64_t length, bool with_crc) {
  if (length == 0) return Sums{.crc = 0, .hash = Xxh3({})};
  OFINDEX_ASSIGN(ByteView piece, window.At(offset, length));
  if (piece.size() == length) return Sums{.crc = with_crc ? Crc32c(piece) : 0, .hash = Xxh3(piece)};
  Sums sums;
  Xxh3Stream hash;
  for (uint64_t done = 0; done < length; done += piece.size()) {
    OFINDEX_ASSIGN(piece, window.At(offset + done, length - done));
    hash.Add(piece);
    if (with_crc) sums.crc = Crc32c(piece, sums.crc);
  }
  sums.hash = hash.Digest64();
  return sums;
}

class BlockChecker {
 public:
  BlockChecker(const File& file, Framing framing, std::span<const uint64_t> points)
      : framing_(framing), points_(points), window_(file, points.back(), kWindowBytes) {}

  // The hash of record `i`, and its first fault.
  struct Outcome {
    uint64_t hash;
    std::optional<RecordFault> fault;
  };

  Result<Outcome> Check(size_t i, ByteView hashes) {
    const uint64_t begin = points_[i];
    const uint64_t length = points_[i + 1] - begin - FramingBytes(framing_);
    std::array<uint8_t, kMaxHeaderBytes> header{};
    OFINDEX_ASSIGN(const ByteView header_bytes, window_.At(begin, HeaderBytes(framing_)));
    std::copy(header_bytes.begin(), header_bytes.end(), header.begin());
    const bool checksums = framing_ == Framing::kTfRecord;
    OFINDEX_ASSIGN(const Sums sums, SumPayload(window_, begin + HeaderBytes(framing_), length, checksums));
    Outcome outcome{.hash = sums.hash, .fault = std::nullopt};
    if (LoadLe64(header.data()) != length) {
      outcome.fault = RecordFault::kLength;
    } else if (checksums && !LengthCrcHolds(header.data())) {
      outcome.fault = RecordFault::kLengthCrc;
    } else if (checksums) {
      OFINDEX_ASSIGN(const ByteView footer, window_.At(points_[i + 1] - 4, 4));
      if (LoadLe32(footer.data()) != MaskCrc(sums.crc)) outcome.fault = RecordFault::kPayloadCrc;
    }
    const bool other = !hashes.empty() && LoadLe64(hashes.data() + 8 * i) != sums.hash;
    if (!outcome.fault && other) outcome.fault = RecordFault::kPayloadHash;
    return outcome;
  }

 private:
  const Framing framing_;
  const std::span<const uint64_t> points_;
  ForwardWindow window_;
};

}  // namespace

Result<BlockFindings> CheckBlock(const File& file, Framing framing, std::span<const uint64_t> points, ByteView hashes,
                                 Progress& progress) {
  BlockFindings findings;
  const size_t records = points.empty() ? 0 : points.size() - 1;
  if (records == 0) return findings;
  findings.hashes.resize(8 * records);
  BlockChecker checker(file, framing, points);
  for (size_t i = 0; i < records; ++i) {
    if (progress.cancel) return Interrupted();
    OFINDEX_ASSIGN(const BlockChecker::Outcome outcome, checker.Check(i, hashes));
    StoreLe64(findings.hashes.data() + 8 * i, outcome.hash);
    if (outcome.fault) findings.faults.push_back({static_cast<uint32_t>(i), *outcome.fault});
    if (points[i + 1] - points[i] == FramingBytes(framing)) ++findings.empty_records;
    progress.bytes_done.fetch_add(points[i + 1] - points[i], std::memory_order_relaxed);
  }
  progress.records_done.fetch_add(records, std::memory_order_relaxed);
  return findings;
}

}  // namespace ofindex
