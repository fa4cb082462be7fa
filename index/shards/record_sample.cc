#include "index/shards/record_sample.h"

#include <algorithm>
#include <array>

#include "base/framing.h"
#include "mmap/files/fault_guard.h"
#include "mmap/files/mapped_file.h"
#include "mmap/inflate/inflater.h"

namespace ofindex {
namespace {

constexpr size_t kSampleRecords = 64;
constexpr uint64_t kMaxReadBytes = uint64_t{64} << 20;  // for a file that inflates to almost nothing

// Returns the length in the header at `at`, from memory or the file; nullopt if the stream ends first.
std::optional<uint64_t> LengthAt(const Front& front, uint64_t at) {
  if (Fits(at, kLengthBytes, front.head.size())) return LoadLe64(front.head.data() + at);
  std::array<uint8_t, kLengthBytes> bytes;
  if (front.file == nullptr || !Fits(at, kLengthBytes, front.size)) return std::nullopt;
  const auto got = front.file->ReadAt(front.begin + at, bytes);
  if (!got || *got != bytes.size()) return std::nullopt;
  return LoadLe64(bytes.data());
}

// Votes by a record that is larger than the head. Touches only the pages that hold the payload's structure.
void VoteByLargeRecord(const Front& front, Framing framing, Sample& sample) {
  if (sample.strict != 0 || !sample.first_too_large || front.file == nullptr) return;
  const auto mapped = MappedFile::Map(*front.file, front.begin + front.size);
  const std::optional<uint64_t> length = LengthAt(front, *sample.first_too_large);
  if (!mapped || !length) return;
  mapped->AdviseRandom();
  // The file may have changed since its lengths were summed.
  const uint64_t begin = front.begin + *sample.first_too_large + HeaderBytes(framing);
  if (!Fits(begin, *length, mapped->bytes().size())) return;
  const ByteView payload = mapped->bytes().subspan(begin, *length);
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

}  // namespace

Sample SampleRecords(const Front& front, Framing framing) {
  Sample sample;
  const uint64_t overhead = FramingBytes(framing);
  // A TFRecord's first checksum has already settled the framing, so the head alone is enough of a sample.
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
    if (*length == 0) ++sample.empty;
    sample.bytes += *length + overhead;
    ++sample.records;
  }
  return sample;
}

Sample SampleFront(const Front& front, Framing framing) {
  Sample sample = SampleRecords(front, framing);
  VoteByLargeRecord(front, framing, sample);
  return sample;
}

bool IsChain(const Sample& sample) {
  if (sample.records == 0) return false;
  return !sample.leaves_stream || sample.strict != 0;
}

Result<InflatedFront> InflateFront(const File& file, uint64_t size, Compression compression, uint64_t limit) {
  Inflater inflater(file, size, compression);
  InflatedFront front{.bytes = std::vector<uint8_t>(limit), .sound = true, .all = false};
  size_t filled = 0;
  auto halt = Inflater::Halt::kBlock;
  while (halt == Inflater::Halt::kBlock && inflater.bit() / 8 < kMaxReadBytes) {
    size_t got = 0;
    OFINDEX_ASSIGN(halt, inflater.Read(std::span(front.bytes).subspan(filled), /*to_blocks=*/true, got));
    filled += got;
  }
  front.bytes.resize(filled);
  front.sound = inflater.damage().empty();
  front.all = halt == Inflater::Halt::kEnd && front.sound;
  return front;
}

Result<size_t> FrontBytes::ReadAt(uint64_t offset, std::span<uint8_t> out) const {
  if (offset >= bytes_.size()) return size_t{0};
  const size_t n = std::min<size_t>(out.size(), bytes_.size() - offset);
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), n, out.begin());
  return n;
}

}  // namespace ofindex
