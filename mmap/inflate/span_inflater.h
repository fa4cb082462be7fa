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

/// Inflates from a checkpoint onwards, across gzip members, without verifying checksums: the pass that created the
/// checkpoints did that. The only wrapper of ISA-L's inflate, which takes half the time of zlib's but does not report
/// blocks. Uses about 160 KiB. Not thread-safe.
class SpanInflater {
 public:
  /// Inflates the first `size` bytes of `file`, starting with the deflate block at bit `bit`;
  /// `window` is the output before it.
  SpanInflater(const File& file, uint64_t size, Compression compression, uint64_t bit, ByteView window);
  ~SpanInflater();
  SpanInflater(const SpanInflater&) = delete;
  SpanInflater& operator=(const SpanInflater&) = delete;

  /// Fills `out` and returns the number of bytes, which is less than out.size() only if the stream ends or is damaged.
  /// `file` may be another descriptor of the same file. After an error this object must not be used. Errors: kIo,
  /// kStale.
  [[nodiscard]] Result<size_t> Read(const File& file, std::span<uint8_t> out);

 private:
  struct Isal;

  [[nodiscard]] Result<void> Begin();
  [[nodiscard]] Result<bool> PassToNextMember();

  const Compression compression_;
  InputBytes input_;
  std::unique_ptr<Isal> isal_;
  int bits_used_;   // bits of the first byte that belong to the previous block
  size_t padding_;  // bytes of zeros that are left to follow the file
  bool ended_ = false;
};

}  // namespace ofindex
