#include "query/images/jpeg_reader.h"

// jpeglib.h needs what the first two declare.
// clang-format off
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
// clang-format on
#include <jerror.h>

#include <array>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace ofindex {
namespace {

// The messages of libjpeg. Its own table is not used: a static libjpeg that is not position-independent can be linked
// into a shared object without the file that has it.
#define JCOPYRIGHT_SHORT ""
#define JVERSION ""
#define JMESSAGE(code, text) text,
constexpr auto kMessages = std::to_array<const char*>({
#include <jerror.h>
});

void FormatMessage(j_common_ptr common, char* text) {
  const jpeg_error_mgr& error = *common->err;
  const auto code = static_cast<size_t>(error.msg_code);
  const char* const message = kMessages[code < kMessages.size() ? code : 0];
  const bool has_text = std::strstr(message, "%s") != nullptr;
  const int* const numbers = error.msg_parm.i;
  const int written = has_text ? std::snprintf(text, JMSG_LENGTH_MAX, message, error.msg_parm.s)
                               : std::snprintf(text, JMSG_LENGTH_MAX, message, numbers[0], numbers[1], numbers[2],
                                               numbers[3], numbers[4], numbers[5], numbers[6], numbers[7]);
  if (written < 0) *text = '\0';
}

void ForgetErrors(j_common_ptr common) {
  common->err->num_warnings = 0;
  common->err->msg_code = 0;
}

void PrintNothing(j_common_ptr) {}

// An image of few bytes could otherwise make the decoder go through all its pixels thousands of times.
constexpr uint64_t kMaxScans = 500;
constexpr uint64_t kMaxScannedPixels = uint64_t{1} << 33;

// The most pixels that a byte of Huffman codes can have: at least a bit for each block.
constexpr uint64_t kMaxPixelsOfByte = uint64_t{8} * DCTSIZE2;

// Blocks and rows of blocks at the edges reach at most this far beyond the image.
constexpr uint32_t kBlockPadding = 4 * DCTSIZE;

// Returns the bytes of a row of samples of an interleaved image.
uint64_t RowBytes(const jpeg_decompress_struct& jpeg) {
  return uint64_t{jpeg.output_width} * static_cast<uint64_t>(jpeg.output_components);
}

uint32_t Side(int factor, const jpeg_component_info& component) {
  return static_cast<uint32_t>(factor * component.DCT_scaled_size);
}

// Sets `wide` and `high` to the binary logarithms of the sizes of chroma samples. Returns false if they are others.
bool FindSubsampling(const jpeg_decompress_struct& jpeg, uint32_t& wide, uint32_t& high) {
  const jpeg_component_info& luma = jpeg.comp_info[0];
  const jpeg_component_info& blue = jpeg.comp_info[1];
  const jpeg_component_info& red = jpeg.comp_info[2];
  const uint32_t across = Side(luma.h_samp_factor, luma), down = Side(luma.v_samp_factor, luma);
  const uint32_t blue_across = Side(blue.h_samp_factor, blue), blue_down = Side(blue.v_samp_factor, blue);
  if (Side(red.h_samp_factor, red) != blue_across || Side(red.v_samp_factor, red) != blue_down) return false;
  if (across % blue_across != 0 || down % blue_down != 0) return false;
  if (!std::has_single_bit(across / blue_across) || !std::has_single_bit(down / blue_down)) return false;
  wide = static_cast<uint32_t>(std::countr_zero(across / blue_across));
  high = static_cast<uint32_t>(std::countr_zero(down / blue_down));
  return wide <= 2 && high <= 2;
}

// Returns true if luma has the most samples, and chroma equally many or 2 or 4 times fewer in each direction.
bool HasUsualSampling(const jpeg_decompress_struct& jpeg) {
  const auto is_usual = [](int factor) { return factor == 1 || factor == 2 || factor == 4; };
  const jpeg_component_info* const parts = jpeg.comp_info;
  return is_usual(parts[0].h_samp_factor) && is_usual(parts[0].v_samp_factor) && parts[1].h_samp_factor == 1 &&
         parts[1].v_samp_factor == 1 && parts[2].h_samp_factor == 1 && parts[2].v_samp_factor == 1;
}

// Adobe's CMYK is stored inverted: 255 is no ink.
void SplitCmyk(const uint8_t* row, uint32_t y, Planes& out) {
  for (size_t x = 0; x < out.width(); ++x) {
    const uint8_t* const ink = row + 4 * x;
    for (size_t i = 0; i < 3; ++i) out.row(i, y)[x] = static_cast<uint8_t>(ink[i] * ink[3] / 255);
  }
}

}  // namespace

