#include <cstring>

#include "base/framing.h"
#include "mmap/files/fault_guard.h"
#include "mmap/files/mapped_file.h"
#include "mmap/files/prefetch.h"
#include "mmap/sources/byte_source.h"

namespace ofindex {
namespace {

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
  void Touch(uint64_t header, const RecordRead& read) const {
    PrefetchRecord(file_.bytes().data() + read.begin, header + read.length);
  }

  // Runs in a guarded section, so a fault may end it at any load. Sets `at` to the index of the record being copied.
  bool CopyAll(uint64_t header, std::span<const RecordRead> reads, volatile size_t& at) const {
    const uint8_t* data = file_.bytes().data();
    for (size_t i = 0; i < std::min(kPrefetchAhead, reads.size()); ++i) Touch(header, reads[i]);
    for (size_t i = 0; i < reads.size(); ++i) {
      if (i + kPrefetchAhead < reads.size()) Touch(header, reads[i + kPrefetchAhead]);
      at = i;
      const uint8_t* record = data + reads[i].begin;
      if (LoadLe64(record) != reads[i].length) return false;
      // `out` is null if only the header is to be checked; for an empty payload, it may be null, too.
      if (reads[i].out != nullptr) std::memcpy(reads[i].out, record + header, reads[i].length);
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
