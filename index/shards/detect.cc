#include "index/shards/detect.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/framing.h"
#include "base/text.h"
#include "mmap/inflate/compression_header.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxInflatedBytes = uint64_t{16} << 20;         // if the first record is larger than that
constexpr std::string_view kLfsMagic = "version https://git-lfs";  // git-lfs/docs/spec.md

bool BeginsAsTfRecord(ByteView head) {
  return head.size() >= HeaderBytes(Framing::kTfRecord) && LengthCrcHolds(head.data());
}

// Returns the size of the first record, in either framing, if it is larger than `limit`; 0 if it is not, or if it is
// too large to be read whole.
uint64_t LargeFirstRecord(const InflatedFront& front, uint64_t limit) {
  if (front.bytes.size() < limit) return 0;
  const uint64_t length = LoadLe64(front.bytes.data());
  if (length > kMaxInflatedBytes) return 0;
  const uint64_t whole = length + FramingBytes(Framing::kTfRecord);
  return whole > limit ? whole : 0;
}

// Detects what a compressed file holds, from the front of its inflated bytes. Returns nothing unless a record there, or
// the user, confirms that the file is compressed.
std::optional<Detection> ClaimInflated(const InflatedFront& inflated, const FormatChoice& choice) {
  if (inflated.bytes.empty() && inflated.all) return Claim(Framing::kEmpty, {}, choice, true);
  const Front front{.head = inflated.bytes, .size = inflated.bytes.size(), .file = nullptr};
  if (choice.framing) {
    // A plain shard may begin like a compressed one, but not continue like one.
    if (!choice.compression && !inflated.sound && inflated.bytes.size() < kDetectedInflatedBytes) return std::nullopt;
    const Sample sample = SampleRecords(front, *choice.framing);
    const bool proven =
        *choice.framing == Framing::kTfRecord ? BeginsAsTfRecord(inflated.bytes) : sample.records > sample.empty;
    return Claim(*choice.framing, sample, choice, proven);
  }
  if (BeginsAsTfRecord(inflated.bytes)) {
    return Claim(Framing::kTfRecord, SampleRecords(front, Framing::kTfRecord), choice, true);
  }
  const Sample sample = SampleRecords(front, Framing::kOfRecord);
  if (sample.strict != 0) return Claim(Framing::kOfRecord, sample, choice, true);
  return std::nullopt;
}

Result<std::optional<Detection>> DetectCompressed(const File& file, uint64_t size, ByteView head,
                                                  const FormatChoice& choice) {
  const std::optional<Compression> compression = choice.compression ? choice.compression : CompressionHeader(head);
  if (!compression || *compression == Compression::kNone) return std::nullopt;
  OFINDEX_ASSIGN(InflatedFront inflated, InflateFront(file, size, *compression, kDetectedInflatedBytes));
  if (const uint64_t whole = LargeFirstRecord(inflated, kDetectedInflatedBytes); whole != 0) {
    OFINDEX_ASSIGN(inflated, InflateFront(file, size, *compression, whole));
  }
  std::optional<Detection> detection = ClaimInflated(inflated, choice);
  if (!detection) return std::nullopt;
  SetCompression(*detection, *compression);
  return detection;
}

Detection NotClaimed(Detection::Verdict verdict, std::string what) {
  Detection detection;
  detection.verdict = verdict;
  detection.what = std::move(what);
  return detection;
}

}  // namespace

Result<std::vector<uint8_t>> ReadHead(const File& file, uint64_t size) {
  std::vector<uint8_t> head(std::min(size, kDetectedBytes));
  OFINDEX_ASSIGN(const size_t got, file.ReadAt(0, head));
  head.resize(got);
  return head;
}

bool IsLfsPointer(ByteView head) { return AsText(head).starts_with(kLfsMagic); }

Detection Claim(Framing framing, const Sample& sample, const FormatChoice& choice, bool proven) {
  Detection detection;
  detection.verdict = Detection::Verdict::kRecords;
  detection.framing = framing;
  detection.payload = choice.payload.value_or(sample.vote.Winner());
  detection.mean_record_bytes = sample.records == 0 ? 0 : sample.bytes / sample.records;
  detection.what = std::string(Name(framing));
  detection.proven = proven;
  return detection;
}

void SetCompression(Detection& detection, Compression compression) {
  detection.compression = compression;
  if (compression != Compression::kNone) detection.what = StrCat(Name(compression), "-compressed ", detection.what);
}

Result<Detection> DetectShard(const File& file, uint64_t size, const FormatChoice& choice) {
  if (size == 0) return Claim(Framing::kEmpty, {}, choice, choice.framing.has_value());
  OFINDEX_ASSIGN(const std::vector<uint8_t> head, ReadHead(file, size));
  const Front front{.head = head, .size = size, .file = &file};

  const bool may_be_plain = choice.compression.value_or(Compression::kNone) == Compression::kNone;
  if (may_be_plain && BeginsAsTfRecord(head) && choice.framing.value_or(Framing::kTfRecord) == Framing::kTfRecord) {
    return Claim(Framing::kTfRecord, SampleFront(front, Framing::kTfRecord), choice, true);
  }
  OFINDEX_ASSIGN(const std::optional<Detection> compressed, DetectCompressed(file, size, head, choice));
  if (compressed) return *compressed;
  if (!may_be_plain) {
    return NotClaimed(Detection::Verdict::kUnknown,
                      StrCat("not a record file compressed with ", Name(*choice.compression)));
  }
  if (choice.framing) {
    const Sample sample = SampleFront(front, *choice.framing);
    const bool proven = *choice.framing == Framing::kOfRecord && IsChain(sample) && sample.records > sample.empty;
    return Claim(*choice.framing, sample, choice, proven);
  }
  if (IsLfsPointer(head)) {
    return NotClaimed(Detection::Verdict::kLfsPointer, "a Git-LFS pointer, not the file: run `git lfs pull`");
  }
  const Sample sample = SampleFront(front, Framing::kOfRecord);
  if (IsChain(sample)) {
    if (sample.strict != 0) return Claim(Framing::kOfRecord, sample, choice, true);
    return NotClaimed(Detection::Verdict::kLengthPrefixed,
                      "length-prefixed, of unknown payload: `--format ofrecord` accepts it");
  }
  return NotClaimed(Detection::Verdict::kUnknown, "not a record file");
}

}  // namespace ofindex
