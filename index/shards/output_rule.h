#pragma once

#include <cstdint>
#include <string>

#include "base/record.h"
#include "base/result.h"
#include "index/shards/input_files.h"

namespace ofindex {

/// The kind of file that a verb writes, and the only kind that it may overwrite.
enum class OutputKind : uint8_t {
  kIndex,      ///< an SQLite file with the application id of an index; if named .ofidx, also empty or all zeros
  kMap,        ///< the map derived from an index
  kTfRecord,   ///< a file in which detection finds TFRecords, compressed or not, or an empty one
  kOfRecord,   ///< the same for OFRecords
  kTextIndex,  ///< lines of offset and length, as written by tfrecord2idx
  kLabels,     ///< the label map of `pack`
  kOrdinals,   ///< ascending ordinals, one per line
  kJsonLines,  ///< records as printed by `cat`, with number and shard
  kCsv,        ///< records as CSV, with a header that begins with _id
  kHtml,       ///< a page of `report`
  kArrow,      ///< a file of the Arrow IPC format
  kRaw,        ///< payloads only, which are indistinguishable from any other bytes
};

[[nodiscard]] constexpr OutputKind OutputOf(Framing framing) {
  return framing == Framing::kOfRecord ? OutputKind::kOfRecord : OutputKind::kTfRecord;
}

/// The one rule for every verb that writes: an existing path is replaced only with `force`, only if it is recognisably
/// an output of `kind`, and never if it is one of `inputs`. Links are followed. Nothing is written.
///
/// Errors: kUsage if `path` is an input, a folder, a device or the like, a dangling link, or something other than
/// `kind`; or if it is of `kind`, and `force` is not set; kIndex if an index or a map is to be written, and `path` is
/// something else; kIo.
[[nodiscard]] Result<void> CheckOutput(const std::string& path, OutputKind kind, bool force, const InputFiles& inputs);

/// Returns true if the file at `path` is recognisably an output of `kind`; false if it cannot be read.
[[nodiscard]] bool IsOutput(const std::string& path, OutputKind kind);

/// Returns true if the file at `path` is a shard by its name, even if it cannot be read, or by its content. Errors: kIo
/// if the disk fails; false if the file is out of reach (IsOutOfReach).
[[nodiscard]] Result<bool> IsShard(const std::string& path);

/// The shape of an output: a file, or a folder with a set in it.
enum class OutputShape : uint8_t { kFile, kFolder };

/// The rule for shards made from shards, which must not form one dataset with them: no output in or below a folder that
/// is read as a whole, no file next to several shards that are read, and no set in a folder that holds, at any depth, a
/// shard that is read. A folder below that of individually named shards is allowed. Errors: kUsage; kIo.
[[nodiscard]] Result<void> CheckOutside(const std::string& path, OutputShape shape, const InputFiles& inputs);

/// The rule for a single shard: it must not lie next to shards of a set to which the number in its name would add it
/// (part-3 next to part-0, x_01 next to x_00; NumberedSetsOf). A number that is not written as those of shards are
/// (HasShardNumber) counts only if the index of the folder or of one around it, or an index in it, would read the file.
/// Shards that only share its extension are allowed. Existing files at `path` are not checked here: see CheckOutput.
/// Errors: kUsage; kIo if the folder cannot be listed, or an index or a shard in it cannot be read.
[[nodiscard]] Result<void> CheckAlone(const std::string& path);

}  // namespace ofindex
