#include "fuzz/files/sealed_input.h"

#include <utility>

#include "fuzz/memory_file.h"
#include "mmap/sealed/sealed_writer.h"

namespace ofindex {

std::vector<uint8_t> SealedBytes(const SealedKind& kind, const std::vector<ByteView>& sections) {
  return BytesWritten([&](OutputFile out) -> Result<void> {
    OFINDEX_ASSIGN(SealedWriter writer, SealedWriter::Begin(std::move(out)));
    for (const ByteView section : sections) {
      OFINDEX_TRY(writer.BeginSection());
      OFINDEX_TRY(writer.Append(section));
    }
    return writer.Finish(kind, {});
  });
}

}  // namespace ofindex
