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

/// A byte stream of which only the front is in memory: the head of a file, or of its inflated bytes.
struct Front {
  ByteView head;
  uint64_t size;       ///< of the whole stream; if inflated, as far as it was inflated
  const File* file;    ///< holds the rest, if available
  uint64_t begin = 0;  ///< offset in the file where the stream begins
};

/// The first records of a stream, read as one framing.
struct Sample {
  uint64_t records = 0;        ///< whole records, at most 64
  uint64_t empty = 0;          ///< records with an empty payload
  uint64_t bytes = 0;          ///< total size of the records
  uint64_t strict = 0;         ///< records whose payload type is strictly known
  bool leaves_stream = false;  ///< the next header claims more bytes than there are, or is cut off
  PayloadVote vote;
  std::optional<uint64_t> first_too_large;  ///< start of the first non-empty record that is not whole in the head
};

/// Samples the records whose headers can be reached.
[[nodiscard]] Sample SampleRecords(const Front& front, Framing framing);

/// Does the same; if no payload in memory is of a known kind, maps the file to examine the first larger one.
[[nodiscard]] Sample SampleFront(const Front& front, Framing framing);

/// Returns true if the lengths form a chain that ends at the end of the bytes, after 64 records, or at a truncated
/// record that follows a record of a known kind.
[[nodiscard]] bool IsChain(const Sample& sample);

/// The front of the inflated bytes of a compressed file.
struct InflatedFront {
  std::vector<uint8_t> bytes;
  bool sound;  ///< no fault was found so far
  bool all;    ///< and there are no more bytes
};

/// Inflates up to `limit` bytes. Errors: kIo, kLimit.
[[nodiscard]] Result<InflatedFront> InflateFront(const File& file, uint64_t size, Compression compression,
                                                 uint64_t limit);

/// Bytes in memory, presented as those of a shard. Both arguments must outlive this object.
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
