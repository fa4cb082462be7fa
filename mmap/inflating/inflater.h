#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "base/record.h"
#include "base/result.h"

namespace ofindex {

/// What is wrong with a compressed stream.
enum class StreamFault : uint8_t {
  kCut,            ///< the file ends inside the stream, or before all of its trailer
  kBadDeflate,     ///< bytes that no deflate stream has
  kBadChecksum,    ///< the checksum, or the length, behind a member is not that of what it inflates to
  kTrailingBytes,  ///< bytes behind the stream that belong to none
  kSecondStream,   ///< a second zlib stream behind the first: TensorFlow's reader reads the first alone
};

/// A fault, and where it is. `position` is of the inflated bytes: all before it came out of sound deflate blocks.
struct StreamDamage {
  StreamFault fault;
  uint64_t position;
  uint64_t file_begin;  ///< of the file: the bytes that cannot be believed, or belong to nothing
  uint64_t file_end;

  friend bool operator==(const StreamDamage&, const StreamDamage&) = default;
};

/// Inflates a gzip file of one member or many, a zlib stream or a bare deflate stream, from its beginning or from a
/// checkpoint. The one place that wraps zlib's inflate. Takes no more memory than some 120 KiB, whatever the bytes are.
/// Not thread-safe.
class Inflater {
 public:
  /// Of the first `size` bytes of `file`, which must outlive the inflater.
  Inflater(const File& file, uint64_t size, Compression compression);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Goes on at a deflate block: its first bit in the file, the bytes before it. From here on checksums of the member
  /// that the block is of are not compared. Errors: kIo, kLimit.
  [[nodiscard]] Result<void> Enter(uint64_t position, uint64_t bit, ByteView window);

  /// Why Read came back.
  enum class Halt {
    kFull,   ///< there is no more room
    kBlock,  ///< a deflate block begins here: a place for a checkpoint
    kEnd,    ///< there is nothing more, or nothing that could be believed
  };

  /// Inflates into `out`, and returns with how many bytes it now holds in `got`. Comes back at blocks only if asked
  /// to. Errors: kIo, kLimit.
  [[nodiscard]] Result<Halt> Read(std::span<uint8_t> out, bool to_blocks, size_t& got);

  /// Bytes of output so far, those before a checkpoint that was entered included.
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

  [[nodiscard]] Result<void> Refill();
  [[nodiscard]] Result<std::optional<uint8_t>> NextByte();
  [[nodiscard]] Result<std::optional<uint64_t>> NextBytes(int n);
  [[nodiscard]] Result<bool> SkipText();
  [[nodiscard]] Result<void> PassHeader();
  [[nodiscard]] Result<bool> PassGzipHeader();
  [[nodiscard]] Result<bool> PassGzipFields(uint8_t flags);
  [[nodiscard]] Result<Halt> Deflated(std::span<uint8_t> out, bool to_blocks, size_t& got);
  [[nodiscard]] Result<void> PassTrailer();
  [[nodiscard]] Result<void> LookBehind();
  void Count(ByteView inflated);
  void BeginMember();
  void EndWith(StreamFault fault, uint64_t file_begin, uint64_t file_end);
  [[nodiscard]] uint64_t at() const;  // byte of the file that is taken next

  const File& file_;
  const uint64_t size_;
  const Compression compression_;
  std::unique_ptr<Zlib> zlib_;
  std::vector<uint8_t> input_;
  uint64_t input_begin_ = 0;  // byte of the file at which input_ begins
  uint64_t input_bytes_ = 0;
  Phase phase_ = Phase::kHeader;
  uint64_t position_ = 0;
  uint64_t block_at_ = 0;       // byte of the file at which the last block that was seen begins
  uint64_t member_at_ = 0;      // and the member
  uint64_t member_bytes_ = 0;   // output of the member
  uint32_t checksum_ = 0;       // of the output of the member
  bool checks_ = true;          // false where the member was entered in the middle
  std::vector<StreamDamage> damage_;
};

}  // namespace ofindex
