#include "proto/wire/wire.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "proto/wire/varint.h"

namespace ofindex {

std::string Describe(const Malformed& malformed) {
  return StrCat("payload@", malformed.offset, ": malformed message: ", Name(malformed.fault));
}

bool WireReader::Fail(WireFault fault, const uint8_t* where) {
  if (ok()) *malformed_ = {fault, static_cast<uint64_t>(where - origin_)};
  at_ = end_;
  return false;
}

bool WireReader::ReadLongVarint(uint64_t max_bytes, WireFault too_long, uint64_t* value) {
  const uint64_t limit = std::min(max_bytes, left());
  const size_t size = TakeVarint({at_, limit}, value);
  if (size == 0) return Fail(limit < max_bytes ? WireFault::kTornVarint : too_long, at_);
  at_ += size;
  return true;
}

bool WireReader::ReadFixed(uint64_t size, WireField* field) {
  if (left() < size) return Fail(WireFault::kTornFixed, at_);
  field->value = size == 8 ? LoadLe64(at_) : LoadLe32(at_);
  at_ += size;
  return true;
}

bool WireReader::ReadScalar(const uint8_t* tag_begin, WireField* field) {
  switch (field->type) {
    case WireType::kVarint: return ReadVarint(&field->value);
    case WireType::kFixed64: return ReadFixed(8, field);
    case WireType::kFixed32: return ReadFixed(4, field);
    case WireType::kEndGroup: return Fail(WireFault::kUnbalancedGroup, tag_begin);
    default: return Fail(WireFault::kWireType, tag_begin);
  }
}

bool WireReader::SkipGroup(const uint8_t* tag_begin, WireField* field) {
  const uint8_t* body = at_;
  const int room = kMaxMessageDepth - depth_;
  std::array<uint32_t, kMaxMessageDepth> open;  // numbers of the open groups; [0, opened) is in use
  int opened = 0;
  WireField inner{.number = field->number, .type = WireType::kGroup};
  const uint8_t* inner_begin = tag_begin;
  while (true) {
    if (inner.type == WireType::kGroup) {
      if (opened == room) return Fail(WireFault::kTooDeep, inner_begin);
      open[static_cast<size_t>(opened++)] = inner.number;
    } else if (inner.type == WireType::kEndGroup) {
      if (inner.number != open[static_cast<size_t>(--opened)]) return Fail(WireFault::kUnbalancedGroup, inner_begin);
      if (opened == 0) break;
    } else if (inner.type == WireType::kBytes ? !ReadBytes(&inner) : !ReadScalar(inner_begin, &inner)) {
      return false;
    }
    if (at_ == end_) return Fail(WireFault::kUnbalancedGroup, tag_begin);
    inner_begin = at_;
    uint32_t tag = 0;
    if (!ReadTag(&tag)) return false;
    inner.number = tag >> 3;
    inner.type = static_cast<WireType>(tag & 7);
  }
  field->bytes = {body, inner_begin};
  return true;
}

}  // namespace ofindex
