#include "fuzz/files/sealed_input.h"

#include <utility>

#include "fuzz/memory_file.h"
#include "mmap/sealed/sealed_writer.h"

namespace ofindex {
namespace {

// A number from the input: one near `old`, or any.
uint64_t TakeNear(uint64_t old, FuzzInput& input) {
  return input.Below(2) == 0 ? old + input.Number(1) - 128 : input.Number(8);
}

void PatchSealedHeader(const SealedKind& kind, std::vector<uint8_t>& bytes, FuzzInput& input) {
  SealedHeader header;
  if (bytes.size() < kSealedHeaderBytes || !header.Decode(kind.magic, bytes.data())) return;
  const size_t field = input.Below(8);
  SealedSection& section = header.section[input.Below(3)];
  switch (field) {
    case 0: header.version = static_cast<uint32_t>(TakeNear(header.version, input)); break;
    case 1: header.sections = static_cast<uint32_t>(TakeNear(header.sections, input)); break;
    case 2: header.file_bytes = TakeNear(header.file_bytes, input); break;
    case 3: header.body_bytes = TakeNear(header.body_bytes, input); break;
    case 4: header.roots_hash = TakeNear(header.roots_hash, input); break;
    case 5: header.origin.generation = TakeNear(header.origin.generation, input); break;
    case 6: section.at = TakeNear(section.at, input); break;
    default: section.bytes = TakeNear(section.bytes, input);
  }
  header.Encode(kind.magic, bytes.data());
}

}  // namespace

std::vector<uint8_t> SealedBytes(const SealedKind& kind, const std::vector<ByteView>& sections,
                                 const IndexOrigin& origin) {
  return BytesWritten([&](OutputFile out) -> Result<void> {
    OFINDEX_ASSIGN(SealedWriter writer, SealedWriter::Begin(std::move(out)));
    for (const ByteView section : sections) {
      OFINDEX_TRY(writer.BeginSection());
      OFINDEX_TRY(writer.Append(section));
    }
    return writer.Finish(kind, origin);
  });
}

void PatchSealed(const SealedKind& kind, std::vector<uint8_t>& bytes, FuzzInput& input) {
  switch (input.Below(4)) {
    case 0:
    case 1: return PatchSealedHeader(kind, bytes, input);
    case 2: {
      const uint64_t at = input.Number(2);
      const uint8_t value = input.Byte();
      if (!bytes.empty()) bytes[at % bytes.size()] = value;
      return;
    }
    default: bytes.resize(input.Number(2) % (bytes.size() + 1));
  }
}

}  // namespace ofindex
