#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "index/chunks/sections/chunk_io.h"

namespace ofindex {

/// Appends a stretch of bytes, compressed if that saves an eighth of them.
void WriteSection(ByteView bytes, ChunkWriter& out);

/// A stretch of bytes out of a chunk: a part of it, or decompressed. Valid as long as the chunk's bytes and this.
class Section {
 public:
  /// Reads the next section, of `size` bytes. Errors: kIndex.
  [[nodiscard]] static Result<Section> Read(ChunkReader& in, uint64_t size);

  [[nodiscard]] ByteView bytes() const { return decompressed_.empty() ? stored_ : ByteView(decompressed_); }

 private:
  ByteView stored_;
  std::vector<uint8_t> decompressed_;
};

}  // namespace ofindex
