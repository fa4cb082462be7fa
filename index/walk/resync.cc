#include "index/walk/resync.h"

#include <algorithm>

#include "base/framing.h"

namespace ofindex {
namespace {

// A search reads little at first, because most gaps are short and far apart.
constexpr uint64_t kFirstScanBytes = 4 << 10;
constexpr uint64_t kScanBytes = 256 << 10;
constexpr uint64_t kHeader = HeaderBytes(Framing::kTfRecord);
constexpr uint64_t kFooter = FooterBytes(Framing::kTfRecord);
constexpr uint64_t kOverhead = FramingBytes(Framing::kTfRecord);

bool IsHeader(const uint8_t* bytes, uint64_t at, uint64_t size) {
  const uint64_t length = LoadLe64(bytes);
  return length <= size && Fits(at, length + kOverhead, size) && LengthCrcHolds(bytes);
}

}  // namespace

Result<std::optional<RecordSearch::Header>> RecordSearch::FindHeader(uint64_t begin, uint64_t end) {
  while (begin < end && Fits(begin, kOverhead, size_)) {
    const bool in_window = begin >= window_begin_ && Fits(begin - window_begin_, kHeader, window_.size());
    if (!in_window) OFINDEX_TRY(Refill(begin));
    const uint64_t from = begin - window_begin_;
    if (!Fits(from, kHeader, window_.size())) return std::nullopt;
    const uint64_t positions = std::min<uint64_t>(window_.size() - from - kHeader + 1, end - begin);
    for (uint64_t i = 0; i < positions; ++i) {
      const uint8_t* const bytes = window_.data() + from + i;
      if (IsHeader(bytes, begin + i, size_)) return Header{begin + i, LoadLe64(bytes)};
    }
    begin += positions;
  }
  return std::nullopt;
}

Result<void> RecordSearch::Refill(uint64_t begin) {
  const bool continues = begin >= window_begin_ && begin - window_begin_ <= window_.size();
  next_bytes_ = continues ? std::clamp(2 * next_bytes_, kFirstScanBytes, kScanBytes) : kFirstScanBytes;
  window_.resize(std::min(next_bytes_, size_ - begin));
  window_begin_ = begin;
  OFINDEX_ASSIGN(const size_t got, bytes_.ReadAt(begin, window_));
  window_.resize(got);
  return {};
}

Result<RecordSearch::Outcome> RecordSearch::FindRecord(uint64_t begin, uint64_t end, uint64_t& budget) {
  for (uint64_t at = begin;;) {
    OFINDEX_ASSIGN(const std::optional<Header> candidate, FindHeader(at, end));
    if (!candidate) return Outcome{};
    const uint64_t cost = candidate->length + kOverhead;
    if (cost > budget) return Outcome{.gave_up = true};
    budget -= cost;
    OFINDEX_ASSIGN(const bool holds, PayloadCrcHolds(*candidate));
    if (holds) return Outcome{.found = candidate->begin};
    at = candidate->begin + 1;
  }
}

// Reads payload and footer in pieces, and sums all except the footer, which is the last four bytes.
Result<bool> RecordSearch::PayloadCrcHolds(const Header& header) const {
  std::vector<uint8_t> buffer(std::min(header.length + kFooter, kScanBytes));
  uint64_t at = header.begin + kHeader;
  uint64_t left = header.length;
  uint32_t crc = 0;
  for (;;) {
    const std::span<uint8_t> part = std::span(buffer).first(std::min<uint64_t>(left + kFooter, buffer.size()));
    OFINDEX_ASSIGN(const size_t got, bytes_.ReadAt(at, part));
    if (got != part.size()) return false;
    if (part.size() == left + kFooter) {
      crc = Crc32c(part.first(left), crc);
      return LoadLe32(part.data() + left) == MaskCrc(crc);
    }
    const uint64_t summed = std::min<uint64_t>(left, part.size());
    crc = Crc32c(part.first(summed), crc);
    at += summed;
    left -= summed;
  }
}

}  // namespace ofindex
