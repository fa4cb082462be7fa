#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/record.h"
#include "base/result.h"
#include "mmap/files/readable_bytes.h"
#include "mmap/inflate/checkpoint.h"
#include "mmap/inflate/span_cache.h"

namespace ofindex {

/// What is known of a compressed shard, beside its file.
struct CompressedFacts {
  Compression compression = Compression::kNone;
  uint64_t file_bytes = 0;
  uint64_t inflated_bytes = 0;  ///< as many of them as came out of a sound stream

  /// Whether a file can inflate to as much at all: deflate gives 258 bytes for 2 bits at the most.
  [[nodiscard]] bool plausible() const { return inflated_bytes / 1032 <= file_bytes; }
};

/// The bytes that a compressed file inflates to, at any place: from the checkpoint before it, through a cache of spans.
/// Thread-safe.
class InflatedBytes final : public ReadableBytes {
 public:
  /// `checkpoints` and `cache` must outlive this. `shard` names the file in the cache, `state` what is known of it:
  /// what was inflated in another state is not used.
  InflatedBytes(std::shared_ptr<const File> file, const CompressedFacts& facts, const Checkpoints& checkpoints,
                SpanCache& cache, uint64_t shard, uint64_t state = 0)
      : file_(std::move(file)), facts_(facts), checkpoints_(checkpoints), cache_(cache), shard_(shard), state_(state) {}

  /// Errors: kIo, kLimit; kStale  the file no longer inflates to what it did; kIndex  a checkpoint is damaged.
  [[nodiscard]] Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override;
  [[nodiscard]] Result<uint64_t> Size(uint64_t /*wanted*/) const override { return facts_.inflated_bytes; }
  [[nodiscard]] const std::string& path() const override { return file_->path(); }

  /// The same, and nullopt where another thread inflates a span of it just now: whoever has other bytes to read does
  /// that meanwhile. `last` is the span that was read last, for whoever reads on from there.
  [[nodiscard]] Result<std::optional<size_t>> ReadIfFree(uint64_t offset, std::span<uint8_t> out,
                                                         std::shared_ptr<const Span>& last) const {
    return Read(offset, out, Span::IfBusy::kLeave, last);
  }

 private:
  [[nodiscard]] Result<std::optional<size_t>> Read(uint64_t offset, std::span<uint8_t> out, Span::IfBusy if_busy,
                                                   std::shared_ptr<const Span>& last) const;
  [[nodiscard]] Result<std::shared_ptr<const Span>> SpanAt(uint64_t offset, uint64_t end, Span::IfBusy if_busy) const;
  [[nodiscard]] Result<size_t> CheckpointBefore(uint64_t offset) const;

  const std::shared_ptr<const File> file_;
  const CompressedFacts facts_;
  const Checkpoints& checkpoints_;
  SpanCache& cache_;
  const uint64_t shard_;
  const uint64_t state_;
};

}  // namespace ofindex
