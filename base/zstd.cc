#include "base/zstd.h"

#include <zstd.h>

namespace ofindex {

std::vector<uint8_t> ZstdCompress(ByteView bytes, int level, size_t limit) {
  std::vector<uint8_t> out(limit);
  const size_t size = ::ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  out.resize(::ZSTD_isError(size) ? 0 : size);
  return out;
}

bool ZstdDecompress(ByteView frame, std::span<uint8_t> out) {
  return ::ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size()) == out.size();
}

}  // namespace ofindex
