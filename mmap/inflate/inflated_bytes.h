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

/// The facts known about a compressed shard besides its file.
struct CompressedFacts {
  Compression compression = Compression::kNone;
  uint64_t file_bytes = 0;
  uint64_t inflated_bytes = 0;  ///< bytes of the stream's sound part

  /// Returns whether a file of this size can inflate to that many bytes: deflate yields at most 258 bytes per 2 bits.
  [[nodiscard]] bool plausible() const { return inflated_bytes / 1032 <= file_bytes; }
};

/// The inflated bytes of a compressed file, readable at any offset. Inflating starts at the last checkpoint before the
/// offset, and a cache keeps the spans that were inflated. Thread-safe.
class InflatedBytes final : public ReadableBytes {
 public:
  /// `checkpoints` and `cache` must outlive this object. `shard` identifies the file in the cache, `state` the version
  /// of its content: spans inflated in another state are not used.
  InflatedBytes(std::shared_ptr<const File> file, const CompressedFacts& facts, const Checkpoints& checkpoints,
                SpanCache& cache, uint64_t shard, uint64_t state = 0)
      : file_(std::move(file)), facts_(facts), checkpoints_(checkpoints), cache_(cache), shard_(shard), state_(state) {}

  /// Implements ReadableBytes::ReadAt. Errors: kIo, kLimit; kStale if the file no longer inflates to the same bytes;
  /// kIndex if a checkpoint is damaged.
  [[nodiscard]] Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override;
  [[nodiscard]] Result<uint64_t> Size(uint64_t /*wanted*/) const override { return facts_.inflated_bytes; }
  [[nodiscard]] const std::string& path() const override { return file_->path(); }

  /// As ReadAt, but returns nullopt if another thread is inflating one of the spans, so that the caller can read other
  /// bytes meanwhile. Sets `last` to the span that was read last; a caller that continues from there passes it again.
  [[nodiscard]] Result<std::optional<size_t>> ReadIfFree(uint64_t offset, std::span<uint8_t> out,
                                                         std::shared_ptr<const Span>& last) const {
    return Read(offset, out, Span::IfBusy::kLeave, last);
  }

 private:
  [[nodiscard]] Result<std::optional<size_t>> Read(uint64_t offset, std::span<uint8_t> out, Span::IfBusy if_busy,
                                                   std::shared_ptr<const Span>& last) const;
  [[nodiscard]] Result<std::shared_ptr<const Span>> SpanAt(uint64_t offset, uint64_t end, Span::IfBusy if_busy) const;
  [[nodiscard]] Result<size_t> CheckpointBefore(uint64_t offset) const;
  [[nodiscard]] tl::unexpected<Error> OutOfOrder() const;

  const std::shared_ptr<const File> file_;
  const CompressedFacts facts_;
  const Checkpoints& checkpoints_;
  SpanCache& cache_;
  const uint64_t shard_;
  const uint64_t state_;
};

}  // namespace ofindex
