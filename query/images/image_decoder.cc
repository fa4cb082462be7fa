#include "query/images/image_decoder.h"

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "query/images/jpeg_reader.h"
#include "query/images/planes.h"
#include "query/images/png_reader.h"
#include "query/images/resizer.h"

namespace ofindex {
namespace {

constexpr uint64_t kMaxKeptPixels = uint64_t{1} << 24;

constexpr std::string_view kJpeg = "\xff\xd8\xff";
constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n";

// Other formats, to name them in an error.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOtherFormats = {
    {{"GIF8", "a GIF"}, {"BM", "a BMP"}, {"II*", "a TIFF"}, {{"MM\0*", 4}, "a TIFF"}}};

std::string_view OtherFormat(std::string_view image) {
  for (const auto& [begin, name] : kOtherFormats) {
    if (image.starts_with(begin)) return name;
  }
  return image.starts_with("RIFF") && image.substr(0, 12).ends_with("WEBP") ? "a WebP" : "";
}

tl::unexpected<Error> NotAnImage(ByteView bytes) {
  if (bytes.empty()) return Fail(ErrorCode::kFeature, "no bytes; expected a JPEG or PNG image");
  if (const std::string_view name = OtherFormat(AsText(bytes)); !name.empty()) {
    return Fail(ErrorCode::kFeature, StrCat(name, " image; expected a JPEG or PNG image"),
                "ask for it as bytes, and decode it in the transform of the Loader");
  }
  const std::string_view begin = AsText(bytes).substr(0, 8);
  return Fail(ErrorCode::kFeature,
              StrCat("bytes that begin with '", Printable(begin), "'; expected a JPEG or PNG image"));
}

}  // namespace

struct ImageDecoder::Tools {
  JpegReader jpeg;
  Resizer resizer;
  Planes image;  // as decoded
  Planes scaled;
};

ImageDecoder::ImageDecoder(const ImageShape& shape) : shape_(shape) {}

ImageDecoder::~ImageDecoder() = default;

Result<std::shared_ptr<const ImageDecoder>> ImageDecoder::Of(const ImageShape& shape) {
  for (const uint32_t side : {shape.width, shape.height}) {
    if (side >= 1 && side <= ImageShape::kMaxSide) continue;
    return Fail(ErrorCode::kUsage, StrCat("an image of ", shape.width, " by ", shape.height,
                                          " pixels; expected sides from 1 to ", ImageShape::kMaxSide));
  }
  return std::shared_ptr<const ImageDecoder>(new ImageDecoder(shape));
}

Result<void> ImageDecoder::Decode(ByteView bytes, uint8_t* to) const {
  std::unique_ptr<Tools> tools = tools_.Take();
  if (tools == nullptr) tools = std::make_unique<Tools>();
  Result<void> done = DecodeWith(*tools, bytes, to);
  // Memory of a huge image is not kept.
  if (uint64_t{tools->image.width()} * tools->image.height() <= kMaxKeptPixels) tools_.Give(std::move(tools));
  return done;
}

Result<void> ImageDecoder::DecodeWith(Tools& tools, ByteView bytes, uint8_t* to) const {
  OFINDEX_ASSIGN(const Placement placement, ReadPlanes(tools, bytes));
  OFINDEX_TRY(tools.resizer.Resize(tools.image, placement, shape_.gray, tools.scaled));
  Store(tools, placement, to);
  return {};
}

// Returns which part of tools.image is wanted, and where.
Result<Placement> ImageDecoder::ReadPlanes(Tools& tools, ByteView bytes) const {
  const auto place = [this](uint32_t width, uint32_t height) {
    return Place(shape_.fit, width, height, shape_.width, shape_.height);
  };
  if (AsText(bytes).starts_with(kPng)) {
    OFINDEX_TRY(DecodePng(bytes, tools.image));
    return place(tools.image.width(), tools.image.height());
  }
  if (!AsText(bytes).starts_with(kJpeg)) return NotAnImage(bytes);
  Placement placement;
  const auto choose = [&](uint32_t width, uint32_t height) {
    placement = place(width, height);
    const uint32_t reduction = Reduction(placement);
    for (double* side : {&placement.left, &placement.top, &placement.width, &placement.height}) *side /= reduction;
    return reduction;
  };
  OFINDEX_TRY(tools.jpeg.Decode(bytes, shape_.gray, choose, tools.image));
  return placement;
}

void ImageDecoder::Store(const Tools& tools, const Placement& placement, uint8_t* to) const {
  const Planes& scaled = tools.scaled;
  const bool is_padded = placement.to_width != shape_.width || placement.to_height != shape_.height;
  if (is_padded) std::memset(to, 0, shape_.values());
  const auto plane_of = [&scaled](size_t channel) { return scaled.count() == 1 ? 0 : channel; };
  const size_t channels = shape_.gray ? 1 : 3;
  for (uint32_t y = 0; y < placement.to_height; ++y) {
    const uint64_t first = uint64_t{placement.to_top + y} * shape_.width + placement.to_left;
    if (channels == 1 || shape_.layout == ImageShape::Layout::kPlanes) {
      for (size_t i = 0; i < channels; ++i) {
        uint8_t* const plane = to + i * shape_.width * shape_.height;
        std::memcpy(plane + first, scaled.row(plane_of(i), y), placement.to_width);
      }
      continue;
    }
    const uint8_t* const red = scaled.row(0, y);
    const uint8_t* const green = scaled.row(plane_of(1), y);
    const uint8_t* const blue = scaled.row(plane_of(2), y);
    uint8_t* pixel = to + 3 * first;
    for (uint32_t x = 0; x < placement.to_width; ++x, pixel += 3) {
      pixel[0] = red[x];
      pixel[1] = green[x];
      pixel[2] = blue[x];
    }
  }
}

}  // namespace ofindex
