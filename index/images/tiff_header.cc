#include <algorithm>

#include "base/bytes.h"
#include "index/images/format_readers.h"

// TIFF 6.0, section 2, and the BigTIFF design of libtiff: a directory is a number of entries, then for each entry u16
// tag, u16 type, a number of values, and the value itself if it is short. BigTIFF has 64 bits for offsets, values and
// numbers of values, and for the number of entries, which are 32 and 16 bits in classic TIFF.

namespace ofindex {
namespace {

// Tags of entries.
constexpr uint64_t kImageWidth = 256;
constexpr uint64_t kImageLength = 257;
constexpr uint64_t kPhotometricInterpretation = 262;
constexpr uint64_t kSamplesPerPixel = 277;

constexpr uint64_t kPaletteColor = 3;  // a PhotometricInterpretation

// Directories have a few dozen entries. What is in no entry up to this one is not known.
constexpr uint64_t kMaxDirectoryEntries = 4096;

// Returns the bytes of a value of `type`, for the types of whole numbers without sign; 0 for others.
uint64_t BytesOfTiffType(uint64_t type) {
  switch (type) {
    case 1: return 1;   // BYTE
    case 3: return 2;   // SHORT
    case 4: return 4;   // LONG
    case 16: return 8;  // LONG8
    default: return 0;
  }
}

class TiffFile {
 public:
  TiffFile(ImageBytes& image, bool big_endian, bool big)
      : image_(image), big_endian_(big_endian), offset_bytes_(big ? 8 : 4), count_bytes_(big ? 8 : 2) {}

  // Returns the number of `bytes` bytes, at most 8, at `offset`.
  [[nodiscard]] std::optional<uint64_t> Number(uint64_t offset, uint64_t bytes) {
    const uint8_t* const p = image_.At(offset, bytes);
    if (p == nullptr) return std::nullopt;
    uint64_t number = 0;
    for (uint64_t i = 0; i < bytes; ++i) number = number << 8 | p[big_endian_ ? i : bytes - 1 - i];
    return number;
  }

  [[nodiscard]] std::optional<uint64_t> FirstDirectory() { return Number(offset_bytes_, offset_bytes_); }
  [[nodiscard]] std::optional<uint64_t> EntriesAt(uint64_t directory) { return Number(directory, count_bytes_); }

  // Returns where an entry is; `directory` is within the file.
  [[nodiscard]] uint64_t EntryAt(uint64_t directory, uint64_t entry) const {
    return directory + count_bytes_ + entry * (4 + 2 * offset_bytes_);
  }

  // Returns the value of the entry at `entry` if it is one whole number.
  [[nodiscard]] std::optional<uint64_t> ValueOf(uint64_t entry) {
    const std::optional<uint64_t> type = Number(entry + 2, 2);
    const std::optional<uint64_t> count = Number(entry + 4, offset_bytes_);
    const uint64_t size = type ? BytesOfTiffType(*type) : 0;
    if (size == 0 || size > offset_bytes_ || count != 1) return std::nullopt;
    return Number(entry + 4 + offset_bytes_, size);
  }

  // Returns false if the file ends before the entry does.
  [[nodiscard]] bool HasEntry(uint64_t entry) { return image_.At(entry, 4 + 2 * offset_bytes_) != nullptr; }

 private:
  ImageBytes& image_;
  const bool big_endian_;
  const uint64_t offset_bytes_;
  const uint64_t count_bytes_;
};

// The first entry with a tag. It may be there without a value that makes sense.
struct TiffEntry {
  bool there = false;
  std::optional<uint32_t> value = {};

  void Take(std::optional<uint64_t> number) {
    if (there) return;
    there = true;
    if (number && *number <= UINT32_MAX) value = UnlessZero(static_cast<uint32_t>(*number));
  }
};

}  // namespace

void ReadTiffHeader(ImageBytes& image, bool big_endian, bool big, ImageHeader& header) {
  TiffFile file(image, big_endian, big);
  const std::optional<uint64_t> directory = file.FirstDirectory();
  const std::optional<uint64_t> entries = directory ? file.EntriesAt(*directory) : std::nullopt;
  if (!entries) return;
  TiffEntry width, height, samples, photometric;
  uint64_t read = 0;
  for (; read < std::min(*entries, kMaxDirectoryEntries); ++read) {
    const uint64_t entry = file.EntryAt(*directory, read);
    if (!file.HasEntry(entry)) break;
    switch (file.Number(entry, 2).value_or(0)) {
      case kImageWidth: width.Take(file.ValueOf(entry)); break;
      case kImageLength: height.Take(file.ValueOf(entry)); break;
      case kPhotometricInterpretation: photometric.Take(file.ValueOf(entry)); break;
      case kSamplesPerPixel: samples.Take(file.ValueOf(entry)); break;
      default: break;
    }
  }
  header.width = width.value;
  header.height = height.value;
  // Without an entry, a pixel has one sample. A palette makes three of it.
  const bool complete = read == *entries;
  if (!photometric.there && !complete) return;
  if (photometric.value == kPaletteColor) {
    header.channels = 3;
  } else if (samples.there || complete) {
    header.channels = samples.there ? samples.value : 1;
  }
}

}  // namespace ofindex
