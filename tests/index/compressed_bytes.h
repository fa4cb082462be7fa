#pragma once

#include <doctest/doctest.h>
#include <zlib.h>

#include <string>

#include "index/inflate_probe.h"
#include "tests/support/files.h"

namespace ofindex {

/// `bytes` as a stream of `compression`.
inline std::string Compressed(Compression compression, const std::string& bytes) {
  z_stream stream{};
  const int window = compression == Compression::kGzip ? 15 + 16 : 15;  // zlib.h: 16 more means gzip
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK);
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

}  // namespace ofindex
