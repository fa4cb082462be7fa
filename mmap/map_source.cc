#include <cstring>

#include "base/framing.h"
#include "mmap/byte_source.h"
#include "mmap/fault_guard.h"
#include "mmap/mapped_file.h"

namespace ofindex {
namespace {

// How many records ahead of the copy the cache lines are asked for: 12 to 16 doubles the speed of random copies of 350
// B (docs/benchmarks.md). Of a long record the first lines are enough, the processor fetches the rest by itself.
constexpr size_t kPrefetchAhead = 14;
constexpr uint64_t kPrefetchBytes = 512;
constexpr uint64_t kCacheLine = 64;

class Mapped final : public ByteSource {
 public:
  explicit Mapped(MappedFile file) : file_(std::move(file)) {}

  ReadOutcome Read(Framing framing, std::span<const RecordRead> reads) const override {
    volatile size_t at = 0;
    volatile bool other_framing = false;
    const bool whole = FaultGuard::Run([&] { other_framing = !CopyAll(HeaderBytes(framing), reads, at); });
    if (!whole) return {ReadOutcome::Status::kGone, at};
    if (other_framing) return {ReadOutcome::Status::kOtherFraming, at};
    return {};
  }

  void Prefetch(Framing framing, std::span<const RecordRead> reads) const override {
    for (const RecordRead& read : reads) file_.Prefetch(read.begin, HeaderBytes(framing) + read.length);
  }

  ByteView mapped() const override { return file_.bytes(); }

 private:
  void TouchLines(uint64_t header, const RecordRead& read) const {
    const uint8_t* first = file_.bytes().data() + read.begin;
    const uint64_t bytes = std::min(header + read.length, kPrefetchBytes);
    for (uint64_t line = 0; line < bytes; line += kCacheLine) __builtin_prefetch(first + line);
  }

  // Runs inside the guard: may stop at any load. `at` is the record being copied.
  bool CopyAll(uint64_t header, std::span<const RecordRead> reads, volatile size_t& at) const {
    const uint8_t* data = file_.bytes().data();
    for (size_t i = 0; i < std::min(kPrefetchAhead, reads.size()); ++i) TouchLines(header, reads[i]);
    for (size_t i = 0; i < reads.size(); ++i) {
      if (i + kPrefetchAhead < reads.size()) TouchLines(header, reads[i + kPrefetchAhead]);
      at = i;
      const uint8_t* record = data + reads[i].begin;
      if (LoadLe64(record) != reads[i].length) return false;
      // Room for an empty payload may be a null pointer, which memcpy must not be given.
      if (reads[i].length != 0) std::memcpy(reads[i].out, record + header, reads[i].length);
    }
    return true;
  }

  MappedFile file_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> MapSource(const File& file, uint64_t size) {
  OFINDEX_ASSIGN(MappedFile mapped, MappedFile::Map(file, size));
  mapped.AdviseRandom();
  return std::make_unique<Mapped>(std::move(mapped));
}

}  // namespace ofindex
