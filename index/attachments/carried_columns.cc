#include "index/attachments/carried_columns.h"

#include <algorithm>
#include <map>

#include "base/output_file.h"
#include "base/text.h"
#include "index/attachments/attachment_writer.h"
#include "index/catalog/paths.h"

namespace ofindex {
namespace {

/// A column of the new file, and where its chunks come from.
struct Gathered {
  struct Part {
    const AttachmentFile* file;
    const AttachedChunk* chunk;
  };

  AttachedColumn column;
  std::map<uint64_t, Part> parts = {};  // by block of the new index
};

void AddParts(const CarriedSource& source, const AttachedColumn& column, Gathered& gathered) {
  std::map<uint64_t, const AttachedChunk*> chunks;
  for (const AttachedChunk& chunk : column.chunks) chunks.emplace(chunk.row.block, &chunk);
  for (const CopiedBlock& block : source.blocks) {
    const auto found = chunks.find(block.from);
    if (found != chunks.end()) gathered.parts[block.to] = {source.file.get(), found->second};
  }
}

// The columns of all sources, in the order in which they come, each name once.
std::vector<Gathered> GatherColumns(const std::vector<CarriedSource>& sources) {
  std::vector<Gathered> columns;
  std::map<std::string, size_t> numbers;
  for (const CarriedSource& source : sources) {
    for (const AttachedColumn& column : source.file->columns()) {
      const auto [found, is_new] = numbers.emplace(Folded(column.name), columns.size());
      if (is_new) columns.push_back({.column = column});
      Gathered& gathered = columns[found->second];
      AttachedColumn& all = gathered.column;
      all.kinds = static_cast<uint8_t>(all.kinds | column.kinds);
      all.has_text = all.has_text || column.has_text;
      all.has_blob = all.has_blob || column.has_blob;
      all.largest_bytes = std::max(all.largest_bytes, column.largest_bytes);
      all.sketch.Merge(column.sketch);
      AddParts(source, column, gathered);
    }
  }
  return columns;
}

Result<void> CheckCarriedNames(const std::vector<Gathered>& columns, const std::vector<FeatureRow>& features) {
  for (const Gathered& gathered : columns) {
    const std::string name = Folded(gathered.column.name);
    for (const FeatureRow& row : features) {
      if (name != Folded(row.sql_value) && name != Folded(row.sql_count) && name != Folded(row.sql_size)) continue;
      return Fail(ErrorCode::kUsage,
                  StrCat("attached column '", Printable(gathered.column.name),
                         "' has the name of a column of feature '", Printable(row.name), "'"),
                  StrCat("drop it with `ofindex detach INDEX ", ShellWord(gathered.column.name), "`"));
    }
  }
  return {};
}

Result<void> WriteGathered(const Gathered& gathered, AttachmentWriter& writer) {
  writer.BeginColumn(gathered.column);
  for (const auto& [block, part] : gathered.parts) {
    ChunkRow row = part.chunk->row;
    row.block = block;
    OFINDEX_ASSIGN(row.data, part.file->Data(*part.chunk));
    OFINDEX_TRY(writer.AddChunk(std::move(row)));
  }
  return {};
}

}  // namespace

Result<std::optional<CarriedColumns>> CarriedColumns::Write(const std::vector<CarriedSource>& sources,
                                                            const AttachedIndex& index,
                                                            const std::vector<FeatureRow>& features) {
  const std::vector<Gathered> columns = GatherColumns(sources);
  if (columns.empty()) return std::optional<CarriedColumns>();
  OFINDEX_TRY(CheckCarriedNames(columns, features));
  OFINDEX_ASSIGN(AtomicFile file, AtomicFile::Begin(NextAttachedPathOf(index.path), AtomicFile::IfLocked::kWait));
  OFINDEX_ASSIGN(OutputFile out, file.Open());
  OFINDEX_ASSIGN(AttachmentWriter writer,
                 AttachmentWriter::Begin(std::move(out), index.generations.back(), index.blocks));
  for (const Gathered& gathered : columns) OFINDEX_TRY(WriteGathered(gathered, writer));
  OFINDEX_TRY(writer.Finish());
  return std::optional<CarriedColumns>(CarriedColumns(std::move(file)));
}

}  // namespace ofindex
