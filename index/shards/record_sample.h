#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/record.h"
#include "base/result.h"
#include "mmap/files/readable_bytes.h"
#include "proto/payload_kind.h"

namespace ofindex {

/// A stream of bytes of which only the front is in memory: the head of a file, or of what one inflates to.
struct Front {
  ByteView head;
  uint64_t size;       ///< of the whole stream; of an inflated one, as far as it was inflated
  const File* file;    ///< where the rest is, if it can be had
  uint64_t begin = 0;  ///< byte of the file where the stream begins
};

/// The first records of a stream, taken as one framing.
struct Sample {
  uint64_t records = 0;        ///< whole ones, 64 at the most
  uint64_t empty = 0;          ///< of them without a byte of payload
  uint64_t bytes = 0;          ///< that they take
  uint64_t strict = 0;         ///< of strictly known payload
  bool leaves_stream = false;  ///< the next header claims more than there is, or is cut off
  PayloadVote vote;
  std::optional<uint64_t> first_too_large;  ///< begin of the first non-empty record that the head does not hold
};

/// Samples the records whose headers can be reached.
[[nodiscard]] Sample SampleRecords(const Front& front, Framing framing);

/// The same; if no payload in memory is of a known kind, the first larger one is looked at in a map of the file.
[[nodiscard]] Sample SampleFront(const Front& front, Framing framing);

/// Returns true if the lengths get somewhere: to the end, or through 64 records, or to a record that is cut off behind
/// one that is strict.
[[nodiscard]] bool IsChain(const Sample& sample);

/// The front of what a compressed file inflates to.
struct InflatedFront {
  std::vector<uint8_t> bytes;
  bool sound;  ///< nothing was found wrong so far
  bool all;    ///< and there is no more of it
};

/// Inflates up to `most` bytes. Errors: kIo, kLimit.
[[nodiscard]] Result<InflatedFront> InflateFront(const File& file, uint64_t size, Compression compression,
                                                 uint64_t most);

/// Bytes in memory as those of a shard. Both arguments must outlive this.
class FrontBytes final : public ReadableBytes {
 public:
  FrontBytes(ByteView bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  [[nodiscard]] Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override;
  [[nodiscard]] Result<uint64_t> Size(uint64_t /*wanted*/) const override { return bytes_.size(); }
  [[nodiscard]] const std::string& path() const override { return path_; }

 private:
  const ByteView bytes_;
  const std::string& path_;
};

}  // namespace ofindex
