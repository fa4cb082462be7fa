#include "proto/extract/extractor_source.h"

#include <algorithm>
#include <array>

#include "proto/wire/varint.h"

namespace ofindex {

const uint8_t* PageWindow::Fetch(uint64_t offset, uint64_t n) {
  if (unreadable_) return nullptr;
  size_ = 0;
  data_ = pages_->At(offset, n, size_);
  begin_ = offset;
  unreadable_ = data_ == nullptr;
  if (unreadable_) size_ = 0;
  return data_;
}

bool PagedWireReader::Fail(WireFault fault, uint64_t where) {
  if (ok()) *malformed_ = {fault, where};
  at_ = end_;
  return false;
}

bool PagedWireReader::Next(PagedField* field) {
  uint64_t begin = 0;
  if (at_ == end_ || !ReadTag(&begin, field)) return false;
  return field->type == WireType::kGroup ? SkipGroup(begin, field) : ReadContent(begin, field);
}

bool PagedWireReader::ReadTag(uint64_t* begin, PagedField* field) {
  *begin = at_;
  uint64_t value = 0;
  if (!ReadVarint(5, WireFault::kLongTag, &value)) return false;
  const auto tag = static_cast<uint32_t>(value);
  field->number = tag >> 3;
  field->type = static_cast<WireType>(tag & 7);
  return field->number != 0 || Fail(WireFault::kFieldNumber, *begin);
}

bool PagedWireReader::ReadContent(uint64_t tag_begin, PagedField* field) {
  switch (field->type) {
    case WireType::kVarint: return ReadVarint(kMaxVarintBytes, WireFault::kLongVarint, &field->value);
    case WireType::kFixed64: return ReadFixed(8, field);
    case WireType::kFixed32: return ReadFixed(4, field);
    case WireType::kBytes: return ReadBytes(field);
    case WireType::kEndGroup: return Fail(WireFault::kUnbalancedGroup, tag_begin);
    default: return Fail(WireFault::kWireType, tag_begin);
  }
}

bool PagedWireReader::ReadVarint(uint64_t max_bytes, WireFault too_long, uint64_t* value) {
  const uint64_t limit = std::min(max_bytes, end_ - at_);
  if (limit == 0) return Fail(WireFault::kTornVarint, at_);
  const uint8_t* p = window_->At(at_, limit);
  if (p == nullptr) return Fail(WireFault::kNone, at_);
  const size_t size = TakeVarint({p, limit}, value);
  if (size == 0) return Fail(limit < max_bytes ? WireFault::kTornVarint : too_long, at_);
  at_ += size;
  return true;
}

bool PagedWireReader::ReadFixed(uint64_t size, PagedField* field) {
  if (end_ - at_ < size) return Fail(WireFault::kTornFixed, at_);
  const uint8_t* p = window_->At(at_, size);
  if (p == nullptr) return Fail(WireFault::kNone, at_);
  field->value = size == 8 ? LoadLe64(p) : LoadLe32(p);
  at_ += size;
  return true;
}

bool PagedWireReader::ReadBytes(PagedField* field) {
  const uint64_t begin = at_;
  uint64_t length = 0;
  if (!ReadVarint(5, WireFault::kLongLength, &length)) return false;
  if (length > end_ - at_) return Fail(WireFault::kPastEnd, begin);
  field->bytes = {at_, length};
  at_ += length;
  return true;
}

bool PagedWireReader::SkipGroup(uint64_t tag_begin, PagedField* field) {
  const uint64_t body = at_;
  const int room = kMaxMessageDepth - depth_;
  std::array<uint32_t, kMaxMessageDepth> open;  // numbers of the open groups; [0, opened) is in use
  int opened = 0;
  PagedField inner{.number = field->number, .type = WireType::kGroup};
  uint64_t inner_begin = tag_begin;
  while (true) {
    if (inner.type == WireType::kGroup) {
      if (opened == room) return Fail(WireFault::kTooDeep, inner_begin);
      open[static_cast<size_t>(opened++)] = inner.number;
    } else if (inner.type == WireType::kEndGroup) {
      if (inner.number != open[static_cast<size_t>(--opened)]) return Fail(WireFault::kUnbalancedGroup, inner_begin);
      if (opened == 0) break;
    } else if (!ReadContent(inner_begin, &inner)) {
      return false;
    }
    if (at_ == end_) return Fail(WireFault::kUnbalancedGroup, tag_begin);
    if (!ReadTag(&inner_begin, &inner)) return false;
  }
  field->bytes = {body, inner_begin - body};
  return true;
}

}  // namespace ofindex
