#include "index/detect.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/framing.h"
#include "base/text.h"
#include "mmap/fault_guard.h"
#include "mmap/inflating/compression_header.h"
#include "mmap/inflating/inflater.h"
#include "mmap/mapped_file.h"
#include "proto/payload_kind.h"

namespace ofindex {
namespace {

constexpr uint64_t kHeadBytes = 128 << 10;
constexpr size_t kSampleRecords = 64;
constexpr uint64_t kInflatedBytes = uint64_t{1} << 20;
constexpr uint64_t kMostReadBytes = uint64_t{64} << 20;  // of a file that inflates to next to nothing
constexpr uint64_t kMostInflatedBytes = uint64_t{16} << 20;        // where the first record is larger than that
constexpr std::string_view kLfsMagic = "version https://git-lfs";  // git-lfs/docs/spec.md

// A stream of bytes of which only the front is in memory: the head of a file, or what the head of one inflates to.
struct Front {
  ByteView head;
  uint64_t size;     // of the whole stream; of an inflated one, as far as it was inflated
  const File* file;  // where the rest is, if it can be had
};

// The first records of a stream, taken as one framing.
struct Sample {
  uint64_t records = 0;        // whole ones, 64 at the most
  uint64_t bytes = 0;          // that they take
  uint64_t strict = 0;         // of strictly known payload
  bool leaves_stream = false;  // the next header claims more than there is, or is cut off
  PayloadVote vote;
  std::optional<uint64_t> first_too_large;  // begin of the first non-empty record that the head does not hold
};

bool BeginsAsTfRecord(ByteView head) {
  return head.size() >= HeaderBytes(Framing::kTfRecord) && LengthCrcHolds(head.data());
}

// The length in the header at `at`, from memory or the file; nullopt where the stream ends first.
std::optional<uint64_t> LengthAt(const Front& front, uint64_t at) {
  if (Fits(at, kLengthBytes, front.head.size())) return LoadLe64(front.head.data() + at);
  std::array<uint8_t, kLengthBytes> bytes;
  if (front.file == nullptr || !Fits(at, kLengthBytes, front.size)) return std::nullopt;
  const auto got = front.file->ReadAt(at, bytes);
  if (!got || *got != bytes.size()) return std::nullopt;
  return LoadLe64(bytes.data());
}

Sample SampleRecords(const Front& front, Framing framing) {
  Sample sample;
  const uint64_t overhead = FramingBytes(framing);
  // A TFRecord's first checksum has settled the framing: there the head alone is enough of a sample.
  const uint64_t end = framing == Framing::kTfRecord ? std::min<uint64_t>(front.size, front.head.size()) : front.size;
  while (sample.records < kSampleRecords && sample.bytes < end) {
    const std::optional<uint64_t> length = LengthAt(front, sample.bytes);
    if (!length || *length > front.size || !Fits(sample.bytes, *length + overhead, front.size)) {
      sample.leaves_stream = true;
      break;
    }
    const uint64_t payload_at = sample.bytes + HeaderBytes(framing);
    if (Fits(payload_at, *length, front.head.size())) {
      const std::optional<PayloadKind> kind = StrictPayloadKind(front.head.subspan(payload_at, *length));
      sample.vote.Add(kind);
      if (kind && *kind != PayloadKind::kOpaque) ++sample.strict;
    } else if (!sample.first_too_large) {
      sample.first_too_large = sample.bytes;
    }
    sample.bytes += *length + overhead;
    ++sample.records;
  }
  return sample;
}

// Votes by a record that is larger than the head. Its pages are touched where the payload's structure is, and no
// others.
void VoteByLargeRecord(const Front& front, Framing framing, Sample& sample) {
  if (sample.strict != 0 || !sample.first_too_large || front.file == nullptr) return;
  const auto mapped = MappedFile::Map(*front.file, front.size);
  const std::optional<uint64_t> length = LengthAt(front, *sample.first_too_large);
  if (!mapped || !length) return;
  mapped->AdviseRandom();
  const ByteView payload = mapped->bytes().subspan(*sample.first_too_large + HeaderBytes(framing), *length);
  volatile bool strict = false;
  volatile PayloadKind kind = PayloadKind::kOpaque;
  const bool whole = FaultGuard::Run([&] {
    const std::optional<PayloadKind> found = StrictPayloadKind(payload);
    strict = found.has_value() && *found != PayloadKind::kOpaque;
    kind = found.value_or(PayloadKind::kOpaque);
  });
  if (!whole) return;
  sample.vote.Add(kind);
  if (strict) ++sample.strict;
}

Sample SampleFront(const Front& front, Framing framing) {
  Sample sample = SampleRecords(front, framing);
  VoteByLargeRecord(front, framing, sample);
  return sample;
}

// A chain of lengths is a chain only if it gets somewhere: to the end, or through 64 records, or to a record that is
// cut off behind one that is strict.
bool IsChain(const Sample& sample) {
  if (sample.records == 0) return false;
  return !sample.leaves_stream || sample.strict != 0;
}

Detection Claim(Framing framing, const Sample& sample, const FormatChoice& choice) {
  Detection detection;
  detection.verdict = Detection::Verdict::kRecords;
  detection.framing = framing;
  detection.payload = choice.payload.value_or(sample.vote.Winner());
  detection.mean_record_bytes = sample.records == 0 ? 0 : sample.bytes / sample.records;
  detection.what = std::string(Name(framing));
  return detection;
}

// What a compressed file inflates to, from its front.
struct Inflated {
  std::vector<uint8_t> bytes;
  bool sound;  // nothing was found wrong so far
  bool all;    // and there is no more of it
};

Result<Inflated> InflateFront(const File& file, uint64_t size, Compression compression, uint64_t most) {
  Inflater inflater(file, size, compression);
  Inflated front{.bytes = std::vector<uint8_t>(most), .sound = true, .all = false};
  size_t filled = 0;
  auto halt = Inflater::Halt::kBlock;
  while (halt == Inflater::Halt::kBlock && inflater.bit() / 8 < kMostReadBytes) {
    size_t got = 0;
    OFINDEX_ASSIGN(halt, inflater.Read(std::span(front.bytes).subspan(filled), /*to_blocks=*/true, got));
    filled += got;
  }
  front.bytes.resize(filled);
  front.sound = inflater.damage().empty();
  front.all = halt == Inflater::Halt::kEnd && front.sound;
  return front;
}

// The bytes that a first record takes that is larger than the front, whatever its framing; 0 if none is, or it is too
// large to be looked at whole.
uint64_t LargeFirstRecord(const Inflated& front, uint64_t most) {
  if (front.bytes.size() < most) return 0;
  const uint64_t length = LoadLe64(front.bytes.data());
  if (length > kMostInflatedBytes) return 0;
  const uint64_t whole = length + FramingBytes(Framing::kTfRecord);
  return whole > most ? whole : 0;
}

// What the front of a compressed file holds; nothing where neither a record nor the user vouches that it is one.
std::optional<Detection> ClaimInflated(const Inflated& inflated, const FormatChoice& choice) {
  if (inflated.bytes.empty() && inflated.all) return Claim(Framing::kEmpty, {}, choice);
  const Front front{.head = inflated.bytes, .size = inflated.bytes.size(), .file = nullptr};
  if (choice.framing) {
    // A plain shard may begin as a compressed one, but not go on as one.
    if (!choice.compression && !inflated.sound && inflated.bytes.size() < kInflatedBytes) return std::nullopt;
    return Claim(*choice.framing, SampleRecords(front, *choice.framing), choice);
  }
  if (BeginsAsTfRecord(inflated.bytes)) {
    return Claim(Framing::kTfRecord, SampleRecords(front, Framing::kTfRecord), choice);
  }
  const Sample sample = SampleRecords(front, Framing::kOfRecord);
  if (sample.strict != 0) return Claim(Framing::kOfRecord, sample, choice);
  return std::nullopt;
}

Result<std::optional<Detection>> DetectCompressed(const File& file, uint64_t size, ByteView head,
                                                  const FormatChoice& choice) {
  const std::optional<Compression> compression = choice.compression ? choice.compression : CompressionHeader(head);
  if (!compression || *compression == Compression::kNone) return std::nullopt;
  OFINDEX_ASSIGN(Inflated inflated, InflateFront(file, size, *compression, kInflatedBytes));
  if (const uint64_t whole = LargeFirstRecord(inflated, kInflatedBytes); whole != 0) {
    OFINDEX_ASSIGN(inflated, InflateFront(file, size, *compression, whole));
  }
  std::optional<Detection> detection = ClaimInflated(inflated, choice);
  if (!detection) return std::nullopt;
  detection->compression = *compression;
  detection->what = StrCat(Name(*compression), "-compressed ", detection->what);
  return detection;
}

Detection NotClaimed(Detection::Verdict verdict, std::string what) {
  Detection detection;
  detection.verdict = verdict;
  detection.what = std::move(what);
  return detection;
}

}  // namespace

Result<Detection> DetectShard(const File& file, uint64_t size, const FormatChoice& choice) {
  if (size == 0) return Claim(Framing::kEmpty, {}, choice);
  std::vector<uint8_t> head(std::min(size, kHeadBytes));
  OFINDEX_ASSIGN(const size_t got, file.ReadAt(0, head));
  head.resize(got);
  const Front front{.head = head, .size = size, .file = &file};

  const bool may_be_plain = choice.compression.value_or(Compression::kNone) == Compression::kNone;
  if (may_be_plain && BeginsAsTfRecord(head) && choice.framing.value_or(Framing::kTfRecord) == Framing::kTfRecord) {
    return Claim(Framing::kTfRecord, SampleFront(front, Framing::kTfRecord), choice);
  }
  OFINDEX_ASSIGN(const std::optional<Detection> compressed, DetectCompressed(file, size, head, choice));
  if (compressed) return *compressed;
  if (!may_be_plain) {
    return NotClaimed(Detection::Verdict::kUnknown,
                      StrCat("not a record file that is compressed as ", Name(*choice.compression)));
  }
  if (choice.framing) return Claim(*choice.framing, SampleFront(front, *choice.framing), choice);
  if (AsText(head).starts_with(kLfsMagic)) {
    return NotClaimed(Detection::Verdict::kLfsPointer, "a Git-LFS pointer, not the file: run `git lfs pull`");
  }
  const Sample sample = SampleFront(front, Framing::kOfRecord);
  if (IsChain(sample)) {
    if (sample.strict != 0) return Claim(Framing::kOfRecord, sample, choice);
    return NotClaimed(Detection::Verdict::kLengthPrefixed,
                      "length-prefixed, of unknown payload: `--format ofrecord` takes it");
  }
  return NotClaimed(Detection::Verdict::kUnknown, "not a record file");
}

}  // namespace ofindex
