#pragma once

#include <cstdint>
#include <string>

#include "base/record.h"
#include "base/result.h"
#include "index/shards/input_files.h"

namespace ofindex {

/// What a verb writes, and the only thing that it may write over.
enum class OutputKind : uint8_t {
  kIndex,      ///< an SQLite file with the application id of an index; of a name in .ofidx, also empty or all zeros
  kMap,        ///< the map derived from an index
  kTfRecord,   ///< a file in which detection finds TFRecords, compressed or not, or an empty one
  kOfRecord,   ///< the same of OFRecords
  kTextIndex,  ///< lines of begin and length, as tfrecord2idx writes them
  kLabels,     ///< the label map of `pack`
  kJsonLines,  ///< records as `cat` prints them, with number and shard
  kRaw,        ///< payloads alone, which nothing tells from any other bytes
};

[[nodiscard]] constexpr OutputKind OutputOf(Framing framing) {
  return framing == Framing::kOfRecord ? OutputKind::kOfRecord : OutputKind::kTfRecord;
}

/// The one rule for every verb that writes: a path that exists is replaced only with `force`, only if it is
/// recognisably an output of `kind`, and never if it is one of `inputs`. Links are followed. Nothing is written.
///
/// Errors: kUsage  `path` is an input, a folder, a device or the like, a link that leads nowhere, or something else
/// than `kind`; or it is of `kind`, and `force` is not set. kIndex  it is something else than an index or a map, where
/// one is to be written. kIo.
[[nodiscard]] Result<void> CheckOutput(const std::string& path, OutputKind kind, bool force, const InputFiles& inputs);

/// True if what is at `path` is recognisably an output of `kind`; false of what cannot be read.
[[nodiscard]] bool IsOutput(const std::string& path, OutputKind kind);

/// What is at the path of an output: a file, or a folder with a set in it.
enum class OutputShape : uint8_t { kFile, kFolder };

/// The rule for shards made of shards: not in a folder that is read as a whole, no file beside several shards that are
/// read, and no set in a folder around shards that are read, where they would be part of one dataset with them.
/// Folders below that of shards which were named one by one are free. Errors: kUsage.
[[nodiscard]] Result<void> CheckOutside(const std::string& path, OutputShape shape, const InputFiles& inputs);

/// The rule for a shard of its own: not beside shards of a set that the number in its name would put it in (part-3
/// beside part-0, x_01 beside x_00; NumberedSetsOf). Shards that only have its extension may lie beside it. Of what is
/// there already nothing is said: that is for CheckOutput. Errors: kUsage; kIo  the folder cannot be listed.
[[nodiscard]] Result<void> CheckAlone(const std::string& path);

}  // namespace ofindex
