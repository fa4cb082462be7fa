#include "index/inflate_probe.h"

#include <zlib.h>

#include <limits>

namespace ofindex {
namespace {

constexpr int kZlibWindow = 15;
constexpr int kGzipWindow = 15 + 16;  // zlib.h: 16 more means a gzip header

// Ends an inflate stream on every way out.
struct StreamEnd {
  z_stream& stream;
  ~StreamEnd() { ::inflateEnd(&stream); }
};

}  // namespace

std::optional<Compression> CompressionHeader(ByteView head) {
  if (head.size() >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8) return Compression::kGzip;
  // RFC 1950: method 8, window of 32 KiB at the most, the two bytes a multiple of 31, no preset dictionary.
  const bool zlib = head.size() >= 2 && (head[0] & 15) == 8 && (head[0] >> 4) <= 7 &&
                    (unsigned{head[0]} * 256 + head[1]) % 31 == 0 && (head[1] & 32) == 0;
  if (zlib) return Compression::kZlib;
  return std::nullopt;
}

std::optional<std::vector<uint8_t>> InflateFront(Compression compression, ByteView head, size_t most) {
  if (head.size() > std::numeric_limits<uInt>::max() || most > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream stream{};
  if (::inflateInit2(&stream, compression == Compression::kGzip ? kGzipWindow : kZlibWindow) != Z_OK)
    return std::nullopt;
  const StreamEnd end{stream};
  std::vector<uint8_t> out(most);
  stream.next_in = const_cast<Bytef*>(head.data());  // zlib reads through it only
  stream.avail_in = static_cast<uInt>(head.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(most);
  const int result = ::inflate(&stream, Z_SYNC_FLUSH);
  if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return std::nullopt;
  out.resize(most - stream.avail_out);
  return out;
}

}  // namespace ofindex
