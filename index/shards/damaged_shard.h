#pragma once

#include <cstdint>
#include <optional>

#include "base/file.h"
#include "base/result.h"
#include "index/shards/detect.h"
#include "index/shards/shard_families.h"

namespace ofindex {

/// The number of bytes that are searched for TFRecords in a file of unrecognised content: the header of a sound record
/// must begin before this offset. A file whose set has sound shards is accepted without such a record.
inline constexpr uint64_t kSearchedBytes = uint64_t{64} << 20;

/// Re-examines a file whose content DetectShard did not recognise; `first_detection` is the result of DetectShard.
///
/// The file is a damaged shard if a TFRecord with two correct checksums begins in its first 64 MiB, or in the first MiB
/// of its inflated bytes; or if `siblings`, the traits of sound shards of its set, are given. Framing, compression and
/// payload kind come from that evidence. A Git-LFS pointer among siblings is a lost shard, as is an OFRecord file whose
/// first lengths lead nowhere: nothing marks where its records begin. Otherwise returns `first_detection`. Errors: kIo,
/// kLimit.
[[nodiscard]] Result<Detection> DetectDamaged(const File& file, uint64_t size, const FormatChoice& choice,
                                              const std::optional<ShardTraits>& siblings,
                                              const Detection& first_detection);

}  // namespace ofindex
