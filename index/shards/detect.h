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

/// The type of a file, from its content alone: names are unreliable (docs/record_formats.md, "Detection").
struct Detection {
  enum class Verdict {
    kRecords,         ///< a shard of `framing` and `payload`, compressed or not
    kLengthPrefixed,  ///< lengths that lead from record to record, around payloads of unrecognised content
    kLfsPointer,      ///< a Git-LFS pointer in place of a file
    kUnknown,
  };

  Verdict verdict = Verdict::kUnknown;
  Framing framing = Framing::kEmpty;
  PayloadKind payload = PayloadKind::kOpaque;
  Compression compression = Compression::kNone;
  uint64_t mean_record_bytes = 0;  ///< of the first records, framing included; 0 if there are none
  std::string what;                ///< for display: "gzip-compressed TFRecord"
  /// the content proves it, not only `FormatChoice` or the names of other files
  bool proven = false;
  std::optional<DamageReason> lost = {};  ///< a shard in which no record can be found: all of it is damage
};

/// Properties given by the user instead of detected.
struct FormatChoice {
  std::optional<Framing> framing = {};
  std::optional<PayloadKind> payload = {};
  std::optional<Compression> compression = {};
};

/// The number of bytes that detection examines.
inline constexpr uint64_t kDetectedBytes = 128 << 10;
inline constexpr uint64_t kDetectedInflatedBytes = uint64_t{1} << 20;

/// Reads the first bytes of `file`, at most kDetectedBytes. Errors: kIo.
[[nodiscard]] Result<std::vector<uint8_t>> ReadHead(const File& file, uint64_t size);

/// Returns true if a file that begins with `head` is a Git-LFS pointer.
[[nodiscard]] bool IsLfsPointer(ByteView head);

/// Returns the detection of a shard of `framing` whose first records are `sample`; `proven` as in Detection.
[[nodiscard]] Detection Claim(Framing framing, const Sample& sample, const FormatChoice& choice, bool proven);

/// Marks `detection` as compressed.
void SetCompression(Detection& detection, Compression compression);

/// Examines the first 128 KiB of `file`, of `size` bytes, and the headers of an OFRecord file's first 64 records.
///
/// A TFRecord file is recognised by its first length checksum. An OFRecord file has none: it is recognised only by a
/// chain of lengths that stays inside the file and at least one payload that is strictly an Example, SequenceExample or
/// OFRecord. A compressed shard is recognised by its header and by its first inflated MiB, by the same rules. A framing
/// or a compression given in `choice` is trusted; even with a given framing, a compressed shard is recognised as
/// compressed. Errors: kIo, kLimit.
[[nodiscard]] Result<Detection> DetectShard(const File& file, uint64_t size, const FormatChoice& choice);

}  // namespace ofindex
