#include "query/images/png_reader.h"

#include <spng.h>

#include <algorithm>
#include <memory>

#include "base/text.h"

namespace ofindex {
namespace {

// A chunk of text or a color profile, and all of them, inflated; a few bytes could otherwise become gigabytes.
constexpr size_t kMaxChunk = size_t{16} << 20;
constexpr size_t kMaxChunks = size_t{32} << 20;

// The longest side; also that of the JPEG format. Scaling a longer one takes gigabytes.
constexpr uint32_t kMaxImageSide = 65535;

using Context = std::unique_ptr<spng_ctx, void (*)(spng_ctx*)>;

tl::unexpected<Error> Refuse(int error) {
  if (error == SPNG_EMEM) return Fail(ErrorCode::kLimit, "out of memory for a PNG image");
  return Fail(ErrorCode::kFeature, StrCat("a PNG image that cannot be decoded: ", spng_strerror(error)));
}

}  // namespace

Result<void> DecodePng(ByteView bytes, Planes& out) {
  const Context context(spng_ctx_new(0), spng_ctx_free);
  if (context == nullptr) return Refuse(SPNG_EMEM);
  if (int error = spng_set_chunk_limits(context.get(), kMaxChunk, kMaxChunks)) return Refuse(error);
  spng_ihdr header = {};
  if (int error = spng_set_png_buffer(context.get(), bytes.data(), bytes.size())) return Refuse(error);
  if (int error = spng_get_ihdr(context.get(), &header)) return Refuse(error);
  if (uint64_t{header.width} * header.height > kMaxPixels) {
    return Fail(ErrorCode::kFeature, "a PNG image that cannot be decoded: more than 268435456 pixels");
  }
  if (std::max(header.width, header.height) > kMaxImageSide) {
    return Fail(ErrorCode::kFeature, "a PNG image that cannot be decoded: a side of more than 65535 pixels");
  }
  size_t size = 0;
  if (int error = spng_decoded_image_size(context.get(), SPNG_FMT_RGB8, &size)) return Refuse(error);
  Buffer pixels;
  if (!pixels.Extend(size)) return Refuse(SPNG_EMEM);
  if (int error = spng_decode_image(context.get(), pixels.data(), size, SPNG_FMT_RGB8, 0)) return Refuse(error);
  if (!out.Shape(Planes::Colors::kRgb, header.width, header.height, 0, 0, 0)) return Refuse(SPNG_EMEM);
  for (uint32_t y = 0; y < header.height; ++y) out.StoreRgb(pixels.data() + uint64_t{3} * header.width * y, y);
  if (header.color_type == SPNG_COLOR_TYPE_GRAYSCALE || header.color_type == SPNG_COLOR_TYPE_GRAYSCALE_ALPHA) {
    out.KeepFirst();
  }
  return {};
}

}  // namespace ofindex
