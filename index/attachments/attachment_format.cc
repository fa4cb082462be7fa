#include "index/attachments/attachment_format.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <set>

#include "base/record.h"
#include "base/text.h"
#include "index/fields/blob.h"
#include "index/fields/column_fields.h"

namespace ofindex {
namespace {

constexpr int64_t kMaxSeconds = 253'402'300'799;  // the last second of the year 9999

void WriteAttachedChunk(const AttachedChunk& chunk, BlobWriter& to) {
  to.Number(chunk.row.block);
  to.Number(chunk.row.nulls);
  to.Number(chunk.row.nans);
  WriteColumnValue(chunk.row.min, to);
  WriteColumnValue(chunk.row.max, to);
  to.Number(chunk.at);
  to.Number(chunk.bytes);
}

AttachedChunk ReadAttachedChunk(BlobReader& from) {
  AttachedChunk chunk;
  chunk.row.block = from.Number();
  chunk.row.nulls = from.Number32();
  chunk.row.nans = from.Number32();
  chunk.row.min = ReadColumnValue(from);
  chunk.row.max = ReadColumnValue(from);
  chunk.at = from.Number();
  chunk.bytes = from.Number();
  return chunk;
}

void WriteAttachedColumn(const AttachedColumn& column, BlobWriter& to) {
  to.Text(column.name);
  to.Text(column.origin.table);
  to.Text(column.origin.key);
  to.Number(static_cast<uint64_t>(column.origin.seconds));
  to.Byte(column.kinds);
  to.Byte(column.has_text ? 1 : 0);
  to.Byte(column.has_blob ? 1 : 0);
  to.Number(column.largest_bytes);
  WriteSketch(column.sketch, to);
  to.Number(column.chunks.size());
  for (const AttachedChunk& chunk : column.chunks) WriteAttachedChunk(chunk, to);
}

AttachedColumn ReadAttachedColumn(BlobReader& from) {
  AttachedColumn column;
  column.name = from.Text();
  column.origin.table = from.Text();
  column.origin.key = from.Text();
  column.origin.seconds = static_cast<int64_t>(from.Number());
  column.kinds = from.Byte(kBytesKind | kIntegerKinds | kRealKinds);
  column.has_text = from.Byte(1) == 1;
  column.has_blob = from.Byte(1) == 1;
  column.largest_bytes = from.Number();
  column.sketch = ReadSketch(from);
  for (uint64_t left = from.Count(); left != 0 && from.sound(); --left) {
    column.chunks.push_back(ReadAttachedChunk(from));
  }
  return column;
}

bool AreSound(const std::vector<AttachedBlock>& blocks) {
  uint64_t end = 0;
  for (const AttachedBlock& block : blocks) {
    const bool fits = block.records != 0 && block.records <= kBlockRecords && block.first_record >= end &&
                      block.first_record <= INT64_MAX - kBlockRecords;
    if (!fits) return false;
    end = block.first_record + block.records;
  }
  return true;
}

bool IsSound(const AttachedColumn& column, const std::vector<AttachedBlock>& blocks, uint64_t chunks_bytes) {
  if (column.name.empty() || !IsUtf8(column.name) || HasControl(column.name) || column.origin.seconds < 0 ||
      column.origin.seconds > kMaxSeconds) {
    return false;
  }
  uint64_t last = 0;
  return std::all_of(column.chunks.begin(), column.chunks.end(), [&](const AttachedChunk& chunk) {
    const bool follows = chunk.row.block > last && chunk.row.block <= blocks.size();
    last = chunk.row.block;
    return follows && chunk.row.nulls <= blocks[last - 1].records && chunk.row.nans <= chunk.row.nulls &&
           Fits(chunk.at, chunk.bytes, chunks_bytes);
  });
}

bool HaveOwnNames(const std::vector<AttachedColumn>& columns) {
  std::set<std::string> names;
  return std::all_of(columns.begin(), columns.end(),
                     [&](const AttachedColumn& column) { return names.insert(Folded(column.name)).second; });
}

}  // namespace

std::string AttachedOrigin::Text() const {
  std::tm parts{};
  const std::time_t time = seconds;
  std::array<char, 32> shown{};
  ::gmtime_r(&time, &parts);
  std::strftime(shown.data(), shown.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return StrCat("attached ", shown.data(), " from ", Printable(table), " by ", Printable(key));
}

std::vector<uint8_t> AttachmentDirectory::Encode() const {
  std::vector<uint8_t> bytes;
  BlobWriter to(bytes);
  to.Number(static_cast<uint64_t>(generation.number));
  to.Number(generation.records);
  to.Text(generation.fingerprint);
  to.Number(blocks.size());
  for (const AttachedBlock& block : blocks) {
    to.Number(block.first_record);
    to.Number(block.records);
  }
  to.Number(columns.size());
  for (const AttachedColumn& column : columns) WriteAttachedColumn(column, to);
  return bytes;
}

std::optional<AttachmentDirectory> AttachmentDirectory::Decode(ByteView bytes, uint64_t chunks_bytes) {
  BlobReader from(bytes);
  AttachmentDirectory directory;
  directory.generation.number = static_cast<int64_t>(from.Number());
  directory.generation.records = from.Number();
  directory.generation.fingerprint = from.Text();
  for (uint64_t left = from.Count(); left != 0 && from.sound(); --left) {
    const uint64_t first = from.Number();
    directory.blocks.push_back({first, from.Number32()});
  }
  const uint64_t columns = from.Count();
  if (columns > kMaxAttachedColumns) return std::nullopt;
  for (uint64_t left = columns; left != 0 && from.sound(); --left) {
    directory.columns.push_back(ReadAttachedColumn(from));
  }
  const bool is_sound = from.AtSoundEnd() && AreSound(directory.blocks) && HaveOwnNames(directory.columns) &&
                        std::all_of(directory.columns.begin(), directory.columns.end(), [&](const auto& column) {
                          return IsSound(column, directory.blocks, chunks_bytes);
                        });
  if (!is_sound) return std::nullopt;
  return directory;
}

}  // namespace ofindex
