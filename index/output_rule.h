#pragma once

#include <cstdint>
#include <string>

#include "base/record.h"
#include "base/result.h"
#include "index/input_files.h"

namespace ofindex {

/// What a verb writes, and the only thing that it may write over.
enum class OutputKind : uint8_t {
  kIndex,      ///< an SQLite file with the application id of an index
  kMap,        ///< the map derived from an index
  kTfRecord,   ///< a file in which detection finds TFRecords, compressed or not, or an empty one
  kOfRecord,   ///< the same of OFRecords
  kTextIndex,  ///< lines of begin and length, as tfrecord2idx writes them
  kLabels,     ///< the label map of `pack`
  kJsonLines,  ///< records as `cat` prints them
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

/// The rule for shards made of shards: not in a folder that is read as a whole, where they would be part of it the next
/// time. Errors: kUsage.
[[nodiscard]] Result<void> CheckOutside(const std::string& path, const InputFiles& inputs);

}  // namespace ofindex
