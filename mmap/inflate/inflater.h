#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/record.h"
#include "base/result.h"
#include "mmap/inflate/input_bytes.h"

namespace ofindex {

/// A fault in a compressed stream.
enum class StreamFault : uint8_t {
  kTruncated,      ///< the file ends inside the stream, or before the end of its trailer
  kBadDeflate,     ///< bytes that are not valid deflate
  kBadChecksum,    ///< the checksum or length after a member does not match what it inflates to
  kTrailingBytes,  ///< bytes after the stream that belong to no stream
  kSecondStream,   ///< a second zlib stream after the first: TensorFlow's reader reads only the first
};

/// A fault and its location. `position` is an offset in the inflated bytes: all bytes before it came
/// from data that could be inflated.
struct StreamDamage {
  StreamFault fault;
  uint64_t position;
  uint64_t file_begin;  ///< range of bytes in the file that cannot be trusted, or belong to no stream
  uint64_t file_end;

  friend bool operator==(const StreamDamage&, const StreamDamage&) = default;
};

/// Inflates a gzip file of one or more members, a zlib stream or a raw deflate stream from its start, and reports all
/// damage, and the block boundaries at which checkpoints can be made. The only wrapper of zlib's inflate. Uses at most
/// about 120 KiB of memory for any input. Not thread-safe.
class Inflater {
 public:
  /// Inflates the first `size` bytes of `file`, which must outlive the inflater.
  Inflater(const File& file, uint64_t size, Compression compression);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// The reason why Read returned.
  enum class Halt {
    kFull,   ///< `out` is full
    kBlock,  ///< a deflate block begins here: a possible checkpoint
    kEnd,    ///< the stream ends, or the rest cannot be trusted
  };

  /// Inflates into `out`, and sets `got` to the number of bytes stored there. If `to_blocks`, stops at every block.
  /// Errors: kIo, kLimit.
  [[nodiscard]] Result<Halt> Read(std::span<uint8_t> out, bool to_blocks, size_t& got);

  /// Returns the number of bytes inflated so far.
  [[nodiscard]] uint64_t position() const { return position_; }

  /// Returns the inflater's bit offset in the file; after kBlock, the start of the block.
  [[nodiscard]] uint64_t bit() const;

  /// Returns up to 32 KiB of output before the inflater's position.
  [[nodiscard]] std::vector<uint8_t> Window() const;

  /// Returns the damage found so far, in file order.
  [[nodiscard]] const std::vector<StreamDamage>& damage() const { return damage_; }

 private:
  struct Zlib;
  enum class Phase { kHeader, kDeflate, kTrailer, kEnd };

  [[nodiscard]] Result<Halt> Deflated(std::span<uint8_t> out, bool to_blocks, size_t& got);
  [[nodiscard]] Result<void> PassHeader();
  [[nodiscard]] Result<void> PassTrailer();
  [[nodiscard]] Result<void> CheckWhatFollows();
  [[nodiscard]] bool TrailerHolds(uint64_t trailer) const;
  void BeginMember();
  void Count(ByteView inflated);
  void EndWith(StreamFault fault, uint64_t file_begin, uint64_t file_end);

  const Compression compression_;
  InputBytes input_;
  std::unique_ptr<Zlib> zlib_;
  Phase phase_ = Phase::kHeader;
  uint64_t position_ = 0;
  uint64_t block_at_ = 0;      // byte of the file at which the last seen block begins
  uint64_t member_bytes_ = 0;  // output bytes of the member
  uint32_t checksum_ = 0;      // of the member's output
  std::vector<StreamDamage> damage_;
};

}  // namespace ofindex
