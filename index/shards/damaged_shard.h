#pragma once

#include <cstdint>
#include <optional>

#include "base/file.h"
#include "base/result.h"
#include "index/shards/detect.h"
#include "index/shards/shard_families.h"

namespace ofindex {

/// How far into a file that nothing vouches for TFRecords are searched: a header whose record is sound must begin
/// before it. A file of a set needs no search.
inline constexpr uint64_t kSearchedBytes = uint64_t{64} << 20;

/// Looks again at a file for which DetectShard found nothing that vouches; `first_look` is what it came to.
///
/// The file is a damaged shard if a TFRecord whose checksums both hold begins in its first 64 MiB, or in the first MiB
/// that it inflates to; or if `siblings` are given, the traits of sound shards of its set. It takes framing,
/// compression and payload kind from those that vouch for it. A Git-LFS pointer among siblings is a shard that is lost,
/// as is an OFRecord whose first lengths lead nowhere: nothing marks where a record of it begins. Otherwise
/// `first_look` is returned. Errors: kIo, kLimit.
[[nodiscard]] Result<Detection> DetectDamaged(const File& file, uint64_t size, const FormatChoice& choice,
                                              const std::optional<ShardTraits>& siblings, const Detection& first_look);

}  // namespace ofindex
