#include "tests/query/images/encoded_images.h"

// jpeglib.h needs what the first two declare.
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
// clang-format on

#include <spng.h>

#include <cstdlib>

namespace ofindex {

std::string JpegOf(const JpegOptions& options, const Picture& picture) {
  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = options.width;
  jpeg.image_height = options.height;
  jpeg.input_components = options.channels;
  jpeg.in_color_space = options.channels == 1 ? JCS_GRAYSCALE : options.channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&jpeg);
  if (options.keep_rgb) jpeg_set_colorspace(&jpeg, JCS_RGB);
  jpeg_set_quality(&jpeg, 95, TRUE);
  if (options.channels == 3) {
    jpeg.comp_info[0].h_samp_factor = options.wide;
    jpeg.comp_info[0].v_samp_factor = options.high;
  }
  if (options.progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<uint8_t> row(size_t{options.width} * static_cast<size_t>(options.channels));
  for (uint32_t y = 0; y < options.height; ++y) {
    size_t at = 0;
    for (uint32_t x = 0; x < options.width; ++x) {
      for (uint32_t channel = 0; channel < static_cast<uint32_t>(options.channels); ++channel) {
        row[at++] = picture(x, y, channel);
      }
    }
    JSAMPROW line = row.data();
    jpeg_write_scanlines(&jpeg, &line, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string image(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return image;
}

std::string PngOf(uint32_t width, uint32_t height, uint8_t kind, uint8_t bits, const Picture& picture) {
  std::vector<uint8_t> pixels;
  const uint32_t channels = kind == 0 ? 1 : kind == 4 ? 2 : kind == 2 ? 3 : 4;
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      for (uint32_t channel = 0; channel < channels; ++channel) {
        for (int byte = 0; byte < bits / 8; ++byte) pixels.push_back(picture(x, y, channel));
      }
    }
  }
  spng_ctx* const context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header = {};
  header.width = width;
  header.height = height;
  header.bit_depth = bits;
  header.color_type = kind;
  spng_set_ihdr(context, &header);
  spng_encode_image(context, pixels.data(), pixels.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
  size_t size = 0;
  int error = 0;
  void* const bytes = spng_get_png_buffer(context, &size, &error);
  std::string image(static_cast<const char*>(bytes), size);
  std::free(bytes);
  spng_ctx_free(context);
  return image;
}

}  // namespace ofindex
