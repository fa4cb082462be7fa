#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/expect.h"
#include "fuzz/framing/framing_checks.h"
#include "fuzz/input.h"
#include "fuzz/memory_file.h"
#include "index/walk/inflating_walk.h"
#include "mmap/inflate/inflated_bytes.h"
#include "mmap/inflate/inflater.h"

namespace ofindex {
namespace {

constexpr size_t kMostInflated = 256 << 10;  // a stream that inflates to more is left there
constexpr size_t kMostCheckpoints = 32;

class HeldCheckpoints final : public Checkpoints {
 public:
  std::vector<StoredCheckpoint> list;

  [[nodiscard]] size_t size() const override { return list.size(); }
  [[nodiscard]] Result<Checkpoint> At(size_t i) const override {
    return Checkpoint{.position = list[i].position, .bit = list[i].bit, .stored = list[i].stored};
  }
};

struct InflatedStream {
  std::string bytes;
  HeldCheckpoints checkpoints;
  std::vector<StreamDamage> damage;
  bool ended = false;
};

// Inflates from the start, `at_once` bytes at a time, with checkpoints.
InflatedStream InflateFromStart(const File& file, uint64_t size, Compression compression, size_t at_once) {
  Inflater inflater(file, size, compression);
  InflatedStream stream;
  std::vector<uint8_t> room(at_once);
  while (stream.bytes.size() < kMostInflated) {
    size_t got = 0;
    const Result<Inflater::Halt> halt = inflater.Read(room, /*to_blocks=*/true, got);
    Expect(halt.has_value() && got <= room.size(), "inflating fails");
    stream.bytes += AsText(ByteView(room).first(got));
    Expect(inflater.position() == stream.bytes.size(), "another position than bytes");
    if (*halt == Inflater::Halt::kBlock && stream.checkpoints.list.size() < kMostCheckpoints) {
      Expect(inflater.bit() <= 8 * size, "a block after the end of the file");
      stream.checkpoints.list.push_back(
          {inflater.position(), inflater.bit(), StoreWindow(inflater.position(), inflater.bit(), inflater.Window())});
    }
    stream.ended = *halt == Inflater::Halt::kEnd;
    if (stream.ended) break;
  }
  stream.damage = inflater.damage();
  for (const StreamDamage& damage : stream.damage) {
    Expect(damage.file_begin <= damage.file_end && damage.file_end <= size, "damage outside the file");
    Expect(damage.position <= stream.bytes.size(), "damage after the inflated bytes");
  }
  return stream;
}

std::string SpellDamage(const std::vector<StreamDamage>& damage) {
  std::string text;
  for (const StreamDamage& each : damage) {
    text += StrCat(static_cast<int>(each.fault), "@", each.position, " [", each.file_begin, ", ", each.file_end, ") ");
  }
  return text;
}

// The blocks at one position are one checkpoint to a reader: the last of them.
void DropRepeated(std::vector<StoredCheckpoint>& list) {
  for (size_t i = list.size(); i > 1; --i) {
    if (list[i - 2].position == list[i - 1].position) list.erase(list.begin() + static_cast<std::ptrdiff_t>(i - 2));
  }
}

// Reads the stream from checkpoints: first from its end to its beginning, then forward over their borders.
void CheckFromCheckpoints(std::shared_ptr<const File> file, uint64_t size, Compression compression,
                          InflatedStream& stream, size_t step) {
  DropRepeated(stream.checkpoints.list);
  if (stream.checkpoints.list.empty() || stream.bytes.empty()) return;
  const CompressedFacts facts{.compression = compression, .file_bytes = size, .inflated_bytes = stream.bytes.size()};
  Expect(facts.plausible(), "more bytes than deflate can hold");
  SpanCache cache(1 << 20);
  const InflatedBytes bytes(std::move(file), facts, stream.checkpoints, cache, 0);
  const size_t length = stream.bytes.size();
  std::shared_ptr<const Span> last;
  const auto check = [&](size_t begin) {
    std::vector<uint8_t> part(std::min(step, length - begin));
    const Result<std::optional<size_t>> got = bytes.ReadIfFree(begin, part, last);
    Expect(got.has_value() && got->has_value(), "from a checkpoint, [", begin, ", ", begin + part.size(),
           ") is not there");
    Expect(**got == part.size() && AsText(part) == std::string_view(stream.bytes).substr(begin, part.size()),
           "from a checkpoint, other bytes at ", begin);
  };
  const size_t stride = std::max<size_t>(step, length / 64 + 1);
  for (size_t begin = (length - 1) / stride * stride;; begin -= stride) {
    check(begin);
    if (begin == 0) break;
  }
  for (const StoredCheckpoint& point : stream.checkpoints.list) check(std::min<size_t>(point.position, length - 1));
}

// Changes a checkpoint, which an index could have under a correct checksum, or the size that it gives.
void ForgeCheckpoint(std::vector<StoredCheckpoint>& list, uint64_t& inflated, FuzzInput& forgery) {
  const size_t what = forgery.Below(6);
  if (what == 0 || list.empty()) {
    inflated += forgery.Number(2);
    return;
  }
  StoredCheckpoint& point = list[forgery.Byte() % list.size()];
  const uint64_t value = forgery.Number(2);
  std::vector<uint8_t> window =
      WindowOf({.position = point.position, .bit = point.bit, .stored = point.stored}).value_or(std::vector<uint8_t>{});
  switch (what) {
    case 1: point.position += value - 100; break;
    case 2: point.bit = value; break;
    case 3: window.resize(value); break;
    case 4:
      if (!window.empty()) window[value % window.size()] ^= 1;
      break;
    default:  // with a wrong checksum
      if (!point.stored.empty()) point.stored[value % point.stored.size()] ^= 1;
      if (value > 65000) point.stored.resize(value);
      return;
  }
  point.stored = StoreWindow(point.position, point.bit, window);
}

// Reads from checkpoints that say anything: bytes or errors.
void ReadFromForged(std::shared_ptr<const File> file, uint64_t size, Compression compression, InflatedStream stream,
                    FuzzInput forgery) {
  uint64_t inflated = stream.bytes.size();
  for (size_t n = 1 + forgery.Below(3); n > 0; --n) ForgeCheckpoint(stream.checkpoints.list, inflated, forgery);
  if (forgery.Below(8) == 0) stream.checkpoints.list.clear();
  const CompressedFacts facts{.compression = compression, .file_bytes = size, .inflated_bytes = inflated};
  if (!facts.plausible()) return;
  SpanCache cache(4096);
  const InflatedBytes bytes(std::move(file), facts, stream.checkpoints, cache, 0);
  for (uint64_t begin = 0; begin < inflated; begin += inflated / 8 + 1) {
    std::vector<uint8_t> part(100);
    static_cast<void>(IsThere(bytes.ReadAt(begin, part)));
  }
}

// Inflates as a build does, which makes its own checkpoints.
void CheckWalkOf(std::shared_ptr<const File> file, uint64_t size, Compression compression, const std::string& expected,
                 uint64_t distance, bool ahead, uint64_t most) {
  Progress progress;
  InflatingWalk walk(std::move(file), size, compression,
                     {.checkpoint_bytes = distance, .max_ratio = 2000, .max_bytes = most}, ahead, progress);
  const Result<uint64_t> all = walk.Size(kMostInflated);
  Expect(expected.size() > most || all.has_value(), "a walk within its limits fails");
  if (!IsThere(all)) return;
  std::string bytes(expected.size(), '\0');
  const Result<size_t> got = walk.ReadAt(0, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
  Expect(got.has_value() && *got == expected.size() && bytes == expected, "the walk has other bytes");
  const Result<StreamFindings> findings = walk.Finish();
  Expect(findings.has_value() && findings->inflated_bytes == expected.size(), "the walk has another size");
  const DamagedRange tail{expected.size() / 2, expected.size(), DamageReason::kTornTail, std::nullopt};
  std::vector<DamagedRange> walked = {tail};
  if (expected.size() % 2 == 0) walked.clear();
  const std::vector<DamagedRange> damage = DamageOf(walked, *findings, size);
  for (size_t i = 0; i < damage.size(); ++i) {
    Expect(damage[i].begin <= damage[i].end && damage[i].file && damage[i].file->end <= size,
           "damage outside the file");
  }
}

}  // namespace

// The first byte chooses the compression, whether a thread inflates, how much, and whether checkpoints are forged, by
// what follows it.
void CheckInflating(ByteView bytes) {
  FuzzInput input(bytes);
  const uint8_t choices = input.Byte();
  const auto compression = static_cast<Compression>(1 + choices % 3);
  const FuzzInput forgery(choices % 128 < 64 ? ByteView() : input.Bytes(16));
  const size_t at_once = 1 + input.Number(2) % 5000;
  const size_t step = 1 + input.Number(2) % 3000;
  const ByteView stream = input.Rest();
  const MemoryFile memory(stream);
  const auto file = std::make_shared<const File>(memory.Open());
  InflatedStream whole = InflateFromStart(*file, stream.size(), compression, 1 << 16);
  const InflatedStream again = InflateFromStart(*file, stream.size(), compression, at_once);
  if (!whole.ended || !again.ended) return;
  ExpectSame(ToHex(AsBytes(whole.bytes)), ToHex(AsBytes(again.bytes)), "the bytes at once and in pieces");
  ExpectSame(SpellDamage(whole.damage), SpellDamage(again.damage), "the damage at once and in pieces");
  const std::string inflated = whole.bytes;
  CheckWalkOf(file, stream.size(), compression, inflated, step, choices >= 128, choices >= 224 ? 1000 : kMostInflated);
  CheckFromCheckpoints(file, stream.size(), compression, whole, step);
  if (!forgery.empty()) ReadFromForged(file, stream.size(), compression, std::move(whole), forgery);
}

}  // namespace ofindex
