#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "index/attachments/attached_column.h"
#include "index/catalog/catalog.h"
#include "mmap/sealed/sealed_format.h"

namespace ofindex {

// NAME.ofidx-attached is a sealed file (mmap/sealed/sealed_format.h) of two sections (docs/index_format.md):
//
//   chunks     the data of all chunks, one after the other, as index/chunks/ encodes them
//   directory  generation, blocks, and the columns with the metadata of their chunks; read at open
//
// The directory comes last, because it is known last.

inline constexpr uint32_t kAttachedChunks = 0;
inline constexpr uint32_t kAttachedDirectory = 1;
inline constexpr uint32_t kAttachedSections = 2;

/// Where a file of attached columns is: next to its index, or where its name says, as for --attach.
enum class AttachmentPlace : uint8_t { kBeside, kNamed };

/// Returns what such files are; the hint fits a file at `place` that cannot be used.
[[nodiscard]] inline SealedKind AttachmentKind(AttachmentPlace place) {
  const Hint hint =
      place == AttachmentPlace::kBeside
          ? Hint("remove it with `ofindex detach INDEX --all`, and attach the tables again")
          : Hint(
                "name a file that `ofindex attach INDEX TABLE --key NAME -o FILE` wrote for this index, or write a new "
                "one");
  return {.magic = "OFIDXATT", .version = 1, .noun = "a file of attached columns", .hint = hint};
}

/// Maximum number of columns in a file: as many as a table of SQLite may have.
inline constexpr uint64_t kMaxAttachedColumns = 2000;

/// What an attachment file says besides the data of its chunks.
struct AttachmentDirectory {
  GenerationRow generation;           ///< of the dataset to which the columns were attached
  std::vector<AttachedBlock> blocks;  ///< all of the index, those of missing shards included
  std::vector<AttachedColumn> columns;

  [[nodiscard]] std::vector<uint8_t> Encode() const;

  /// Returns what `bytes` say; the chunks have `chunks_bytes`. The bytes are untrusted: nothing is returned unless
  /// every number fits. Memory is bounded by their size.
  [[nodiscard]] static std::optional<AttachmentDirectory> Decode(ByteView bytes, uint64_t chunks_bytes);
};

}  // namespace ofindex
