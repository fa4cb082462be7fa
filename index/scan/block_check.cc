#include "index/scan/block_check.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/checksum.h"
#include "base/framing.h"

namespace ofindex {
namespace {

constexpr uint64_t kCheckedAtOnce = uint64_t{1} << 20;

struct Sums {
  uint32_t crc = 0;
  uint64_t hash = 0;
};

// Computes both sums of a payload; a large one is read in pieces.
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

}  // namespace

BlockChecker::BlockChecker(const ReadableBytes& bytes, Framing framing, uint64_t end)
    : framing_(framing), window_(bytes, end, kCheckedAtOnce) {}

Result<void> BlockChecker::Add(uint64_t begin, uint64_t end, std::optional<uint64_t> hash) {
  const uint64_t length = end - begin - FramingBytes(framing_);
  std::array<uint8_t, kMaxHeaderBytes> header{};
  OFINDEX_ASSIGN(const ByteView header_bytes, window_.At(begin, HeaderBytes(framing_)));
  std::copy(header_bytes.begin(), header_bytes.end(), header.begin());
  const bool checksums = framing_ == Framing::kTfRecord;
  OFINDEX_ASSIGN(const Sums sums, SumPayload(window_, begin + HeaderBytes(framing_), length, checksums));
  std::optional<RecordFault> fault;
  if (LoadLe64(header.data()) != length) {
    fault = RecordFault::kLength;
  } else if (checksums && !LengthCrcHolds(header.data())) {
    fault = RecordFault::kLengthCrc;
  } else if (checksums) {
    OFINDEX_ASSIGN(const ByteView footer, window_.At(end - 4, 4));
    if (LoadLe32(footer.data()) != MaskCrc(sums.crc)) fault = RecordFault::kPayloadCrc;
  }
  if (!fault && hash && *hash != sums.hash) fault = RecordFault::kPayloadHash;
  if (fault) findings_.faults.push_back({records_, *fault});
  if (length == 0) ++findings_.empty_records;
  findings_.hashes.resize(8 * (records_ + size_t{1}));
  StoreLe64(findings_.hashes.data() + size_t{8} * records_, sums.hash);
  ++records_;
  return {};
}

Result<BlockFindings> CheckBlock(const ReadableBytes& bytes, Framing framing, std::span<const uint64_t> boundaries,
                                 ByteView hashes, Progress& progress) {
  const size_t records = boundaries.empty() ? 0 : boundaries.size() - 1;
  if (records == 0) return BlockFindings();
  BlockChecker checker(bytes, framing, boundaries.back());
  checker.findings().hashes.reserve(8 * records);
  for (size_t i = 0; i < records; ++i) {
    if (progress.cancel) return Interrupted();
    const auto hash = hashes.empty() ? std::nullopt : std::optional(LoadLe64(hashes.data() + 8 * i));
    OFINDEX_TRY(checker.Add(boundaries[i], boundaries[i + 1], hash));
    progress.bytes_done.fetch_add(boundaries[i + 1] - boundaries[i], std::memory_order_relaxed);
  }
  progress.records_done.fetch_add(records, std::memory_order_relaxed);
  return std::move(checker.findings());
}

}  // namespace ofindex
