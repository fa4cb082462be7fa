#include "mmap/inflate/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "mmap/inflate/checkpoint.h"
#include "mmap/inflate/compression_header.h"
#include "mmap/inflate/member_header.h"

namespace ofindex {
namespace {

constexpr int kBareDeflate = -15;  // zlib.h: no header, no trailer, a window of 2^15 bytes

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
    : compression_(compression), input_(file, size), zlib_(std::make_unique<Zlib>()) {}

Inflater::~Inflater() = default;

uint64_t Inflater::bit() const { return 8 * input_.at() - static_cast<uint64_t>(zlib_->stream.data_type & 7); }

std::vector<uint8_t> Inflater::Window() const {
  std::vector<uint8_t> window(kDeflateWindow);
  uInt size = 0;
  if (::inflateGetDictionary(&zlib_->stream, window.data(), &size) != Z_OK) size = 0;
  window.resize(size);
  return window;
}

Result<Inflater::Halt> Inflater::Read(std::span<uint8_t> out, bool to_blocks, size_t& got) {
  got = 0;
  if (!zlib_->ready) return Fail(ErrorCode::kLimit, "out of memory for the decompressor");
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

// Returns kEnd at the end of a deflate stream, and sets phase_ to the next phase.
Result<Inflater::Halt> Inflater::Deflated(std::span<uint8_t> out, bool to_blocks, size_t& got) {
  z_stream& stream = zlib_->stream;
  for (;;) {
    OFINDEX_ASSIGN(const ByteView input, input_.Next());
    const size_t room = std::min<size_t>(out.size() - got, std::numeric_limits<uInt>::max());
    stream.next_in = const_cast<Bytef*>(input.data());  // zlib only reads it
    stream.avail_in = static_cast<uInt>(input.size());
    stream.next_out = out.data() + got;
    stream.avail_out = static_cast<uInt>(room);
    const int result = ::inflate(&stream, to_blocks ? Z_BLOCK : Z_NO_FLUSH);
    const size_t produced = room - stream.avail_out;
    input_.Take(input.size() - stream.avail_in);
    Count(ByteView(out).subspan(got, produced));
    got += produced;
    switch (result) {
      case Z_STREAM_END: phase_ = Phase::kTrailer; return Halt::kEnd;
      case Z_MEM_ERROR: return Fail(ErrorCode::kLimit, "out of memory for the decompressor");
      case Z_OK:
      case Z_BUF_ERROR: break;
      default: EndWith(StreamFault::kBadDeflate, block_at_, input_.size()); return Halt::kEnd;
    }
    // In data_type (zlib.h), 128 means that a block has just ended, and 64 that this is the last block.
    if (to_blocks && (stream.data_type & 0xc0) == 0x80) {
      block_at_ = bit() / 8;
      return Halt::kBlock;
    }
    if (got == out.size()) return Halt::kFull;
    if (input.empty() && produced == 0) {
      EndWith(StreamFault::kTruncated, block_at_, input_.size());
      return Halt::kEnd;
    }
  }
}

void Inflater::Count(ByteView inflated) {
  position_ += inflated.size();
  member_bytes_ += inflated.size();
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

// If there are bytes after a member that are not another header, they belong to no stream.
Result<void> Inflater::PassHeader() {
  const uint64_t begin = input_.at();
  OFINDEX_ASSIGN(const MemberHeader header, TakeHeader(compression_, input_));
  switch (header) {
    case MemberHeader::kSound: BeginMember(); break;
    case MemberHeader::kTruncated: EndWith(StreamFault::kTruncated, begin, input_.size()); break;
    case MemberHeader::kOther:
      EndWith(begin == 0 ? StreamFault::kBadDeflate : StreamFault::kTrailingBytes, begin, input_.size());
  }
  return {};
}

void Inflater::BeginMember() {
  phase_ = Phase::kDeflate;
  block_at_ = input_.at();
  member_bytes_ = 0;
  checksum_ = compression_ == Compression::kZlib ? 1 : 0;  // initial values of adler32 and crc32
  ::inflateReset(&zlib_->stream);
}

Result<void> Inflater::PassTrailer() {
  const uint64_t begin = input_.at();
  OFINDEX_ASSIGN(const std::optional<uint64_t> trailer, input_.TakeNumber(TrailerBytes(compression_)));
  if (!trailer) {
    EndWith(StreamFault::kTruncated, begin, input_.size());
    return {};
  }
  if (!TrailerHolds(*trailer)) damage_.push_back({StreamFault::kBadChecksum, position_, begin, input_.at()});
  return CheckWhatFollows();
}

bool Inflater::TrailerHolds(uint64_t trailer) const {
  const auto low = static_cast<uint32_t>(trailer);
  if (compression_ == Compression::kZlib) return __builtin_bswap32(low) == checksum_;
  if (compression_ == Compression::kDeflate) return true;
  return low == checksum_ && trailer >> 32 == static_cast<uint32_t>(member_bytes_);
}

// Determines what follows a stream: nothing, another member, or bytes that do not belong here.
Result<void> Inflater::CheckWhatFollows() {
  const uint64_t end = input_.at();
  if (end == input_.size()) {
    phase_ = Phase::kEnd;
  } else if (compression_ == Compression::kGzip) {
    phase_ = Phase::kHeader;
  } else {
    OFINDEX_ASSIGN(const MemberHeader header, TakeHeader(compression_, input_));
    const bool another = compression_ == Compression::kZlib && header == MemberHeader::kSound;
    EndWith(another ? StreamFault::kSecondStream : StreamFault::kTrailingBytes, end, input_.size());
  }
  return {};
}

}  // namespace ofindex
