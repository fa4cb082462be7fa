#include "index/attachments/attachment_writer.h"

#include <cassert>

#include "base/text.h"

namespace ofindex {

Result<AttachmentWriter> AttachmentWriter::Begin(OutputFile out, GenerationRow generation,
                                                 std::vector<AttachedBlock> blocks) {
  OFINDEX_ASSIGN(SealedWriter sealed, SealedWriter::Begin(std::move(out)));
  OFINDEX_TRY(sealed.BeginSection());
  AttachmentWriter writer(std::move(sealed));
  writer.directory_.generation = std::move(generation);
  writer.directory_.blocks = std::move(blocks);
  return writer;
}

void AttachmentWriter::BeginColumn(AttachedColumn column) {
  column.chunks.clear();
  directory_.columns.push_back(std::move(column));
}

void AttachmentWriter::EndColumn(AttachedColumn column) {
  column.chunks = std::move(directory_.columns.back().chunks);
  directory_.columns.back() = std::move(column);
}

Result<void> AttachmentWriter::AddChunk(ChunkRow chunk) {
  std::vector<AttachedChunk>& chunks = directory_.columns.back().chunks;
  assert(chunk.block <= directory_.blocks.size() && (chunks.empty() || chunks.back().row.block < chunk.block));
  AttachedChunk added{.row = {}, .at = chunks_bytes_, .bytes = chunk.data.size()};
  OFINDEX_TRY(out_.Append(chunk.data));
  chunks_bytes_ += chunk.data.size();
  chunk.data = {};
  added.row = std::move(chunk);
  chunks.push_back(std::move(added));
  return {};
}

Result<void> AttachmentWriter::CopyColumn(const AttachmentFile& file, const AttachedColumn& column) {
  BeginColumn(column);
  for (const AttachedChunk& chunk : column.chunks) {
    ChunkRow row = chunk.row;
    OFINDEX_ASSIGN(row.data, file.Data(chunk));
    OFINDEX_TRY(AddChunk(std::move(row)));
  }
  return {};
}

Result<void> AttachmentWriter::Finish() {
  if (directory_.columns.size() > kMaxAttachedColumns) {
    return Fail(ErrorCode::kLimit,
                StrCat(FormatCount(directory_.columns.size()), " attached columns; expected at most ",
                       FormatCount(kMaxAttachedColumns)),
                "drop some with `ofindex detach INDEX NAME`");
  }
  OFINDEX_TRY(out_.BeginSection());
  OFINDEX_TRY(out_.Append(directory_.Encode()));
  return out_.Finish(AttachmentKind(AttachmentPlace::kBeside),
                     {.generation = static_cast<uint64_t>(directory_.generation.number)});
}

}  // namespace ofindex