// C code leaves by longjmp from Fail() to the setjmp in Run(), so that nothing in between may have a destructor.
struct JpegReader::State {
  jpeg_decompress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf failed;
  bool ends_early = false;
  std::array<char, JMSG_LENGTH_MAX> text = {};
  bool no_memory = false;
  std::vector<uint8_t> row;

  static State& Of(j_common_ptr common) { return *static_cast<State*>(common->client_data); }

  [[noreturn]] static void Fail(j_common_ptr common) {
    State& state = Of(common);
    common->err->format_message(common, state.text.data());
    state.no_memory = common->err->msg_code == JERR_OUT_OF_MEMORY;
    std::longjmp(state.failed, 1);
  }

  static void Warn(j_common_ptr common, int level) {
    if (level < 0 && common->err->msg_code == JWRN_JPEG_EOF) Of(common).ends_early = true;
  }

  static void CheckScans(j_common_ptr common) {
    const auto* const jpeg = reinterpret_cast<j_decompress_ptr>(common);
    const uint64_t pixels = uint64_t{jpeg->image_width} * jpeg->image_height;
    const auto scans = static_cast<uint64_t>(jpeg->input_scan_number);
    if (scans <= kMaxScans && scans * pixels <= kMaxScannedPixels) return;
    Of(common).Refuse(scans > kMaxScans ? "more than 500 scans" : "too many scans for its size");
    std::longjmp(Of(common).failed, 1);
  }

  bool Refuse(std::string_view why) {
    text.fill('\0');
    why.copy(text.data(), text.size() - 1);
    return false;
  }

  bool NoMemory() {
    no_memory = true;
    return false;
  }

  // Returns true if Huffman codes of all blocks of the first component do not fit in `bytes`.
  [[nodiscard]] bool IsTooShort(ByteView bytes) const {
    const jpeg_component_info& first = jpeg.comp_info[0];
    const uint64_t samples = uint64_t{jpeg.image_width} * jpeg.image_height *
                             static_cast<uint64_t>(first.h_samp_factor * first.v_samp_factor) /
                             static_cast<uint64_t>(jpeg.max_h_samp_factor * jpeg.max_v_samp_factor);
    return !jpeg.arith_code && samples / kMaxPixelsOfByte > bytes.size();
  }

  // Returns false after a failure, which is in `text`.
  bool Run(ByteView bytes, bool gray, const ChooseReduction& reduction, Planes& out) {
    if (setjmp(failed) != 0) return false;
    jpeg_create_decompress(&jpeg);  // for each image: one without tables of its own would be given those of the last
    jpeg.progress = &progress;
    jpeg_mem_src(&jpeg, bytes.data(), bytes.size());
    jpeg_read_header(&jpeg, TRUE);
    if (uint64_t{jpeg.image_width} * jpeg.image_height > kMaxPixels) return Refuse("more than 268435456 pixels");
    if (IsTooShort(bytes)) return Refuse("fewer bytes than its pixels take");
    jpeg.scale_num = 1;
    jpeg.scale_denom = reduction(jpeg.image_width, jpeg.image_height);
    const bool yuv = jpeg.jpeg_color_space == JCS_YCbCr && jpeg.num_components == 3;
    if (jpeg.jpeg_color_space == JCS_GRAYSCALE || (gray && yuv)) {
      jpeg.out_color_space = JCS_GRAYSCALE;
      return ReadRows(Planes::Colors::kGray, out);
    }
    if (yuv && HasUsualSampling(jpeg)) {
      jpeg.raw_data_out = TRUE;
      return ReadBlocks(out);
    }
    jpeg.out_color_space = jpeg.num_components == 4 ? JCS_CMYK : JCS_RGB;
    return ReadRows(Planes::Colors::kRgb, out);
  }

