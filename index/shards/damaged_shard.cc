#include "index/shards/damaged_shard.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/framing.h"
#include "index/walk/resync.h"
#include "index/walk/walker.h"
#include "mmap/inflate/compression_header.h"

namespace ofindex {
namespace {

class DamagedShard {
 public:
  DamagedShard(const File& file, uint64_t size, const FormatChoice& choice, const std::optional<ShardTraits>& siblings)
      : file_(file), size_(size), choice_(choice), siblings_(siblings) {}

  Result<Detection> Detect(const Detection& first_detection) {
    OFINDEX_ASSIGN(head_, ReadHead(file_, size_));
    if (IsLfsPointer(head_)) return siblings_ ? Lost(DamageReason::kLfsPointer) : first_detection;
    if (MayBeTfRecord() && choice_.compression.value_or(Compression::kNone) == Compression::kNone) {
      OFINDEX_ASSIGN(std::optional<Detection> found, FindTfRecord());
      if (found) return std::move(*found);
    }
    compression_ = choice_.compression ? choice_.compression : CompressionHeader(head_);
    if (compression_ && *compression_ != Compression::kNone) {
      OFINDEX_ASSIGN(inflated_, InflateFront(file_, size_, *compression_, kDetectedInflatedBytes));
      OFINDEX_ASSIGN(std::optional<Detection> found, FindInflatedTfRecord());
      if (found) return std::move(*found);
    }
    return siblings_ ? OfSiblings() : first_detection;
  }

 private:
  // The format of the set takes precedence over what an OFRecord's payload may contain.
  [[nodiscard]] bool MayBeTfRecord() const {
    if (choice_.framing) return *choice_.framing == Framing::kTfRecord;
    return !siblings_ || siblings_->framing == Framing::kTfRecord;
  }

  Result<std::optional<uint64_t>> Find(const ReadableBytes& bytes, uint64_t size) const {
    uint64_t budget = ResyncBudget(size);
    OFINDEX_ASSIGN(const RecordSearch::Outcome outcome,
                   RecordSearch(bytes, size).FindRecord(0, std::min(size, kSearchedBytes), budget));
    return outcome.found;
  }

  Result<std::optional<Detection>> FindTfRecord() const {
    OFINDEX_ASSIGN(const std::optional<uint64_t> begin, Find(FileBytes(file_, size_), size_));
    if (!begin) return std::nullopt;
    std::vector<uint8_t> head(std::min(size_ - *begin, kDetectedBytes));
    OFINDEX_ASSIGN(const size_t got, file_.ReadAt(*begin, head));
    head.resize(got);
    const Front front{.head = head, .size = size_ - *begin, .file = &file_, .begin = *begin};
    return FromTfRecords(SampleFront(front, Framing::kTfRecord), Compression::kNone);
  }

  Result<std::optional<Detection>> FindInflatedTfRecord() const {
    if (!MayBeTfRecord()) return std::nullopt;
    const ByteView bytes = inflated_.bytes;
    OFINDEX_ASSIGN(const std::optional<uint64_t> begin, Find(FrontBytes(bytes, file_.path()), bytes.size()));
    if (!begin) return std::nullopt;
    const Front front{.head = bytes.subspan(*begin), .size = bytes.size() - *begin, .file = nullptr};
    return FromTfRecords(SampleRecords(front, Framing::kTfRecord), *compression_);
  }

  [[nodiscard]] Detection FromTfRecords(const Sample& sample, Compression compression) const {
    Detection found = Claim(Framing::kTfRecord, sample, choice_, true);
    if (sample.strict == 0 && siblings_ && !choice_.payload) found.payload = siblings_->payload;
    SetCompression(found, compression);
    return found;
  }

  [[nodiscard]] Detection Lost(DamageReason reason) const {
    Detection lost = AsSiblings({}, Compression::kNone);
    lost.lost = reason;
    return lost;
  }

  [[nodiscard]] Detection AsSiblings(const Sample& sample, Compression compression) const {
    Detection detection = Claim(choice_.framing.value_or(siblings_->framing), sample, choice_, false);
    detection.payload = choice_.payload.value_or(siblings_->payload);
    SetCompression(detection, compression);
    return detection;
  }

  // The walk skips zero bytes at the front of an OFRecord file.
  static uint64_t ZeroHead(ByteView head, Framing framing) {
    if (framing != Framing::kOfRecord) return 0;
    const auto nonzero = std::find_if(head.begin(), head.end(), [](uint8_t byte) { return byte != 0; });
    const auto zeros = static_cast<uint64_t>(nonzero - head.begin());
    return zeros < kMinZeroHead ? 0 : zeros / kLengthBytes * kLengthBytes;
  }

  [[nodiscard]] Detection OfSiblings() const {
    const Framing framing = choice_.framing.value_or(siblings_->framing);
    const Compression compression = compression_.value_or(siblings_->compression);
    const bool plain = compression == Compression::kNone;
    const ByteView head = plain ? head_ : inflated_.bytes;
    const uint64_t zeros = ZeroHead(head, framing);
    const Front front{.head = head.subspan(zeros),
                      .size = (plain ? size_ : head.size()) - zeros,
                      .file = plain ? &file_ : nullptr,
                      .begin = zeros};
    const Sample sample = SampleRecords(front, framing);
    Detection detection = AsSiblings(sample, compression);
    const bool cut_by_front = !plain && inflated_.sound && !inflated_.all;
    const bool leads_on = sample.records > sample.empty && (IsChain(sample) || cut_by_front);
    // If payloads are of no known kind, records cannot be told from the bytes that a wrong length leads to.
    const bool can_tell = detection.payload != PayloadKind::kOpaque;
    if (framing == Framing::kOfRecord && can_tell && sample.records != 0 && !leads_on) {
      detection.lost = DamageReason::kBadLength;
    }
    return detection;
  }

  const File& file_;
  const uint64_t size_;
  const FormatChoice& choice_;
  const std::optional<ShardTraits>& siblings_;
  std::vector<uint8_t> head_;
  std::optional<Compression> compression_;  // given by the user or found in the head
  InflatedFront inflated_{.bytes = {}, .sound = false, .all = false};
};

}  // namespace

Result<Detection> DetectDamaged(const File& file, uint64_t size, const FormatChoice& choice,
                                const std::optional<ShardTraits>& siblings, const Detection& first_detection) {
  return DamagedShard(file, size, choice, siblings).Detect(first_detection);
}

}  // namespace ofindex
