#include "query/images/png_reader.h"

#include <spng.h>

#include <memory>

#include "base/text.h"

namespace ofindex {
namespace {

using Context = std::unique_ptr<spng_ctx, void (*)(spng_ctx*)>;

tl::unexpected<Error> Refuse(int error) {
  if (error == SPNG_EMEM) return Fail(ErrorCode::kLimit, "out of memory for a PNG image");
  return Fail(ErrorCode::kFeature, StrCat("a PNG image that cannot be decoded: ", spng_strerror(error)));
}

}  // namespace

Result<void> DecodePng(ByteView bytes, Planes& out) {
  const Context context(spng_ctx_new(0), spng_ctx_free);
  if (context == nullptr) return Refuse(SPNG_EMEM);
  spng_ihdr header = {};
  if (int error = spng_set_png_buffer(context.get(), bytes.data(), bytes.size())) return Refuse(error);
  if (int error = spng_get_ihdr(context.get(), &header)) return Refuse(error);
  if (uint64_t{header.width} * header.height > kMaxPixels) {
    return Fail(ErrorCode::kFeature, "a PNG image that cannot be decoded: more than 268435456 pixels");
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
