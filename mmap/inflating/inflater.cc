#include "mmap/inflating/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "mmap/inflating/compression_header.h"

namespace ofindex {
namespace {

constexpr uint64_t kInputBytes = 64 << 10;
constexpr int kBareDeflate = -15;  // zlib.h: no header, no trailer, a window of 2^15 bytes

// RFC 1952, 2.3: the flags of a member's header.
constexpr uint8_t kHeaderCrc = 2;
constexpr uint8_t kExtraField = 4;
constexpr uint8_t kFileName = 8;
constexpr uint8_t kComment = 16;
constexpr uint8_t kReservedFlags = 0xe0;

}  // namespace

struct Inflater::Zlib {
  z_stream stream{};
  bool ready;

  Zlib() : ready(::inflateInit2(&stream, kBareDeflate) == Z_OK) {}
  ~Zlib() {
    if (ready) ::inflateEnd(&stream);
  }
  Zlib(const Zlib&) = delete;
  Zlib& operator=(const Zlib&) = delete;
};

Inflater::Inflater(const File& file, uint64_t size, Compression compression)
    : file_(file), size_(size), compression_(compression), zlib_(std::make_unique<Zlib>()), input_(kInputBytes) {
  zlib_->stream.next_in = input_.data();
}

Inflater::~Inflater() = default;

uint64_t Inflater::at() const {
  return input_begin_ + static_cast<uint64_t>(zlib_->stream.next_in - input_.data());
}

uint64_t Inflater::bit() const {
  return 8 * at() - static_cast<uint64_t>(zlib_->stream.data_type & 7);
}

std::vector<uint8_t> Inflater::Window() const {
  std::vector<uint8_t> window(32768);
  uInt size = 0;
  if (::inflateGetDictionary(&zlib_->stream, window.data(), &size) != Z_OK) size = 0;
  window.resize(size);
  return window;
}

Result<void> Inflater::Enter(uint64_t position, uint64_t bit, ByteView window) {
  if (!zlib_->ready) return Fail(ErrorCode::kLimit, "no memory for the decompressor");
  z_stream& stream = zlib_->stream;
  ::inflateReset(&stream);
  input_begin_ = bit / 8;
  input_bytes_ = 0;
  stream.next_in = input_.data();
  stream.avail_in = 0;
  position_ = position;
  phase_ = Phase::kDeflate;
  checks_ = false;
  if (!window.empty()) ::inflateSetDictionary(&stream, window.data(), static_cast<uInt>(window.size()));
  if (bit % 8 == 0) return {};
  OFINDEX_ASSIGN(const std::optional<uint8_t> first, NextByte());
  const auto used = static_cast<int>(bit % 8);
  if (first) ::inflatePrime(&stream, 8 - used, *first >> used);
  return {};
}

Result<Inflater::Halt> Inflater::Read(std::span<uint8_t> out, bool to_blocks, size_t& got) {
  got = 0;
  if (!zlib_->ready) return Fail(ErrorCode::kLimit, "no memory for the decompressor");
  for (;;) {
    switch (phase_) {
      case Phase::kHeader:
        OFINDEX_TRY(PassHeader());
        if (to_blocks && phase_ == Phase::kDeflate) return Halt::kBlock;
        break;
      case Phase::kTrailer: OFINDEX_TRY(PassTrailer()); break;
      case Phase::kEnd: return Halt::kEnd;
      case Phase::kDeflate:
        OFINDEX_ASSIGN(const Halt halt, Deflated(out, to_blocks, got));
        if (halt != Halt::kEnd) return halt;
    }
  }
}

// Comes back with kEnd at the end of a deflate stream, with what is next in phase_.
Result<Inflater::Halt> Inflater::Deflated(std::span<uint8_t> out, bool to_blocks, size_t& got) {
  z_stream& stream = zlib_->stream;
  for (;;) {
    if (stream.avail_in == 0) OFINDEX_TRY(Refill());
    const size_t room = std::min<size_t>(out.size() - got, std::numeric_limits<uInt>::max());
    stream.next_out = out.data() + got;
    stream.avail_out = static_cast<uInt>(room);
    const uInt before = stream.avail_in;
    const int result = ::inflate(&stream, to_blocks ? Z_BLOCK : Z_NO_FLUSH);
    const size_t produced = room - stream.avail_out;
    Count(ByteView(out).subspan(got, produced));
    got += produced;
    switch (result) {
      case Z_STREAM_END: phase_ = Phase::kTrailer; return Halt::kEnd;
      case Z_MEM_ERROR: return Fail(ErrorCode::kLimit, "no memory for the decompressor");
      case Z_OK:
      case Z_BUF_ERROR: break;
      default: EndWith(StreamFault::kBadDeflate, block_at_, size_); return Halt::kEnd;
    }
    // zlib.h: 128 right behind a block, or behind the header; 64 within the last block.
    const bool at_block = to_blocks && (stream.data_type & 0xc0) == 0x80;
    if (at_block) {
      block_at_ = bit() / 8;
      return Halt::kBlock;
    }
    if (got == out.size()) return Halt::kFull;
    const bool stuck = produced == 0 && stream.avail_in == before && before == 0;
    if (stuck) {
      EndWith(StreamFault::kCut, block_at_, size_);
      return Halt::kEnd;
    }
  }
}

void Inflater::Count(ByteView inflated) {
  position_ += inflated.size();
  member_bytes_ += inflated.size();
  if (!checks_) return;
  if (compression_ == Compression::kGzip) {
    checksum_ = static_cast<uint32_t>(::crc32_z(checksum_, inflated.data(), inflated.size()));
  } else if (compression_ == Compression::kZlib) {
    checksum_ = static_cast<uint32_t>(::adler32_z(checksum_, inflated.data(), inflated.size()));
  }
}

void Inflater::EndWith(StreamFault fault, uint64_t file_begin, uint64_t file_end) {
  damage_.push_back({fault, position_, file_begin, file_end});
  phase_ = Phase::kEnd;
}

// Headers and trailers, byte by byte.

Result<void> Inflater::Refill() {
  input_begin_ += input_bytes_;
  z_stream& stream = zlib_->stream;
  stream.next_in = input_.data();
  const uint64_t wanted = input_begin_ < size_ ? std::min<uint64_t>(input_.size(), size_ - input_begin_) : 0;
  input_bytes_ = 0;
  stream.avail_in = 0;
  if (wanted == 0) return {};
  OFINDEX_ASSIGN(input_bytes_, file_.ReadAt(input_begin_, std::span(input_).first(wanted)));
  stream.avail_in = static_cast<uInt>(input_bytes_);
  return {};
}

Result<std::optional<uint8_t>> Inflater::NextByte() {
  z_stream& stream = zlib_->stream;
  if (stream.avail_in == 0) OFINDEX_TRY(Refill());
  if (stream.avail_in == 0) return std::nullopt;
  --stream.avail_in;
  return *stream.next_in++;
}

// `n` bytes, the lowest first; nullopt where the file ends before.
Result<std::optional<uint64_t>> Inflater::NextBytes(int n) {
  uint64_t value = 0;
  for (int i = 0; i < n; ++i) {
    OFINDEX_ASSIGN(const std::optional<uint8_t> byte, NextByte());
    if (!byte) return std::nullopt;
    value |= uint64_t{*byte} << (8 * i);
  }
  return value;
}

// Over a text that ends with a zero byte; false where the file ends before.
Result<bool> Inflater::SkipText() {
  for (;;) {
    OFINDEX_ASSIGN(const std::optional<uint8_t> byte, NextByte());
    if (!byte) return false;
    if (*byte == 0) return true;
  }
}

void Inflater::BeginMember() {
  phase_ = Phase::kDeflate;
  block_at_ = at();
  member_bytes_ = 0;
  checks_ = true;
  checksum_ = compression_ == Compression::kZlib ? 1 : 0;  // what adler32 and crc32 begin with
  z_stream& stream = zlib_->stream;
  stream.data_type = 0;  // of the member before
  const uInt left = stream.avail_in;
  Bytef* const next = stream.next_in;
  ::inflateReset(&stream);
  stream.next_in = next;
  stream.avail_in = left;
}

Result<void> Inflater::PassHeader() {
  member_at_ = at();
  bool sound = true;
  if (compression_ == Compression::kGzip) {
    OFINDEX_ASSIGN(sound, PassGzipHeader());
  } else if (compression_ == Compression::kZlib) {
    OFINDEX_ASSIGN(const std::optional<uint64_t> head, NextBytes(2));
    sound = head && IsZlibHeader(*head & 255, static_cast<unsigned>(*head >> 8));
  }
  if (sound) {
    BeginMember();
  } else if (phase_ != Phase::kEnd) {
    EndWith(at() == size_ ? StreamFault::kCut : StreamFault::kBadDeflate, member_at_, size_);
  }
  return {};
}

// Where bytes behind a member are no header of another, they are nobody's.
Result<bool> Inflater::PassGzipHeader() {
  for (const uint8_t expected : kGzipMagic) {
    OFINDEX_ASSIGN(const std::optional<uint8_t> byte, NextByte());
    if (byte && *byte != expected && member_at_ != 0) EndWith(StreamFault::kTrailingBytes, member_at_, size_);
    if (!byte || *byte != expected) return false;
  }
  OFINDEX_ASSIGN(const std::optional<uint64_t> rest, NextBytes(7));  // flags, time, extra flags, system
  const uint8_t flags = static_cast<uint8_t>(rest.value_or(kReservedFlags));
  if ((flags & kReservedFlags) != 0) return false;
  return PassGzipFields(flags);
}

Result<bool> Inflater::PassGzipFields(uint8_t flags) {
  if (flags & kExtraField) {
    OFINDEX_ASSIGN(const std::optional<uint64_t> length, NextBytes(2));
    for (uint64_t i = 0; i < length.value_or(0); ++i) {
      OFINDEX_ASSIGN(const std::optional<uint8_t> byte, NextByte());
      if (!byte) return false;
    }
    if (!length) return false;
  }
  for (const uint8_t text : {kFileName, kComment}) {
    if ((flags & text) == 0) continue;
    OFINDEX_ASSIGN(const bool whole, SkipText());
    if (!whole) return false;
  }
  if (flags & kHeaderCrc) {
    OFINDEX_ASSIGN(const std::optional<uint64_t> crc, NextBytes(2));
    if (!crc) return false;
  }
  return true;
}

Result<void> Inflater::PassTrailer() {
  const uint64_t trailer_at = at();
  if (compression_ == Compression::kGzip) {
    OFINDEX_ASSIGN(const std::optional<uint64_t> trailer, NextBytes(8));
    if (!trailer) {
      EndWith(StreamFault::kCut, trailer_at, size_);
      return {};
    }
    const bool holds = static_cast<uint32_t>(*trailer) == checksum_ && *trailer >> 32 == (member_bytes_ & 0xffffffff);
    if (checks_ && !holds) damage_.push_back({StreamFault::kBadChecksum, position_, trailer_at, at()});
  } else if (compression_ == Compression::kZlib) {
    OFINDEX_ASSIGN(const std::optional<uint64_t> trailer, NextBytes(4));
    if (!trailer) {
      EndWith(StreamFault::kCut, trailer_at, size_);
      return {};
    }
    const bool holds = __builtin_bswap32(static_cast<uint32_t>(*trailer)) == checksum_;
    if (checks_ && !holds) damage_.push_back({StreamFault::kBadChecksum, position_, trailer_at, at()});
  }
  return LookBehind();
}

// What comes behind a stream: nothing, or another member, or what does not belong here.
Result<void> Inflater::LookBehind() {
  const uint64_t end = at();
  if (end == size_) {
    phase_ = Phase::kEnd;
  } else if (compression_ == Compression::kGzip) {
    phase_ = Phase::kHeader;
  } else {
    OFINDEX_ASSIGN(const std::optional<uint64_t> head, NextBytes(2));
    const bool another = compression_ == Compression::kZlib && head &&
                         IsZlibHeader(*head & 255, static_cast<unsigned>(*head >> 8));
    EndWith(another ? StreamFault::kSecondStream : StreamFault::kTrailingBytes, end, size_);
  }
  return {};
}

}  // namespace ofindex
