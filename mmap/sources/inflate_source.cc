#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/framing.h"
#include "mmap/sources/byte_source.h"

namespace ofindex {
namespace {

class Inflating final : public ByteSource {
 public:
  explicit Inflating(InflatedBytes bytes) : bytes_(std::move(bytes)) {}

  // Spans that another thread is inflating are read last, so threads that read neighbouring batches do not wait for
  // each other.
  ReadOutcome Read(Framing framing, std::span<const RecordRead> reads) const override {
    std::vector<size_t> busy;
    std::shared_ptr<const Span> last;
    for (size_t i = 0; i < reads.size(); ++i) {
      std::optional<ReadOutcome> outcome = ReadOne(HeaderBytes(framing), reads[i], reads.size() > 1 ? &last : nullptr);
      if (!outcome) {
        busy.push_back(i);
      } else if (outcome->status != ReadOutcome::Status::kDone) {
        outcome->at = i;
        return *std::move(outcome);
      }
    }
    for (const size_t i : busy) {
      std::optional<ReadOutcome> outcome = ReadOne(HeaderBytes(framing), reads[i], nullptr);
      if (outcome->status == ReadOutcome::Status::kDone) continue;
      outcome->at = i;
      return *std::move(outcome);
    }
    return {};
  }

  // Does nothing: inflating ahead would evict the spans being read from the cache.
  void Prefetch(Framing /*framing*/, std::span<const RecordRead> /*reads*/) const override {}

 private:
  // Returns nullopt if another thread is inflating a span, unless `last` is null, which means to wait. `last` is the
  // span read last.
  std::optional<ReadOutcome> ReadOne(uint64_t header_bytes, const RecordRead& read,
                                     std::shared_ptr<const Span>* last) const {
    std::array<uint8_t, kMaxHeaderBytes> header{};
    const auto head = Fetch(read.begin, std::span(header).first(header_bytes), last);
    if (!head) return Failed(head.error());
    if (!*head) return std::nullopt;
    if (**head != header_bytes) return ReadOutcome{ReadOutcome::Status::kGone};
    if (LoadLe64(header.data()) != read.length) return ReadOutcome{ReadOutcome::Status::kOtherFraming};
    if (read.length == 0) return ReadOutcome{};
    const auto payload = Fetch(read.begin + header_bytes, std::span(read.out, read.length), last);
    if (!payload) return Failed(payload.error());
    if (!*payload) return std::nullopt;
    return ReadOutcome{**payload == read.length ? ReadOutcome::Status::kDone : ReadOutcome::Status::kGone};
  }

  Result<std::optional<size_t>> Fetch(uint64_t offset, std::span<uint8_t> out,
                                      std::shared_ptr<const Span>* last) const {
    if (last != nullptr) return bytes_.ReadIfFree(offset, out, *last);
    OFINDEX_ASSIGN(const size_t got, bytes_.ReadAt(offset, out));
    return got;
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
