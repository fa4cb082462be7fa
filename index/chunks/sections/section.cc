#include "index/chunks/sections/section.h"

#include "base/zstd.h"

namespace ofindex {
namespace {

constexpr int kLevel = 1;          // higher ones save a few per cent more, and take several times as long
constexpr uint64_t kMinSize = 48;  // in smaller sections the frame's own header outweighs the savings

// Maximum compressed size that is worth decompressing.
constexpr uint64_t WorthSize(uint64_t size) { return size - size / 8; }

// Returns `bytes` compressed, or nothing if that is not worthwhile.
std::vector<uint8_t> Compress(ByteView bytes) {
  if (bytes.size() < kMinSize) return {};
  return ZstdCompress(bytes, kLevel, WorthSize(bytes.size()));
}

}  // namespace

void WriteSection(ByteView bytes, ChunkWriter& out) {
  if (bytes.empty()) return;
  const std::vector<uint8_t> compressed = Compress(bytes);
  if (compressed.empty()) {
    out.Byte(static_cast<uint8_t>(SectionEncoding::kPlain));
    out.Bytes(bytes);
    return;
  }
  out.Byte(static_cast<uint8_t>(SectionEncoding::kZstd));
  out.Varint(compressed.size());
  out.Bytes(compressed);
  out.Cost(bytes.size());
}

Result<Section> Section::Read(ChunkReader& in, uint64_t size) {
  Section section;
  if (size == 0) return section;
  OFINDEX_ASSIGN(const uint8_t encoding, in.Byte());
  switch (static_cast<SectionEncoding>(encoding)) {
    case SectionEncoding::kPlain: {
      OFINDEX_ASSIGN(section.stored_, in.Bytes(size));
      return section;
    }
    case SectionEncoding::kZstd: {
      OFINDEX_ASSIGN(const uint64_t stored_size, in.Varint());
      OFINDEX_ASSIGN(section.stored_, in.Bytes(stored_size));
      OFINDEX_TRY(in.Afford(size));
      section.decompressed_.resize(size);
      if (!ZstdDecompress(section.stored_, section.decompressed_)) {
        return in.Damaged("a section does not decompress to its size");
      }
      return section;
    }
  }
  return in.Unknown("section encoding", encoding);
}

}  // namespace ofindex
