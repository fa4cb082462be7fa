#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "fuzz/expect.h"
#include "fuzz/input.h"
#include "fuzz/payloads/payload_checks.h"
#include "index/images/header_reader.h"
#include "query/images/image_decoder.h"
#include "query/images/planes.h"

namespace ofindex {
namespace {

constexpr size_t kMaxFuzzedSide = 40;
// Larger images take longer, and find nothing that these do not; the largest ones are refused.
constexpr uint64_t kMaxFuzzedPixels = uint64_t{1} << 18;

// Gives the chunks of a PNG image correct checksums, without which no other byte is looked at.
void MendChecksums(std::vector<uint8_t>& png) {
  constexpr size_t kSignature = 8;
  for (size_t at = kSignature; png.size() - std::min(at, png.size()) >= 12;) {
    uint32_t length = 0;
    for (size_t i = 0; i < 4; ++i) length = length << 8 | png[at + i];
    if (length > png.size() - at - 12) return;
    const uint64_t sum = crc32(0, png.data() + at + 4, static_cast<uInt>(length + 4));
    for (size_t i = 0; i < 4; ++i) png[at + 8 + length + i] = static_cast<uint8_t>(sum >> (24 - 8 * i));
    at += 12 + length;
  }
}

ImageShape TakeShape(FuzzInput& input) {
  ImageShape shape;
  shape.width = static_cast<uint32_t>(input.Below(kMaxFuzzedSide + 1));
  shape.height = static_cast<uint32_t>(input.Below(kMaxFuzzedSide + 1));
  const uint8_t how = input.Byte();
  shape.gray = (how & 1) != 0;
  shape.layout = (how & 2) != 0 ? ImageShape::Layout::kPlanes : ImageShape::Layout::kRows;
  shape.fit = static_cast<ImageFit>(how / 4 % 3);
  return shape;
}

// Decodes into memory of its own, so that AddressSanitizer sees any byte written beyond it. Null if that fails.
std::unique_ptr<uint8_t[]> Decoded(const ImageDecoder& decoder, ByteView image, uint8_t before) {
  auto pixels = std::make_unique<uint8_t[]>(decoder.bytes());
  std::memset(pixels.get(), before, decoder.bytes());
  const Result<void> done = decoder.Decode(image, pixels.get());
  if (!done) Expect(!done.error().message.empty(), "an error without a message");
  return done ? std::move(pixels) : nullptr;
}

}  // namespace

void CheckImagePixels(ByteView bytes) {
  FuzzInput input(bytes);
  const ImageShape shape = TakeShape(input);
  const ByteView rest = input.Rest();
  std::vector<uint8_t> image(rest.begin(), rest.end());
  if (image.size() > 8 && image[0] == 0x89) MendChecksums(image);
  MemoryImage header_bytes(image);
  const ImageHeader header = ReadImageHeader(header_bytes);
  const uint64_t pixels = uint64_t{header.width.value_or(1)} * header.height.value_or(1);
  if (pixels > kMaxFuzzedPixels && pixels <= kMaxPixels) return;
  const auto decoder = ImageDecoder::Of(shape);
  Expect(decoder.has_value() == (shape.width != 0 && shape.height != 0), "a side of 0 that is taken, or another not");
  if (!decoder) return;
  const auto first = Decoded(**decoder, image, 0);
  const auto second = Decoded(**decoder, image, 0xff);
  Expect((first == nullptr) == (second == nullptr), "an image that is decoded once of two times");
  Expect(first == nullptr || std::memcmp(first.get(), second.get(), (*decoder)->bytes()) == 0,
         "an image with other pixels the second time");
}

}  // namespace ofindex
