#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "proto/skim/skimmer_found.h"
#include "proto/skim/skimmer_pages.h"
#include "proto/wire/packed_varints.h"
#include "proto/wire/wire.h"

namespace ofindex {

// The two places where a payload may lie, for the templates that skim it: each has a reader of messages, and gives the
// content of what such a reader found.

/// A payload in memory.
class MemorySource {
 public:
  using Reader = WireReader;
  using Field = WireField;
  using Bytes = ByteView;

  explicit MemorySource(ByteView payload) : payload_(payload) {}

  [[nodiscard]] WireReader Read(Malformed* malformed) const { return {payload_, malformed}; }

  /// Content of `bytes`. Null if it cannot be read, which is never.
  [[nodiscard]] const uint8_t* At(ByteView bytes) const { return bytes.data(); }

  [[nodiscard]] Stretch Where(ByteView bytes) const {
    return {static_cast<uint64_t>(bytes.data() - payload_.data()), bytes.size()};
  }

  /// The one value of `feature`, if it is bytes, and not too long to be kept.
  [[nodiscard]] ByteView View(const SkimmedFeature& feature) const {
    if (feature.kind != FeatureKind::kBytes || feature.count != 1 || feature.size > kMostKeptBytes) return {};
    return payload_.subspan(feature.bits, feature.size);
  }

  /// The number of varints in `chunk`; 0 says that they have to be read one by one.
  [[nodiscard]] uint64_t CountQuickly(ByteView chunk) const { return CountVarints(chunk); }

 private:
  ByteView payload_;
};

/// A payload that is fetched piece by piece.
class PagedSource {
 public:
  using Reader = PagedWireReader;
  using Field = PagedField;
  using Bytes = PagedBytes;

  PagedSource(PayloadPages* pages, uint64_t length) : window_(pages), length_(length) {}
  PagedSource(const PagedSource&) = delete;  // readers point at the window
  PagedSource& operator=(const PagedSource&) = delete;

  [[nodiscard]] PagedWireReader Read(Malformed* malformed) { return {&window_, length_, malformed}; }

  /// Content of `bytes`, until anything else is read. Null if it is empty, or cannot be read.
  [[nodiscard]] const uint8_t* At(PagedBytes bytes) {
    return bytes.empty() ? nullptr : window_.At(bytes.offset, bytes.length);
  }

  [[nodiscard]] Stretch Where(PagedBytes bytes) const { return {bytes.offset, bytes.length}; }
  [[nodiscard]] ByteView View(const SkimmedFeature&) const { return {}; }  // it is copied at the end
  [[nodiscard]] uint64_t CountQuickly(PagedBytes) const { return 0; }
  [[nodiscard]] bool unreadable() const { return window_.unreadable(); }

 private:
  PageWindow window_;
  uint64_t length_;
};

}  // namespace ofindex
