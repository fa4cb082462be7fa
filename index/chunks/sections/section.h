#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "index/chunks/sections/chunk_io.h"

namespace ofindex {

/// Appends a byte range, compressed if that saves at least an eighth.
void WriteSection(ByteView bytes, ChunkWriter& out);

/// A byte range of a chunk: a view of it, or decompressed. Valid while the chunk's bytes and this object live.
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
