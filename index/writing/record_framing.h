#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/framing.h"

namespace ofindex {

/// The framing of one payload, computed once: the bytes before it and after it. The only encoder of both formats.
class RecordFraming {
 public:
  RecordFraming(Framing framing, ByteView payload)
      : header_bytes_(HeaderBytes(framing)), footer_bytes_(FooterBytes(framing)) {
    EncodeHeader(framing, payload.size(), header_.data());
    if (framing == Framing::kTfRecord) StoreLe32(footer_.data(), MaskCrc(Crc32c(payload)));
  }

  /// Valid while this object lives.
  [[nodiscard]] ByteView header() const { return ByteView(header_).first(header_bytes_); }
  [[nodiscard]] ByteView footer() const { return ByteView(footer_).first(footer_bytes_); }

 private:
  uint64_t header_bytes_;
  uint64_t footer_bytes_;
  std::array<uint8_t, kMaxHeaderBytes> header_{};
  std::array<uint8_t, 4> footer_{};
};

}  // namespace ofindex
