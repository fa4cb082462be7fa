#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "base/result.h"
#include "index/attachments/attached_column.h"
#include "index/attachments/attachment_file.h"
#include "index/attachments/attachment_format.h"
#include "mmap/sealed/sealed_writer.h"

namespace ofindex {

/// Writes a file of attached columns, column by column. Not thread-safe.
class AttachmentWriter {
 public:
  /// Writes to `out`, which is empty, columns of the records of `generation`, whose blocks are `blocks`. Errors: kIo.
  [[nodiscard]] static Result<AttachmentWriter> Begin(OutputFile out, GenerationRow generation,
                                                      std::vector<AttachedBlock> blocks);

  /// Begins the next column: `column`, without its chunks.
  void BeginColumn(AttachedColumn column);

  /// Ends the column begun last; what is known of its values by now is in `column`.
  void EndColumn(AttachedColumn column);

  /// Adds the next chunk of the column, whose block is after that of the last one. Errors: kIo.
  [[nodiscard]] Result<void> AddChunk(ChunkRow chunk);

  /// Adds a column of another file, whose blocks are the first ones of this one. Errors: kIndex, kIo.
  [[nodiscard]] Result<void> CopyColumn(const AttachmentFile& file, const AttachedColumn& column);

  [[nodiscard]] size_t columns() const { return directory_.columns.size(); }

  /// Ends the file. Errors: kIo; kLimit if there are more columns than a file may have.
  [[nodiscard]] Result<void> Finish();

 private:
  explicit AttachmentWriter(SealedWriter out) : out_(std::move(out)) {}

  SealedWriter out_;
  uint64_t chunks_bytes_ = 0;
  AttachmentDirectory directory_;
};

}  // namespace ofindex
