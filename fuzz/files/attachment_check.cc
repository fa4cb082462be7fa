#include <string>
#include <vector>

#include "base/output_file.h"
#include "fuzz/expect.h"
#include "fuzz/files/file_checks.h"
#include "fuzz/files/sealed_input.h"
#include "fuzz/input.h"
#include "fuzz/memory_file.h"
#include "index/attachments/attachment_file.h"
#include "index/chunks/chunk.h"

namespace ofindex {
namespace {

// Reads all that a file has.
void UseAttachment(const AttachmentFile& file) {
  Expect(file.CheckAll({}).has_value(), "a sealed file with a wrong checksum");
  for (const AttachedColumn& column : file.columns()) {
    for (const AttachedChunk& chunk : column.chunks) {
      Expect(chunk.row.block >= 1 && chunk.row.block <= file.blocks().size(), "a chunk of no block");
      const Result<std::vector<uint8_t>> data = file.Data(chunk);
      if (!IsThere(data)) continue;
      Expect(data->size() == chunk.bytes, "a chunk of another size");
      static_cast<void>(IsThere(Chunk::Decode(*data, file.blocks()[chunk.row.block - 1].records)));
    }
  }
  static_cast<void>(IsThere(file.CheckBelongs("train.ofidx", {file.generation()}, file.blocks())));
  static_cast<void>(IsThere(file.CheckBelongs("train.ofidx", {GenerationRow{}}, {})));
}

}  // namespace

void CheckAttachment(ByteView bytes) {
  FuzzInput input(bytes);
  const ByteView chunks = input.Bytes(input.Byte());
  const ByteView rest = input.Rest();
  const std::vector<uint8_t> directory(rest.begin(), rest.end());
  const std::optional<AttachmentDirectory> decoded = AttachmentDirectory::Decode(directory, chunks.size());
  if (decoded) {
    const std::vector<uint8_t> written = decoded->Encode();
    const std::optional<AttachmentDirectory> again = AttachmentDirectory::Decode(written, chunks.size());
    Expect(again && again->Encode() == written, "a directory that is read otherwise once it is written again");
  }
  const SealedKind kind = AttachmentKind(AttachmentPlace::kNamed);
  const MemoryFile file(SealedBytes(kind, {chunks, directory}));
  const auto opened = AttachmentFile::Open(file.path(), AttachmentPlace::kNamed, "input.ofidx-attached");
  Expect(opened.has_value() == decoded.has_value(), "a file and its directory disagree");
  if (IsThere(opened)) UseAttachment(**opened);
  const MemoryFile raw(bytes);
  static_cast<void>(IsThere(AttachmentFile::Open(raw.path(), AttachmentPlace::kBeside, "input.ofidx-attached")));
}

}  // namespace ofindex
