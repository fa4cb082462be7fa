#include "mmap/inflate/span_inflater.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "mmap/inflate/member_header.h"

namespace ofindex {

namespace {

// isa-l keeps back the last symbols of a file that was cut, as it looks up several at once. Zeros after the end let it
// decode them. Symbols that take bits of the zeros follow, but the size of the inflated bytes, which the index has from
// zlib, ends before them.
constexpr std::array<uint8_t, 8> kPadding = {};

}  // namespace

struct SpanInflater::Isal {
  inflate_state state;
};

SpanInflater::SpanInflater(const File& file, uint64_t size, Compression compression, uint64_t bit, ByteView window)
    : compression_(compression),
      input_(file, size),
      isal_(std::make_unique_for_overwrite<Isal>()),
      bits_used_(static_cast<int>(bit % 8)),
      padding_(kPadding.size()) {
  ::isal_inflate_init(&isal_->state);
  // The library takes a mutable pointer but only reads through it. It refuses a window only in the middle of a stream.
  ended_ = !window.empty() && ::isal_inflate_set_dict(&isal_->state, const_cast<uint8_t*>(window.data()),
                                                      static_cast<uint32_t>(window.size())) != COMP_OK;
  input_.Seek(bit / 8);
}

SpanInflater::~SpanInflater() = default;

// Starts with the unread bits of the first byte.
Result<void> SpanInflater::Begin() {
  const int used = std::exchange(bits_used_, 0);
  if (used == 0) return {};
  OFINDEX_ASSIGN(const std::optional<uint8_t> first, input_.TakeByte());
  if (!first) return {};
  isal_->state.read_in = uint64_t{*first} >> used;
  isal_->state.read_in_length = 8 - used;
  return {};
}

Result<size_t> SpanInflater::Read(const File& file, std::span<uint8_t> out) {
  input_.ReadFrom(file);
  OFINDEX_TRY(Begin());
  inflate_state& state = isal_->state;
  size_t got = 0;
  while (got < out.size() && !ended_) {
    OFINDEX_ASSIGN(ByteView input, input_.Next());
    const bool pads = input.empty();
    if (pads) input = ByteView(kPadding).first(padding_);
    const size_t room = std::min<size_t>(out.size() - got, std::numeric_limits<int32_t>::max());
    state.next_in = const_cast<uint8_t*>(input.data());
    state.avail_in = static_cast<uint32_t>(input.size());
    state.next_out = out.data() + got;
    state.avail_out = static_cast<uint32_t>(room);
    const int result = ::isal_inflate(&state);
    const size_t produced = room - state.avail_out;
    got += produced;
    if (result < 0) {
      ended_ = true;  // of damaged bytes, isa-l 2.30 may count more than there are: avail_in wraps
      break;
    }
    if (pads) {
      padding_ = state.avail_in;
      ended_ = produced == 0 || state.block_state == ISAL_BLOCK_FINISH;
      continue;
    }
    input_.Take(input.size() - state.avail_in);
    if (state.block_state == ISAL_BLOCK_FINISH) {
      OFINDEX_ASSIGN(const bool another, PassToNextMember());
      ended_ = !another;
    }
  }
  return got;
}

Result<bool> SpanInflater::PassToNextMember() {
  if (compression_ != Compression::kGzip) return false;
  // Whole bytes that isal_inflate read ahead belong to the trailer.
  input_.Seek(input_.at() - static_cast<uint64_t>(isal_->state.read_in_length / 8));
  OFINDEX_ASSIGN(const std::optional<uint64_t> trailer, input_.TakeNumber(TrailerBytes(compression_)));
  OFINDEX_ASSIGN(const MemberHeader header, TakeHeader(compression_, input_));
  if (!trailer || header != MemberHeader::kSound) return false;
  ::isal_inflate_init(&isal_->state);
  return true;
}

}  // namespace ofindex
