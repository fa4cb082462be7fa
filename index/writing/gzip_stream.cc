#include "index/writing/gzip_stream.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

namespace ofindex {
namespace {

constexpr int kLevel = 6;  // zlib's default, and TensorFlow's
constexpr int kGzip = 16;  // added to the window's bits: a gzip header and trailer
constexpr size_t kOutputBytes = size_t{1} << 16;

}  // namespace

struct GzipStream::State {
  z_stream stream{};
  bool ready = false;
  std::array<uint8_t, kOutputBytes> output;

  State() {
    ready =
        ::deflateInit2(&stream, kLevel, Z_DEFLATED, MAX_WBITS + kGzip, MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~State() {
    if (ready) ::deflateEnd(&stream);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

GzipStream::GzipStream() : state_(std::make_unique<State>()) {}
GzipStream::~GzipStream() = default;
GzipStream::GzipStream(GzipStream&&) noexcept = default;
GzipStream& GzipStream::operator=(GzipStream&&) noexcept = default;

Result<void> GzipStream::Append(ByteView bytes, OutputFile& out) {
  constexpr size_t kMax = std::numeric_limits<uInt>::max();
  while (bytes.size() > kMax) {
    OFINDEX_TRY(Run(bytes.first(kMax), Z_NO_FLUSH, out));
    bytes = bytes.subspan(kMax);
  }
  return Run(bytes, Z_NO_FLUSH, out);
}

Result<void> GzipStream::Flush(OutputFile& out) { return Run({}, Z_SYNC_FLUSH, out); }

Result<void> GzipStream::Finish(OutputFile& out) { return Run({}, Z_FINISH, out); }

Result<void> GzipStream::Run(ByteView bytes, int flush, OutputFile& out) {
  if (!state_->ready) return Fail(ErrorCode::kLimit, "out of memory for the compressor");
  z_stream& stream = state_->stream;
  stream.next_in = const_cast<uint8_t*>(bytes.data());  // zlib only reads it
  stream.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream.next_out = state_->output.data();
    stream.avail_out = static_cast<uInt>(kOutputBytes);
    // Z_BUF_ERROR means that there was nothing to do, and no other error is possible: only this class changes the
    // state.
    static_cast<void>(::deflate(&stream, flush));
    OFINDEX_TRY(out.Append(ByteView(state_->output).first(kOutputBytes - stream.avail_out)));
  } while (stream.avail_out == 0);
  return {};
}

}  // namespace ofindex
