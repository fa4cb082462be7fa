#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "fuzz/expect.h"
#include "fuzz/payloads/image_header_text.h"
#include "fuzz/payloads/payload_checks.h"
#include "index/images/header_reader.h"

namespace ofindex {
namespace {

// An image that gives each piece in memory of its own, freed when the next one is asked for, so that AddressSanitizer
// catches reads that go too far or come too late.
class ImageInPieces final : public ImageBytes {
 public:
  explicit ImageInPieces(ByteView bytes) : bytes_(bytes) {}

  [[nodiscard]] const uint8_t* At(uint64_t offset, uint64_t n) override {
    if (n == 0 || n > kMaxPiece || !Fits(offset, n, bytes_.size())) return nullptr;
    piece_ = std::make_unique<uint8_t[]>(n);
    std::memcpy(piece_.get(), bytes_.data() + offset, n);
    return piece_.get();
  }

 private:
  ByteView bytes_;
  std::unique_ptr<uint8_t[]> piece_;
};

}  // namespace

void CheckImageHeader(ByteView image) {
  MemoryImage in_memory(image);
  ImageInPieces in_pieces(image);
  const ImageHeader whole = ReadImageHeader(in_memory);
  const std::string text = SpellHeader(whole);
  ExpectSame(text, SpellHeader(ReadImageHeader(in_pieces)), "the headers in memory and in pieces");
  Expect(whole.width != 0U && whole.height != 0U && whole.channels != 0U, "a side of 0: ", text);
  ImageHeader before;
  for (size_t size = 0; size < image.size(); size += 1 + image.size() / 64) {
    ImageInPieces part(image.first(size));
    const ImageHeader now = ReadImageHeader(part);
    Expect(Precedes(before, now) && Precedes(now, whole), "the first ", size, " bytes: ", SpellHeader(now),
           ", all: ", text);
    before = now;
  }
}

}  // namespace ofindex
