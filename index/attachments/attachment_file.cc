#include "index/attachments/attachment_file.h"

#include <algorithm>
#include <optional>

#include "base/allocation.h"
#include "base/text.h"

namespace ofindex {
namespace {

std::string Described(const GenerationRow& generation) {
  return StrCat("generation ", generation.number, " with ", FormatCount(generation.records), " ordinals, id ",
                generation.fingerprint.substr(0, 16));
}

}  // namespace

Result<std::shared_ptr<const AttachmentFile>> AttachmentFile::Open(const std::string& path, AttachmentPlace place,
                                                                   const std::string& shown) {
  return WithMemory("attached columns", [&]() -> Result<std::shared_ptr<const AttachmentFile>> {
    OFINDEX_ASSIGN(SealedFile file, SealedFile::Open(path, AttachmentKind(place), shown));
    std::optional<AttachmentDirectory> directory;
    if (file.sections() == kAttachedSections) {
      std::vector<uint8_t> bytes(file.section_bytes(kAttachedDirectory));
      OFINDEX_TRY(file.Copy(kAttachedDirectory, 0, bytes));
      directory = AttachmentDirectory::Decode(bytes, file.section_bytes(kAttachedChunks));
    }
    if (!directory) {
      return Fail(ErrorCode::kIndex, StrCat(Printable(file.path()), ": the directory of its columns is damaged"),
                  AttachmentKind(place).hint);
    }
    return std::shared_ptr<const AttachmentFile>(new AttachmentFile(std::move(file), place, *std::move(directory)));
  });
}

Result<std::vector<uint8_t>> AttachmentFile::Data(const AttachedChunk& chunk) const {
  std::vector<uint8_t> data(chunk.bytes);
  OFINDEX_TRY(file_.Copy(kAttachedChunks, chunk.at, data));
  return data;
}

// Updates that move no ordinal add blocks at the end and keep the others, so the blocks of an earlier generation are
// the first ones of a later one.
Result<void> AttachmentFile::CheckBelongs(const std::string& index, const std::vector<GenerationRow>& generations,
                                          const std::vector<AttachedBlock>& blocks) const {
  const bool is_known = std::any_of(generations.begin(), generations.end(), [&](const GenerationRow& row) {
    return row.fingerprint == generation().fingerprint && row.records == generation().records;
  });
  const std::vector<AttachedBlock>& own = directory_.blocks;
  if (is_known && own.size() <= blocks.size() && std::equal(own.begin(), own.end(), blocks.begin())) return {};
  return Fail(
      ErrorCode::kStale,
      StrCat(Printable(path()), ": its columns belong to another dataset, or to a generation of ", Printable(index),
             " whose ordinals have moved; expected ", Described(generations.back()), ", got ", Described(generation())),
      AttachmentKind(place_).hint);
}

}  // namespace ofindex
