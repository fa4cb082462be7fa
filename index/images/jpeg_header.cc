#include "base/bytes.h"
#include "index/images/format_readers.h"

// ITU-T T.81, annex B: markers are FF and a byte that is neither 00 nor FF; any number of FF may precede one.

namespace ofindex {
namespace {

constexpr uint8_t kMarkerBegin = 0xff;
constexpr uint8_t kStuffedByte = 0x00;
constexpr uint8_t kEndOfImage = 0xd9;
constexpr uint8_t kStartOfScan = 0xda;

// An image has a few dozen segments. Bytes between them are skipped one by one, as decoders do, but not for ever.
constexpr uint64_t kMaxJpegSteps = 4096;

uint16_t JpegNumber(const uint8_t* p) { return static_cast<uint16_t>(p[0] << 8 | p[1]); }

// TEM, RSTn and SOI have no length.
bool IsBareMarker(uint8_t marker) { return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8); }

// SOF0 to SOF15; DHT, JPG and DAC are among them.
bool IsJpegFrame(uint8_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

// u16 length, u8 precision, u16 height, u16 width, u8 components, then 3 bytes for each component.
void ReadJpegFrame(const uint8_t* frame, ImageHeader& header) {
  const uint32_t components = frame[7];
  if (JpegNumber(frame) != 8 + 3 * components) return;
  header.height = UnlessZero(JpegNumber(frame + 3));  // 0: a DNL segment after the first scan has it
  header.width = UnlessZero(JpegNumber(frame + 5));
  header.channels = UnlessZero(components);
}

}  // namespace

void ReadJpegHeader(ImageBytes& image, ImageHeader& header) {
  uint64_t at = 2;  // after SOI
  for (uint64_t step = 0; step < kMaxJpegSteps; ++step) {
    const uint8_t* const marker = image.At(at, 2);
    if (marker == nullptr) return;
    const uint8_t type = marker[1];
    if (marker[0] != kMarkerBegin || type == kMarkerBegin) {
      ++at;
      continue;
    }
    at += 2;
    if (type == kStuffedByte || IsBareMarker(type)) continue;
    if (type == kEndOfImage || type == kStartOfScan) return;  // the frame comes before the scans
    if (IsJpegFrame(type)) {
      if (const uint8_t* const frame = image.At(at, 8)) ReadJpegFrame(frame, header);
      return;
    }
    const uint8_t* const length = image.At(at, 2);
    if (length == nullptr || JpegNumber(length) < 2) return;  // the length counts itself
    at += JpegNumber(length);
  }
}

}  // namespace ofindex
