#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "proto/extract/extracted_feature.h"
#include "proto/extract/found_features.h"
#include "proto/wire/varint.h"
#include "proto/wire/wire.h"

namespace ofindex {

/// A byte range of a payload that is fetched in pieces; the counterpart of ByteView for a payload in memory.
struct PagedBytes {
  uint64_t offset = 0;
  uint64_t length = 0;

  [[nodiscard]] uint64_t size() const { return length; }
  [[nodiscard]] bool empty() const { return length == 0; }
  [[nodiscard]] PagedBytes subspan(uint64_t begin, uint64_t n) const { return {offset + begin, n}; }
};

/// One field of a paged message: a WireField with byte ranges instead of views.
struct PagedField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;
  PagedBytes bytes = {};
};

/// The current piece of a payload.
class PageWindow {
 public:
  explicit PageWindow(PayloadPages* pages) : pages_(pages) {}

  /// Returns `n` bytes from byte `offset`; `n` is at least 1, and the range lies in the payload. Valid until the next
  /// call. Returns null once a piece could not be read.
  [[nodiscard]] const uint8_t* At(uint64_t offset, uint64_t n) {
    if (offset >= begin_ && Fits(offset - begin_, n, size_)) return data_ + (offset - begin_);
    return Fetch(offset, n);
  }

  [[nodiscard]] bool unreadable() const { return unreadable_; }

 private:
  [[nodiscard]] const uint8_t* Fetch(uint64_t offset, uint64_t n);

  PayloadPages* pages_;
  const uint8_t* data_ = nullptr;
  uint64_t begin_ = 0;
  uint64_t size_ = 0;
  bool unreadable_ = false;
};

/// A WireReader for a payload that is fetched in pieces. Has the same members, and finds the same fields and faults at
/// the same bytes. Never requests the content of bytes fields.
class PagedWireReader {
 public:
  PagedWireReader(PageWindow* window, uint64_t length, Malformed* malformed)
      : window_(window), end_(length), malformed_(malformed) {}

  [[nodiscard]] PagedWireReader Nested(PagedBytes bytes) const {
    PagedWireReader nested = Packed(bytes);
    if (++nested.depth_ > kMaxMessageDepth) nested.Fail(WireFault::kTooDeep, nested.at_);
    return nested;
  }

  [[nodiscard]] PagedWireReader Packed(PagedBytes bytes) const {
    PagedWireReader packed = *this;
    packed.at_ = bytes.offset;
    packed.end_ = bytes.offset + bytes.length;
    return packed;
  }

  [[nodiscard]] bool Next(PagedField* field);

  [[nodiscard]] bool NextVarint(uint64_t* value) {
    return at_ != end_ && ReadVarint(kMaxVarintBytes, WireFault::kLongVarint, value);
  }

  bool Reject(WireFault fault, PagedBytes where) { return Fail(fault, where.offset); }

  [[nodiscard]] PagedBytes rest() const { return {at_, end_ - at_}; }
  [[nodiscard]] bool ok() const { return malformed_->fault == WireFault::kNone && !window_->unreadable(); }

 private:
  [[nodiscard]] bool ReadTag(uint64_t* begin, PagedField* field);
  [[nodiscard]] bool ReadContent(uint64_t tag_begin, PagedField* field);
  [[nodiscard]] bool ReadVarint(uint64_t max_bytes, WireFault too_long, uint64_t* value);
  [[nodiscard]] bool ReadFixed(uint64_t size, PagedField* field);
  [[nodiscard]] bool ReadBytes(PagedField* field);
  [[nodiscard]] bool SkipGroup(uint64_t tag_begin, PagedField* field);
  bool Fail(WireFault fault, uint64_t where);

  PageWindow* window_;
  uint64_t at_ = 0;
  uint64_t end_;
  Malformed* malformed_;
  int depth_ = 0;
};

// The two sources of payloads, as arguments of the templates that extract from payloads. Each provides a reader of
// messages, and the content of the fields that its reader found.

/// A payload in memory.
class MemorySource {
 public:
  using Reader = WireReader;
  using Field = WireField;
  using Bytes = ByteView;

  explicit MemorySource(ByteView payload) : payload_(payload) {}

  [[nodiscard]] WireReader Read(Malformed* malformed) const { return {payload_, malformed}; }

  /// Returns the content of `bytes`. Null if it cannot be read, which never happens in memory.
  [[nodiscard]] const uint8_t* At(ByteView bytes) const { return bytes.data(); }

  [[nodiscard]] PayloadRange Where(ByteView bytes) const {
    return {static_cast<uint64_t>(bytes.data() - payload_.data()), bytes.size()};
  }

  /// Returns the value of `feature` if it is bytes and short enough to be kept.
  [[nodiscard]] ByteView View(const ExtractedFeature& feature) const {
    if (feature.kind != FeatureKind::kBytes || feature.count != 1 || feature.size > kMaxKeptBytes) return {};
    return payload_.subspan(feature.bits, feature.size);
  }

  /// Returns the number of varints in `chunk`; 0 means that they must be read one by one.
  [[nodiscard]] uint64_t CountQuickly(ByteView chunk) const { return CountVarints(chunk); }

 private:
  ByteView payload_;
};

/// A payload that is fetched in pieces.
class PagedSource {
 public:
  using Reader = PagedWireReader;
  using Field = PagedField;
  using Bytes = PagedBytes;

  PagedSource(PayloadPages* pages, uint64_t length) : window_(pages), length_(length) {}
  PagedSource(const PagedSource&) = delete;  // readers point to the window
  PagedSource& operator=(const PagedSource&) = delete;

  [[nodiscard]] PagedWireReader Read(Malformed* malformed) { return {&window_, length_, malformed}; }

  /// Returns the content of `bytes`, valid until the next read. Null if it is empty or cannot be read.
  [[nodiscard]] const uint8_t* At(PagedBytes bytes) {
    return bytes.empty() ? nullptr : window_.At(bytes.offset, bytes.length);
  }

  [[nodiscard]] PayloadRange Where(PagedBytes bytes) const { return {bytes.offset, bytes.length}; }
  [[nodiscard]] ByteView View(const ExtractedFeature&) const { return {}; }  // copied at the end
  [[nodiscard]] uint64_t CountQuickly(PagedBytes) const { return 0; }
  [[nodiscard]] bool unreadable() const { return window_.unreadable(); }

 private:
  PageWindow window_;
  uint64_t length_;
};

}  // namespace ofindex
