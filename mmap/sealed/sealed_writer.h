#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/output_file.h"
#include "base/result.h"
#include "mmap/sealed/sealed_format.h"

namespace ofindex {

/// Writes a sealed file, section by section. An abandoned file has no valid header. Moves, does not copy; not
/// thread-safe. Keeps 8 bytes of memory per 16 KiB.
class SealedWriter {
 public:
  /// Begins to write to `out`, which is empty. Errors: kIo.
  [[nodiscard]] static Result<SealedWriter> Begin(OutputFile out);

  /// Begins the next section, of at most kMaxSealedSections. Errors: kIo.
  [[nodiscard]] Result<void> BeginSection();

  /// Appends to the section begun last. Errors: kIo.
  [[nodiscard]] Result<void> Append(ByteView bytes);

  /// Writes the checksums and the header, and passes everything to the system. Errors: kIo.
  [[nodiscard]] Result<void> Finish(const SealedKind& kind, const IndexOrigin& origin);

 private:
  explicit SealedWriter(OutputFile out) : out_(std::move(out)) {}

  [[nodiscard]] Result<void> AppendBody(ByteView bytes);
  void EndBlock();

  OutputFile out_;
  SealedHeader header_;
  std::vector<uint8_t> checks_;
  Xxh3Stream block_hash_;
  uint64_t block_bytes_ = 0;
};

}  // namespace ofindex
