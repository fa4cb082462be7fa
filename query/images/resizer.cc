#include "query/images/resizer.h"

#include <zimg.h>

#include <array>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace ofindex {
namespace {

using Graph = std::unique_ptr<zimg_filter_graph, void (*)(zimg_filter_graph*)>;

/// What a graph depends on: colors before and after, subsampling, sizes, the part of the image.
using Shape = std::tuple<Planes::Colors, Planes::Colors, uint32_t, uint32_t, uint32_t, uint32_t, double, double, double,
                         double, uint32_t, uint32_t>;

tl::unexpected<Error> NoMemoryForImage() { return Fail(ErrorCode::kLimit, "out of memory for an image"); }

tl::unexpected<Error> ResizeError() {
  std::array<char, 256> text = {};
  if (zimg_get_last_error(text.data(), text.size()) == ZIMG_ERROR_OUT_OF_MEMORY) return NoMemoryForImage();
  return Fail(ErrorCode::kFeature, StrCat("an image that cannot be scaled: ", text.data()));
}

zimg_image_format FormatOf(Planes::Colors colors, uint32_t width, uint32_t height) {
  zimg_image_format format;
  zimg_image_format_default(&format, ZIMG_API_VERSION);
  format.width = width;
  format.height = height;
  format.pixel_type = ZIMG_PIXEL_BYTE;
  format.pixel_range = ZIMG_RANGE_FULL;
  format.chroma_location = ZIMG_CHROMA_CENTER;
  switch (colors) {
    case Planes::Colors::kGray: format.color_family = ZIMG_COLOR_GREY; break;
    case Planes::Colors::kYuv:
      format.color_family = ZIMG_COLOR_YUV;
      format.matrix_coefficients = ZIMG_MATRIX_BT470_BG;
      break;
    case Planes::Colors::kRgb:
      format.color_family = ZIMG_COLOR_RGB;
      format.matrix_coefficients = ZIMG_MATRIX_RGB;
      break;
  }
  return format;
}

template <typename ImageBuffer>
ImageBuffer BufferOf(const Planes& image) {
  ImageBuffer buffer = {};
  buffer.version = ZIMG_API_VERSION;
  for (size_t i = 0; i < image.count(); ++i) {
    buffer.plane[i].data = image.plane(i).data;
    buffer.plane[i].stride = static_cast<ptrdiff_t>(image.plane(i).stride);
    buffer.plane[i].mask = ZIMG_BUFFER_MAX;
  }
  return buffer;
}

}  // namespace

struct Resizer::State {
  Graph graph{nullptr, zimg_filter_graph_free};
  Shape shape = {};  // of `graph`
  Buffer scratch;

  Result<void> Prepare(const Planes& image, const Placement& placement, Planes::Colors colors, bool first_only) {
    const Planes::Colors from = first_only ? Planes::Colors::kGray : image.colors();
    const Shape wanted = {
        from,           colors,        image.wide(),    image.high(),     image.width(),      image.height(),
        placement.left, placement.top, placement.width, placement.height, placement.to_width, placement.to_height};
    if (graph != nullptr && wanted == shape) return {};
    graph.reset();
    const auto blocks = [](uint32_t side, uint32_t log) { return (side + (1U << log) - 1) >> log << log; };
    zimg_image_format source =
        FormatOf(from, blocks(image.width(), image.wide()), blocks(image.height(), image.high()));
    if (from == Planes::Colors::kYuv) {
      source.subsample_w = image.wide();
      source.subsample_h = image.high();
    }
    source.active_region.left = placement.left;
    source.active_region.top = placement.top;
    source.active_region.width = placement.width;
    source.active_region.height = placement.height;
    const zimg_image_format target = FormatOf(colors, placement.to_width, placement.to_height);
    zimg_graph_builder_params params;
    zimg_graph_builder_params_default(&params, ZIMG_API_VERSION);
    params.resample_filter = ZIMG_RESIZE_BILINEAR;
    params.resample_filter_uv = ZIMG_RESIZE_BILINEAR;
    // Without AVX-512, which ZIMG_CPU_AUTO_64B would use: zimg 3.0.4, Debian 12's, gives other pixels with it when an
    // image becomes much narrower, and crashes.
    params.cpu_type = ZIMG_CPU_AUTO;
    Graph built(zimg_filter_graph_build(&source, &target, &params), zimg_filter_graph_free);
    if (built == nullptr) return ResizeError();
    size_t size = 0;
    if (zimg_filter_graph_get_tmp_size(built.get(), &size) != ZIMG_ERROR_SUCCESS) return ResizeError();
    if (!scratch.Reserve(size)) return NoMemoryForImage();
    graph = std::move(built);
    shape = wanted;
    return {};
  }
};

Resizer::Resizer() : state_(std::make_unique<State>()) {}

Resizer::~Resizer() = default;

Result<void> Resizer::Resize(const Planes& image, const Placement& placement, bool gray, Planes& out) {
  const bool is_rgb = image.colors() == Planes::Colors::kRgb;
  const bool first_only = image.colors() == Planes::Colors::kGray || (gray && !is_rgb);
  // Gray of an RGB image is its luma.
  const Planes::Colors colors = first_only ? Planes::Colors::kGray : gray ? Planes::Colors::kYuv : Planes::Colors::kRgb;
  OFINDEX_TRY(state_->Prepare(image, placement, colors, first_only));
  if (!out.Shape(colors, placement.to_width, placement.to_height, 0, 0, Planes::kAlignment)) {
    return NoMemoryForImage();
  }
  auto source = BufferOf<zimg_image_buffer_const>(image);
  auto target = BufferOf<zimg_image_buffer>(out);
  const zimg_error_code_e done = zimg_filter_graph_process(state_->graph.get(), &source, &target,
                                                           state_->scratch.data(), nullptr, nullptr, nullptr, nullptr);
  if (done != ZIMG_ERROR_SUCCESS) return ResizeError();
  if (gray) out.KeepFirst();
  return {};
}

}  // namespace ofindex
