#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/file.h"
#include "base/record.h"
#include "base/result.h"
#include "mmap/inflate/input_bytes.h"

namespace ofindex {

/// Inflates from a checkpoint on, over the ends of gzip members, and compares no checksum: the pass that left the
/// checkpoints has. The one place that wraps ISA-L's inflate, which takes half the time of zlib's but says nothing of
/// blocks. Takes some 160 KiB. Not thread-safe.
class SpanInflater {
 public:
  /// Of the first `size` bytes of `file`, from the deflate block on that begins at bit `bit` of it; `window` are the
  /// bytes before it.
  SpanInflater(const File& file, uint64_t size, Compression compression, uint64_t bit, ByteView window);
  ~SpanInflater();
  SpanInflater(const SpanInflater&) = delete;
  SpanInflater& operator=(const SpanInflater&) = delete;

  /// Fills `out` out of `file`, by whatever descriptor, and returns how many bytes there were; fewer only where the
  /// stream ends, or is damaged. After an error it is of no more use. Errors: kIo, kStale.
  [[nodiscard]] Result<size_t> Read(const File& file, std::span<uint8_t> out);

 private:
  struct Isal;

  [[nodiscard]] Result<void> Begin();
  [[nodiscard]] Result<bool> PassToNextMember();

  const Compression compression_;
  InputBytes input_;
  std::unique_ptr<Isal> isal_;
  int bits_used_;  // of the first byte, by the block before
  bool ended_ = false;
};

}  // namespace ofindex
