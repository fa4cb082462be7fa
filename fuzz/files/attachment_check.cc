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
void UseAttachment(const AttachmentFile& file, bool is_sound) {
  const bool has_sums = IsThere(file.CheckAll({}));
  Expect(has_sums || !is_sound, "a sealed file with a wrong checksum");
  for (const AttachedColumn& column : file.columns()) {
    static_cast<void>(column.origin.Text());
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

// A directory that can be read, and written again, says the same.
bool IsDirectory(ByteView directory, uint64_t chunks_bytes) {
  const std::optional<AttachmentDirectory> decoded = AttachmentDirectory::Decode(directory, chunks_bytes);
  if (!decoded) return false;
  const std::vector<uint8_t> written = decoded->Encode();
  const std::optional<AttachmentDirectory> again = AttachmentDirectory::Decode(written, chunks_bytes);
  Expect(again && again->Encode() == written, "a directory that is read otherwise once it is written again");
  return true;
}

void CheckPatchedAttachment(std::vector<uint8_t> bytes, size_t patches, bool is_rewritten, FuzzInput& patch) {
  const SealedKind kind = AttachmentKind(AttachmentPlace::kNamed);
  for (size_t i = 0; i < patches; ++i) PatchSealed(kind, bytes, patch);
  const MemoryFile file(bytes);
  const auto opened = AttachmentFile::Open(file.path(), AttachmentPlace::kNamed, "input.ofidx-attached");
  if (!IsThere(opened)) return;
  if (is_rewritten && patch.Below(2) == 0) file.CutTo(patch.Number(2) % (bytes.size() + 1));
  if (is_rewritten) file.Overwrite(patch.Number(2), patch.Bytes(1 + patch.Below(8)));
  UseAttachment(**opened, false);
}

}  // namespace

// The first byte says how the file is damaged, with the next ones; then the chunks, and the directory.
void CheckAttachment(ByteView bytes) {
  FuzzInput input(bytes);
  const uint8_t choices = input.Byte();
  FuzzInput patch(choices == 0 ? ByteView() : input.Bytes(32));
  const ByteView chunks = input.Bytes(input.Number(2));
  const ByteView rest = input.Rest();
  const std::vector<uint8_t> directory(rest.begin(), rest.end());
  const bool is_directory = IsDirectory(directory, chunks.size());
  std::vector<ByteView> sections = {chunks, directory};
  if (choices >= 250) sections.resize(choices - 250);
  const std::vector<uint8_t> sealed = SealedBytes(AttachmentKind(AttachmentPlace::kNamed), sections);
  if (choices != 0) return CheckPatchedAttachment(sealed, choices % 4, (choices & 8) != 0, patch);
  const MemoryFile file(sealed);
  const auto opened = AttachmentFile::Open(file.path(), AttachmentPlace::kNamed, "input.ofidx-attached");
  Expect(opened.has_value() == is_directory, "a file and its directory disagree");
  if (IsThere(opened)) UseAttachment(**opened, true);
  const MemoryFile raw(bytes);
  static_cast<void>(IsThere(AttachmentFile::Open(raw.path(), AttachmentPlace::kBeside, "input.ofidx-attached")));
}

}  // namespace ofindex
