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

/// What is wrong with a compressed stream.
enum class StreamFault : uint8_t {
  kCut,            ///< the file ends inside the stream, or before all of its trailer
  kBadDeflate,     ///< bytes that no deflate stream has
  kBadChecksum,    ///< the checksum, or the length, behind a member is not that of what it inflates to
  kTrailingBytes,  ///< bytes behind the stream that belong to none
  kSecondStream,   ///< a second zlib stream behind the first: TensorFlow's reader reads the first alone
};

/// A fault, and where it is. `position` is of the inflated bytes: all before it came out of what could be inflated.
struct StreamDamage {
  StreamFault fault;
  uint64_t position;
  uint64_t file_begin;  ///< of the file: the bytes that cannot be believed, or belong to nothing
  uint64_t file_end;

  friend bool operator==(const StreamDamage&, const StreamDamage&) = default;
};

/// Inflates a gzip file of one member or many, a zlib stream or a bare deflate stream, from its beginning: finds the
/// places for checkpoints, and whatever is wrong. The one place that wraps zlib's inflate. Takes no more memory than
/// some 120 KiB, whatever the bytes are. Not thread-safe.
class Inflater {
 public:
  /// Of the first `size` bytes of `file`, which must outlive the inflater.
  Inflater(const File& file, uint64_t size, Compression compression);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Why Read came back.
  enum class Halt {
    kFull,   ///< there is no more room
    kBlock,  ///< a deflate block begins here: a place for a checkpoint
    kEnd,    ///< there is nothing more, or nothing that could be believed
  };

  /// Inflates into `out`, and says in `got` how many bytes it now holds. Comes back at blocks only if asked to.
  /// Errors: kIo, kLimit.
  [[nodiscard]] Result<Halt> Read(std::span<uint8_t> out, bool to_blocks, size_t& got);

  /// Bytes of output so far.
  [[nodiscard]] uint64_t position() const { return position_; }

  /// Bit of the file at which the inflater stands: after kBlock, where the block begins.
  [[nodiscard]] uint64_t bit() const;

  /// Up to 32 KiB of output before the place where the inflater stands.
  [[nodiscard]] std::vector<uint8_t> Window() const;

  /// What was found wrong, in the order of the file.
  [[nodiscard]] const std::vector<StreamDamage>& damage() const { return damage_; }

 private:
  struct Zlib;
  enum class Phase { kHeader, kDeflate, kTrailer, kEnd };

  [[nodiscard]] Result<Halt> Deflated(std::span<uint8_t> out, bool to_blocks, size_t& got);
  [[nodiscard]] Result<void> PassHeader();
  [[nodiscard]] Result<void> PassTrailer();
  [[nodiscard]] Result<void> LookBehind();
  [[nodiscard]] bool TrailerHolds(uint64_t trailer) const;
  void BeginMember();
  void Count(ByteView inflated);
  void EndWith(StreamFault fault, uint64_t file_begin, uint64_t file_end);

  const Compression compression_;
  InputBytes input_;
  std::unique_ptr<Zlib> zlib_;
  Phase phase_ = Phase::kHeader;
  uint64_t position_ = 0;
  uint64_t block_at_ = 0;      // byte of the file at which the last block that was seen begins
  uint64_t member_bytes_ = 0;  // output of the member
  uint32_t checksum_ = 0;      // of it
  std::vector<StreamDamage> damage_;
};

}  // namespace ofindex
