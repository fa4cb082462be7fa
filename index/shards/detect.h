#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/record.h"
#include "base/result.h"
#include "index/catalog/damage.h"
#include "index/shards/record_sample.h"

namespace ofindex {

/// What a file was found to be, by its content alone: names lie (docs/record_formats.md, "Detection").
struct Detection {
  enum class Verdict {
    kRecords,         ///< a shard of `framing` and `payload`, compressed or not
    kLengthPrefixed,  ///< lengths that lead from record to record, around payloads that nothing vouches for
    kLfsPointer,      ///< a Git-LFS pointer in the place of a file
    kUnknown,
  };

  Verdict verdict = Verdict::kUnknown;
  Framing framing = Framing::kEmpty;
  PayloadKind payload = PayloadKind::kOpaque;
  Compression compression = Compression::kNone;
  uint64_t mean_record_bytes = 0;         ///< of the first records, framing included; 0 if there is none
  std::string what;                       ///< for people: "gzip-compressed TFRecord"
  bool vouched = false;                   ///< the content says so, not `FormatChoice` or the names of other files alone
  std::optional<DamageReason> lost = {};  ///< a shard in which no record can be found: all of it is damage
};

/// What the user says that detection would otherwise find out.
struct FormatChoice {
  std::optional<Framing> framing = {};
  std::optional<PayloadKind> payload = {};
  std::optional<Compression> compression = {};
};

/// The bytes that detection looks at.
inline constexpr uint64_t kDetectedBytes = 128 << 10;
inline constexpr uint64_t kDetectedInflatedBytes = uint64_t{1} << 20;

/// The first bytes of `file`, at most kDetectedBytes. Errors: kIo.
[[nodiscard]] Result<std::vector<uint8_t>> ReadHead(const File& file, uint64_t size);

/// Returns true if a file that begins with `head` is a Git-LFS pointer.
[[nodiscard]] bool IsLfsPointer(ByteView head);

/// The detection of a shard of `framing` whose first records are `sample`, vouched for or not.
[[nodiscard]] Detection Claim(Framing framing, const Sample& sample, const FormatChoice& choice, bool vouched);

/// Adds to `detection` that the shard is compressed.
void SetCompression(Detection& detection, Compression compression);

/// Looks at the first 128 KiB of `file`, of `size` bytes, and at the headers of an OFRecord's first 64 records.
///
/// A TFRecord is known by its first length checksum; an OFRecord, which has none, only by a chain of lengths that stays
/// inside the file and at least one payload that is strictly an Example, SequenceExample or OFRecord. A compressed
/// shard is known by its header and by what its first MiB inflates to, by the same rules. A framing given in `choice`
/// is trusted, except that compressed shards stay compressed; so is a compression. Errors: kIo, kLimit.
[[nodiscard]] Result<Detection> DetectShard(const File& file, uint64_t size, const FormatChoice& choice);

}  // namespace ofindex
