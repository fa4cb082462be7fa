#pragma once

#include <doctest/doctest.h>
#include <zlib.h>

#include <string>

#include "base/record.h"

namespace ofindex {

// Whole streams, compressed and inflated by zlib.

/// Returns the window bits by which deflateInit2 and inflateInit2 select a format (zlib.h).
[[nodiscard]] inline int WindowBitsOf(Compression compression) {
  switch (compression) {
    case Compression::kGzip: return 15 + 16;
    case Compression::kDeflate: return -15;
    default: return 15;
  }
}

/// Returns `bytes` as a stream of `compression`. Level 0 stores the bytes uncompressed.
inline std::string Compressed(Compression compression, const std::string& bytes, int level = 6) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, level, Z_DEFLATED, WindowBitsOf(compression), 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  REQUIRE(deflateEnd(&stream) == Z_OK);
  return out;
}

/// Returns the inflated bytes, at most `most`, of a whole stream.
inline std::string Inflated(Compression compression, const std::string& bytes, size_t most) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, WindowBitsOf(compression)) == Z_OK);
  std::string out(most, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  REQUIRE(inflateEnd(&stream) == Z_OK);
  return out;
}

}  // namespace ofindex
