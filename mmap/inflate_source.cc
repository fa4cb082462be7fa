#include <array>
#include <utility>

#include "base/framing.h"
#include "mmap/byte_source.h"

namespace ofindex {
namespace {

class Inflating final : public ByteSource {
 public:
  explicit Inflating(InflatedBytes bytes) : bytes_(std::move(bytes)) {}

  ReadOutcome Read(Framing framing, std::span<const RecordRead> reads) const override {
    for (size_t i = 0; i < reads.size(); ++i) {
      ReadOutcome outcome = ReadOne(HeaderBytes(framing), reads[i]);
      if (outcome.status == ReadOutcome::Status::kDone) continue;
      outcome.at = i;
      return outcome;
    }
    return {};
  }

  // What is inflated ahead would push out of the cache what is being read.
  void Prefetch(Framing /*framing*/, std::span<const RecordRead> /*reads*/) const override {}

 private:
  ReadOutcome ReadOne(uint64_t header_bytes, const RecordRead& read) const {
    std::array<uint8_t, kMaxHeaderBytes> header{};
    const auto head = bytes_.ReadAt(read.begin, std::span(header).first(header_bytes));
    if (!head) return Failed(head.error());
    if (*head != header_bytes) return {ReadOutcome::Status::kGone};
    if (LoadLe64(header.data()) != read.length) return {ReadOutcome::Status::kOtherFraming};
    if (read.length == 0) return {};
    const auto payload = bytes_.ReadAt(read.begin + header_bytes, std::span(read.out, read.length));
    if (!payload) return Failed(payload.error());
    if (*payload != read.length) return {ReadOutcome::Status::kGone};
    return {};
  }

  static ReadOutcome Failed(const Error& error) {
    ReadOutcome outcome{.status = ReadOutcome::Status::kRefused};
    outcome.refusal = error;
    return outcome;
  }

  const InflatedBytes bytes_;
};

}  // namespace

std::unique_ptr<ByteSource> InflateSource(InflatedBytes bytes) { return std::make_unique<Inflating>(std::move(bytes)); }

}  // namespace ofindex