  bool ReadRows(Planes::Colors colors, Planes& out) {
    jpeg_start_decompress(&jpeg);
    if (!out.Shape(colors, jpeg.output_width, jpeg.output_height, 0, 0, 0)) return NoMemory();
    row.resize(RowBytes(jpeg));
    while (jpeg.output_scanline < jpeg.output_height) {
      const uint32_t y = jpeg.output_scanline;
      JSAMPROW to = colors == Planes::Colors::kGray ? out.row(0, y) : row.data();
      jpeg_read_scanlines(&jpeg, &to, 1);
      if (jpeg.output_components == 3) out.StoreRgb(row.data(), y);
      if (jpeg.output_components == 4) SplitCmyk(row.data(), y, out);
    }
    jpeg_finish_decompress(&jpeg);
    return true;
  }

  // Reads luma and chroma as they are stored, without interpolated chroma.
  bool ReadBlocks(Planes& out) {
    jpeg_start_decompress(&jpeg);
    uint32_t wide = 0, high = 0;
    if (!FindSubsampling(jpeg, wide, high)) return Refuse("subsampled in an unusual way");
    if (!out.Shape(Planes::Colors::kYuv, jpeg.output_width, jpeg.output_height, wide, high, kBlockPadding)) {
      return NoMemory();
    }
    const auto lines = static_cast<uint32_t>(jpeg.max_v_samp_factor * jpeg.min_DCT_scaled_size);
    std::array<std::array<JSAMPROW, kBlockPadding>, 3> rows;
    std::array<JSAMPARRAY, 3> planes = {rows[0].data(), rows[1].data(), rows[2].data()};
    for (uint32_t y = 0; jpeg.output_scanline < jpeg.output_height; ++y) {
      for (size_t i = 0; i < 3; ++i) {
        const uint32_t of_plane = Side(jpeg.comp_info[i].v_samp_factor, jpeg.comp_info[i]);
        for (uint32_t line = 0; line < of_plane; ++line) rows[i][line] = out.row(i, y * of_plane + line);
      }
      jpeg_read_raw_data(&jpeg, planes.data(), lines);
    }
    jpeg_finish_decompress(&jpeg);
    out.FillChromaBlocks();
    return true;
  }
};

JpegReader::JpegReader() : state_(std::make_unique<State>()) {
  state_->jpeg.err = &state_->errors;
  state_->errors.format_message = FormatMessage;
  state_->errors.output_message = PrintNothing;
  state_->errors.reset_error_mgr = ForgetErrors;
  state_->errors.error_exit = State::Fail;
  state_->errors.emit_message = State::Warn;
  state_->jpeg.client_data = state_.get();
  state_->progress.progress_monitor = State::CheckScans;
}

JpegReader::~JpegReader() { jpeg_destroy_decompress(&state_->jpeg); }  // if Decode() threw

Result<void> JpegReader::Decode(ByteView bytes, bool gray, const ChooseReduction& reduction, Planes& out) {
  state_->ends_early = false;
  state_->no_memory = false;
  const bool done = state_->Run(bytes, gray, reduction, out);
  jpeg_destroy_decompress(&state_->jpeg);
  if (state_->no_memory) return Fail(ErrorCode::kLimit, "out of memory for a JPEG image");
  if (!done) {
    return Fail(ErrorCode::kFeature, StrCat("a JPEG image that cannot be decoded: ", state_->text.data()));
  }
  if (state_->ends_early) return Fail(ErrorCode::kFeature, "a JPEG image whose data ends early");
  return {};
}

}  // namespace ofindex
